"""Numbers as people read them: read back, each is the number it was, to the digits shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import drawn
from treebench.report import units
from treebench.written.size import size_bytes, spelled

_NS = {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
_BYTES = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
durations = st.integers(1, 10**17) | st.floats(1e-3, 1e17)
sizes = st.integers(1, 2**52) | st.floats(1, 2**52)


def read_back(text: str, units_by_name: Mapping[str, float]) -> float:
    sign = -1 if text.startswith(units.MINUS) else 1
    pairs = re.findall(r"([\d.,]+) (\S+)", text)
    assert pairs, text
    return sign * sum(float(n.replace(",", "")) * units_by_name[name] for n, name in pairs)


@drawn(150)
@given(ns=durations)
def test_a_duration_reads_back(ns: float) -> None:
    # Three digits; whole seconds of minutes and whole minutes of hours are finer than 1 %.
    assert read_back(units.duration(ns), _NS) == pytest.approx(ns, rel=0.0085, abs=0.005)
    assert units.duration(-ns) == units.MINUS + units.duration(ns)


@drawn(150)
@given(n_bytes=sizes)
def test_a_size_reads_back(n_bytes: float) -> None:
    assert read_back(units.size(n_bytes), _BYTES) == pytest.approx(n_bytes, rel=0.0051)
    assert units.size(-n_bytes) == units.MINUS + units.size(n_bytes)


@drawn(150)
@given(one=durations, other=durations)
def test_longer_never_reads_shorter(one: float, other: float) -> None:
    short, long = sorted([one, other])
    assert read_back(units.duration(short), _NS) <= read_back(units.duration(long), _NS)


@drawn(150)
@given(one=sizes, other=sizes)
def test_larger_never_reads_smaller(one: float, other: float) -> None:
    small, large = sorted([one, other])
    assert read_back(units.size(small), _BYTES) <= read_back(units.size(large), _BYTES)


@drawn(100)
@given(amount=st.integers(2**24, 2**50))
def test_a_size_that_is_spelt_is_the_size_that_is_read(amount: int) -> None:
    assert size_bytes(spelled(amount)) == amount


@drawn(100)
@given(value=st.floats(1e-9, 1e15))
def test_little_is_never_written_as_nothing(value: float) -> None:
    for text in (units.rounded_count(value), units.cost(value)):
        assert float(text.replace(",", "")) == pytest.approx(value, rel=0.06)
