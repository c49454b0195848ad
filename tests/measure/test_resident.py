"""The resident probe, against a process that is described by files."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

import pytest

from treebench.measure.resident import ResidentProbe, parse_status

if TYPE_CHECKING:
    from pathlib import Path


class FakeProc:
    """A /proc with one process in it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "7"
        self.folder.mkdir()
        self.clear_refs = self.folder / "clear_refs"
        self.clear_refs.write_text("")

    def memory(self, rss_kib: int, peak_kib: int) -> None:
        status = f"Name:\tx\nVmHWM:\t {peak_kib} kB\nVmRSS:\t {rss_kib} kB\nThreads:\t1\n"
        (self.folder / "status").write_text(status)


@pytest.fixture
def proc(tmp_path: Path) -> FakeProc:
    return FakeProc(tmp_path)


@pytest.fixture
def probe(proc: FakeProc) -> ResidentProbe:
    made = ResidentProbe(proc.folder.parent)
    made.attach(7)
    return made


def test_kib_become_bytes() -> None:
    assert parse_status("VmRSS:\t 3 kB\nThreads:\t9\n") == {"VmRSS": 3072}


def test_baseline_peak_and_end(proc: FakeProc, probe: ResidentProbe) -> None:
    proc.memory(10, 10)
    probe.begin("fit")
    assert proc.clear_refs.read_text() == "5\n"
    proc.memory(12, 20)
    reading = probe.end("fit")
    assert reading.missing == {}
    assert reading.figures == {
        "baseline_rss_bytes": 10_240,
        "peak_rss_bytes": 20_480,
        "end_rss_bytes": 12_288,
    }


def test_without_a_reset_only_a_raised_mark_is_this_phases(
    proc: FakeProc, probe: ResidentProbe
) -> None:
    proc.clear_refs.unlink()
    proc.clear_refs.mkdir()  # a folder cannot be written to, whoever one is
    proc.memory(10, 30)
    probe.begin("fit")
    proc.memory(12, 30)
    lower = probe.end("fit")
    assert "peak_rss_bytes" not in lower.figures
    assert "cannot be reset per phase" in lower.missing["peak_rss_bytes"]
    probe.begin("predict")
    proc.memory(12, 31)
    assert probe.end("predict").figures["peak_rss_bytes"] == 31 * 1024


def test_a_process_that_is_gone_has_no_figures_and_never_zeros(
    proc: FakeProc, probe: ResidentProbe
) -> None:
    proc.memory(10, 10)
    probe.begin("fit")
    (proc.folder / "status").unlink()
    reading = probe.end("fit")
    assert reading.figures == {"baseline_rss_bytes": 10_240}
    assert set(reading.missing) == {"peak_rss_bytes", "end_rss_bytes"}


def test_this_very_process() -> None:
    probe = ResidentProbe()
    probe.attach(os.getpid())
    probe.begin("fit")
    # Mapped afresh: what an allocator hands out may be resident since an earlier test.
    with mmap.mmap(-1, 32 * 2**20) as block:
        for page in range(0, len(block), mmap.PAGESIZE):
            block[page] = 1
    figures = probe.end("fit").figures
    growth = int(figures["peak_rss_bytes"]) - int(figures["baseline_rss_bytes"])
    assert growth == pytest.approx(32 * 2**20, abs=2**20)
