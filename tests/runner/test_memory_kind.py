"""A sample of kind `memory`: a timeline, and figures that say they were sampled."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from tests.runner.fakes import cell
from treebench.runner.local import LocalExecutor
from treebench.store.journal import row_from_json

if TYPE_CHECKING:
    from treebench.store.row import SampleRow

MIB = 2**20
FAKE = (sys.executable, "-S", str(Path(__file__).with_name("fake_worker.py")))


def measure(*steps: list[Any]) -> SampleRow:
    executor = LocalExecutor("run", {}, 30.0, {"fingerprint": "f"}, "code", FAKE)
    return executor.of_kind("memory").measure(cell(1, steps), 0)


def test_three_processes_that_share_a_file_hold_it_once() -> None:
    row = measure(["fit", "share", 64 * MIB])
    assert (row.status, row.kind) == ("ok", "memory")
    fit = row.phases["fit"]
    assert fit.tree_peak_source == "PSS sampling"
    assert fit.tree_peak_bytes is not None
    timeline = row.timeline
    assert timeline is not None
    inside = [
        pss
        for pss, phase in zip(timeline["pss_bytes"], timeline["phase"], strict=True)
        if phase == "fit"
    ]
    assert max(inside) == fit.tree_peak_bytes > 64 * MIB
    # A reading goes from process to process: one taken while the children touch the map counts
    # some pages twice. Most are taken while all three hold it.
    assert 64 * MIB < median(inside) < 64 * MIB + 32 * MIB
    assert row_from_json(row.to_json(), "here") == row


def test_a_spike_between_two_readings_is_seen_by_the_kernels_mark_alone() -> None:
    row = measure(["fit", "touch", 256 * MIB])
    fit = row.phases["fit"]
    assert fit.peak_growth_bytes == pytest.approx(256 * MIB, abs=2 * MIB)
    assert fit.tree_peak_bytes is not None
    assert fit.peak_rss_bytes is not None
    # Sampling may see the spike or miss it; it never sees more than there was.
    assert fit.tree_peak_bytes <= fit.peak_rss_bytes


def test_a_timed_sample_has_no_timeline() -> None:
    executor = LocalExecutor("run", {}, 30.0, {"fingerprint": "f"}, "code", FAKE)
    assert executor.measure(cell(1, [["fit", "sleep", 0]]), 0).timeline is None
