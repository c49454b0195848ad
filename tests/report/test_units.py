from __future__ import annotations

import pytest

from treebench.analysis.statistics import Interval
from treebench.report import units

MS, S, MIB = 10**6, 10**9, 2**20


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "\u2013"),
        (0, "0 s"),
        (1, "1 ns"),
        (999, "999 ns"),
        (1_000, "1.00 \u00b5s"),
        (999_499, "999 \u00b5s"),
        (999_500, "1.00 ms"),
        (2.346 * MS, "2.35 ms"),
        (9.994 * MS, "9.99 ms"),
        (9.996 * MS, "10.0 ms"),
        (99.94 * MS, "99.9 ms"),
        (99.96 * MS, "100 ms"),
        (184 * MS, "184 ms"),
        (999.4 * MS, "999 ms"),
        (999.95 * MS, "1.00 s"),
        (2.31 * S, "2.31 s"),
        (59.94 * S, "59.9 s"),
        (59.96 * S, "1 min 00 s"),
        (65 * S, "1 min 05 s"),
        (3599.4 * S, "59 min 59 s"),
        (3599.6 * S, "1 h 00 min"),
        (3720 * S, "1 h 02 min"),
        (-184 * MS, "\u2212184 ms"),
    ],
)
def test_durations(ns: float | None, text: str) -> None:
    assert units.duration(ns) == text


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (None, "\u2013"),
        (0, "0 B"),
        (512, "512 B"),
        (1023, "1,023 B"),
        (1024, "1.00 KiB"),
        (31.24 * MIB, "31.2 MiB"),
        (1023.4 * MIB, "1,023 MiB"),
        (1023.6 * MIB, "1.00 GiB"),
        (1.456 * 1024 * MIB, "1.46 GiB"),
        (3 * 1024**4, "3.00 TiB"),
        (-2 * MIB, "\u22122.00 MiB"),
    ],
)
def test_sizes(n_bytes: float | None, text: str) -> None:
    assert units.size(n_bytes) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([3.66 * MIB, None, 105 * MIB], "3.66 | \u2013 | 105 MiB"),
        ([1, 0, 2 * MIB], "<0.01 | 0 | 2.00 MiB"),
        ([512 * MIB, -MIB, 2048 * MIB], "0.50 | \u2212<0.01 | 2.00 GiB"),
        ([None, None], "\u2013 | \u2013"),
        ([0, 0], "0 | 0 B"),
    ],
)
def test_sizes_in_one_unit(values: list[float | None], text: str) -> None:
    assert units.sizes(values) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (2.28 * S, 2.4 * S, "2.28\u20132.40 s"),
        (980 * MS, 1.02 * S, "980 ms\u20131.02 s"),
        (65 * S, 69 * S, "1 min 05 s\u20131 min 09 s"),
        (184.1 * MS, 184.2 * MS, "184 ms"),
    ],
)
def test_intervals(low: float, high: float, text: str) -> None:
    assert units.duration_interval(Interval(low, high, 0.75)) == text


def test_no_interval_is_a_dash() -> None:
    assert units.duration_interval(None) == "\u2013"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "\u2013"), (1.84, "1.8 %"), (0, "0.0 %"), (12.25, "12.2 %"), (2340, "2,340 %")],
)
def test_percent(value: float | None, text: str) -> None:
    assert units.percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.44, "+0.4 %"), (-0.44, "\u22120.4 %"), (-0.04, "0.0 %"), (0.0, "0.0 %")]
)
def test_signed_percent(value: float, text: str) -> None:
    assert units.percent(value, signed=True) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.9375, "93.75 %"), (0.75, "75 %"), (0.5, "50 %"), (0.9999999, "99.99 %")],
)
def test_levels_are_never_rounded_up_to_certainty(share: float, text: str) -> None:
    assert units.level(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (20_000, "20k"),
        (1_500_000, "1.5M"),
        (261_876, "261,876"),
        (255, "255"),
        (0.05, "0.05"),
        (1024, "1,024"),
        (999, "999"),
    ],
)
def test_short_counts(value: float, text: str) -> None:
    assert units.short_count(value) == text


def test_counts_ratios_and_scores() -> None:
    assert units.count(327346) == "327,346"
    assert units.ratio(4.128) == "4.13x"
    assert units.ratio(None) == units.count(None) == units.score(None) == "\u2013"
    assert units.score(0.91234) == "0.9123"
    assert units.score(1.0) == "1.000"
    assert units.score(53.4567) == "53.46"
    assert units.score(12345.6) == "12,346"
    assert units.score(-0.5) == "\u22120.5000"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, units.DASH),
        (0.5, "0.50"),
        (38, "38.0"),
        (99.96, "100"),
        (1_234_567, "1,230,000"),
        (999.6, "1,000"),
    ],
)
def test_a_computed_count_has_three_digits(value: float | None, text: str) -> None:
    assert units.rounded_count(value) == text


def test_mebibytes_stay_mebibytes() -> None:
    assert units.mebibytes(2**30) == "1,024.0 MiB"
    assert units.mebibytes(None) == units.DASH


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "a few seconds"),
        (12, "about 10 s"),
        (94, "about 90 s"),
        (150, "about 2 min"),
        (5_000, "about 83 min"),
        (9_000, "about 2.5 h"),
    ],
)
def test_an_estimate_has_no_digits_that_it_cannot_have(seconds: float, text: str) -> None:
    assert units.time_left(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "\u2013"),
        (0, "0"),
        (999, "999"),
        (999.6, "1.00 k"),
        (24_870_000, "24.9 M"),
        (61_710_441_877, "61.7 G"),
        (2.5e15, "2,500 T"),
    ],
)
def test_scaled_counts(value: float | None, text: str) -> None:
    assert units.scaled_count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "\u2013"), (512, "512 B/s"), (503_480_000, "503 MB/s"), (9.58e9, "9.58 GB/s")],
)
def test_rates(value: float | None, text: str) -> None:
    assert units.rate(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (0.0056, "0.0056"), (0.000123, "0.00012"), (0.0994, "0.099"), (0.1, "0.10")],
)
def test_little_is_not_nothing(value: float, text: str) -> None:
    assert units.rounded_count(value) == text
