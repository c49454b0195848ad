"""Samples with counters, taken for real from the fake worker."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from tests.runner.fakes import cell
from treebench.measure.counters import Choice, choose
from treebench.runner.counting import timed_counting
from treebench.runner.local import LocalExecutor
from treebench.store.row import SampleRow

FAKE = (sys.executable, "-S", str(Path(__file__).with_name("fake_worker.py")))
PAGES = 8192


def measure(choice: Choice, *steps: list[object]) -> SampleRow:
    executor = LocalExecutor(
        "run",
        {},
        30.0,
        {"fingerprint": "f"},
        "code",
        FAKE,
        counting=lambda block: timed_counting(choice, block),
    )
    return executor.measure(cell(1, steps), 0)


needs_perf = pytest.mark.skipif(choose("software").tier is None, reason="no perf here")


@needs_perf
def test_page_faults_by_phase_stand_in_the_row() -> None:
    row = measure(
        Choice("software"),
        ["load", "touch", 4096],
        ["fit", "touch", PAGES * 4096],
        ["save", "sleep", 0],
    )
    assert row.status == "ok"
    assert row.counters is not None
    assert row.counters["tier"] == "software"
    assert list(row.counters["phases"]) == ["fit"]
    assert row.counters["phases"]["fit"]["page-faults"] == pytest.approx(PAGES, abs=100)


@needs_perf
def test_a_death_leaves_what_was_counted_and_no_perf_behind() -> None:
    row = measure(Choice("software"), ["fit", "die", "SIGSEGV"])
    assert row.status == "error"
    assert row.counters is not None
    assert "page-faults" in row.counters["phases"]["fit"]
    assert not [child for child in psutil.Process().children() if child.name() == "perf"]


def test_an_absent_tier_says_why_and_the_sample_is_taken() -> None:
    row = measure(Choice(None, {"hardware": "no PMU"}), ["fit", "sleep", 0])
    assert row.status == "ok"
    assert row.counters is not None
    assert row.counters["absent"] == {"hardware": "no PMU"}


def test_the_simulated_tier_does_not_ride_with_timed_samples() -> None:
    assert (
        measure(Choice("simulated", {"hardware": "no PMU"}), ["fit", "sleep", 0]).counters is None
    )
