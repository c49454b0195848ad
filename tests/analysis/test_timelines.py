"""Memory over time from made rows: what is drawn, and what the kernel kept beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.analysis.rows import row, samples, spec
from treebench.analysis.timelines import KernelPeak, Span, timeline_of
from treebench.store.row import PhaseFigures, SampleRow

MIB = 2**20
CELL = spec()


def readings(*points: tuple[int, int, str | None]) -> dict[str, Any]:
    """(ms, MiB, phase) as a row has them."""
    return {
        "source": "smaps_rollup",
        "interval_ns": 50_000_000,
        "ticks": len(points),
        "largest_gap_ns": 10**9,
        "t_ns": [ms * 10**6 for ms, _, _ in points],
        "pss_bytes": [size * MIB for _, size, _ in points],
        "phase": [phase for _, _, phase in points],
    }


SEEN = readings(
    (0, 8, None),
    (10, 9, "import"),
    (1500, 90, "import"),
    (1600, 95, None),
    (1610, 100, "load"),
    (1660, 140, "load"),
    (1670, 140, "fit"),
    (1740, 150, "fit"),
    (1750, 145, "fit"),
)


def memory_row(timeline: dict[str, Any] | None = SEEN, **more: Any) -> SampleRow:
    return row(CELL, kind="memory", timeline=timeline, **more)


def timed_row(load: int, fit: int | None, source: str | None = "cgroup v1") -> SampleRow:
    def phase(peak: int | None, baseline: int) -> PhaseFigures:
        size = None if peak is None else peak * MIB
        return PhaseFigures(
            baseline_rss_bytes=baseline * MIB,
            peak_rss_bytes=size,
            tree_baseline_bytes=None if source is None else (baseline - 50) * MIB,
            tree_peak_bytes=None if size is None or source is None else size - 50 * MIB,
            tree_peak_source=source,
        )

    phases = {"import": phase(900, 10), "load": phase(load, 150), "fit": phase(fit, 190)}
    return row(CELL, phases=phases)


def test_import_is_left_out_and_the_clock_starts_after_it() -> None:
    known = timeline_of([memory_row()], [])
    assert known is not None
    assert known.t_ns[:3] == (0, 10_000_000, 60_000_000)
    assert known.spans == (
        Span("load", 10_000_000, 60_000_000),
        Span("fit", 70_000_000, 150_000_000),
    )
    assert known.ticks == 6
    assert known.largest_gap_ns == 70_000_000
    assert known.growth_bytes == 50 * MIB  # from 100 when load began, not from 95 before


def test_the_kernels_peaks_are_of_the_phases_drawn() -> None:
    timed = [timed_row(200, 260), timed_row(210, 280), timed_row(300, 270)]
    known = timeline_of([memory_row()], timed)
    assert known is not None
    # By sample 260, 280 and 300; import's 900 is not drawn.
    assert known.kernel_peaks == (
        KernelPeak("VmHWM", 280 * MIB, 130 * MIB),
        KernelPeak("cgroup v1", 230 * MIB, 130 * MIB),
    )


def test_a_peak_that_lacks_a_phase_is_none() -> None:
    known = timeline_of([memory_row()], [timed_row(200, None)])
    assert known is not None
    assert known.kernel_peaks == ()


def test_a_sampled_peak_is_not_the_kernels() -> None:
    known = timeline_of([memory_row()], [timed_row(200, 260, "PSS watchdog")])
    assert known is not None
    assert [peak.source for peak in known.kernel_peaks] == ["VmHWM"]


def test_samples_that_ended_badly_or_saw_nothing_have_no_timeline() -> None:
    cut = readings((0, 8, None), (10, 9, "import"))
    rows = [replace(memory_row(), status="oom"), memory_row(None), memory_row(cut)]
    assert timeline_of(rows, samples(CELL)) is None
    later = timeline_of([*rows, memory_row()], samples(CELL))
    assert later is not None
    assert later.ticks == 6
