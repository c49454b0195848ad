"""Bounds as people set them, and samples still to take, against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from treebench.analysis.comparing.outlook import samples_wanted
from treebench.analysis.comparing.rule import Bounds, Change, bounds_of, change_of
from treebench.analysis.comparing.rules import GROUPS, group_of, rules_of
from treebench.analysis.figures import figure_named
from treebench.errors import ConfigError

FIT = figure_named("fit_time")
EXAMPLES = (
    *("fit_time", "peak_memory", "counter:fit:instructions", "score:auc"),
    *("misses_in:fit:Builder", "latency:1:p50", "model_size"),
)


def test_what_is_not_set_keeps_its_bounds() -> None:
    assert rules_of().bounds_of(FIT) == bounds_of(FIT)


def test_a_group_is_set_and_a_figure_goes_before_it() -> None:
    rules = rules_of(["time=3%", "fit_time=0.08"], ["time=20ms", "memory=1.5MiB", "score=0.01"])
    assert rules.bounds_of(FIT) == Bounds(0.08, 20_000_000)
    assert rules.bounds_of(figure_named("predict_time")) == Bounds(0.03, 20_000_000)
    assert rules.bounds_of(figure_named("peak_memory")).floor == 1.5 * 2**20
    assert rules.bounds_of(figure_named("score:auc")).floor == 0.01
    assert rules.bounds_of(figure_named("latency:1:p50")) == bounds_of(
        figure_named("latency:1:p50")
    )


def test_every_group_has_a_figure() -> None:
    assert {group_of(figure_named(name)) for name in EXAMPLES} == set(GROUPS)


@pytest.mark.parametrize(
    ("bands", "floors", "words"),
    [
        (["time"], [], "--band time: write it as NAME=AMOUNT, as in time=5%"),
        (["time=-5%"], [], "--band time=-5%: write it as NAME=AMOUNT"),
        (["time=5ms"], [], "--band time=5ms: write a share, as in time=5%"),
        (["tim=5%"], [], "--band tim=5%: 'tim' is no figure"),
        ([], ["time=50"], "write the amount with its unit, as in time=50ms"),
        ([], ["memory=50ms"], "write the amount with its unit, as in memory=16MiB"),
        ([], ["score=1ms"], "write the amount with no unit"),
        ([], ["score:auc=1%"], "write the amount with no unit"),
        ([], ["latency:1:p50=1"], "as in latency:1:p50=50ms"),
    ],
)
def test_what_cannot_be_read_is_refused(bands: list[str], floors: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        rules_of(bands, floors)
    assert words in str(raised.value)


def noisy(ratio: float, spread: float, n: int) -> Change:
    """Sets with exactly this ratio of typical values and this spread."""
    pattern = np.linspace(-1, 1, n)
    pattern = pattern / pattern.std(ddof=1) * spread
    return change_of([*np.exp(pattern)], [*(ratio * np.exp(pattern))])


def test_the_estimate_is_that_of_the_normal_curve() -> None:
    """Twice the squared quantile times spread over distance, over 3/pi."""
    change = noisy(1.2, 0.15, 5)
    assert change.log_spread == pytest.approx(0.15)
    expected = 2 * (1.959964 * 0.15 / math.log(1.2)) ** 2 * math.pi / 3
    assert samples_wanted(change, Bounds(0.05, 0), tests=1) == math.ceil(expected)
    more = samples_wanted(change, Bounds(0.05, 0), tests=40)
    assert more is not None
    assert more > expected


def test_within_the_band_the_distance_to_its_edge_counts() -> None:
    change = noisy(1.01, 0.05, 5)
    expected = 2 * (1.959964 * 0.05 / (math.log(1.05) - math.log(1.01))) ** 2 * math.pi / 3
    assert samples_wanted(change, Bounds(0.05, 0), tests=40) == math.ceil(expected)


def test_the_estimate_holds_in_simulation() -> None:
    """With as many samples as it says, most of such comparisons are convincing."""
    rng = np.random.default_rng(1)
    wanted = samples_wanted(noisy(1.15, 0.1, 5), Bounds(0.05, 0), tests=1)
    assert wanted is not None
    found = [
        change_of(
            [*np.exp(0.1 * rng.standard_normal(wanted))],
            [*(1.15 * np.exp(0.1 * rng.standard_normal(wanted)))],
        ).chance
        <= 0.05
        for _ in range(400)
    ]
    assert np.mean(found) == pytest.approx(0.5, abs=0.12)


def test_where_nothing_can_be_said_no_number_is() -> None:
    assert samples_wanted(change_of([5.0], [6.0]), Bounds(0.05, 0), 1) is None
    assert samples_wanted(change_of([0, 1.0, 2], [1, 2, 3.0]), Bounds(0.05, 0), 1) is None
    assert samples_wanted(noisy(1.0500001, 0.1, 5), Bounds(0.05, 0), 1) is not None
    assert samples_wanted(noisy(1.05 - 1e-9, 0.1, 5), Bounds(0.05, 0), 1) is None
