"""Memory over time: what sampling saw, phase by phase, beside the peaks that the kernel kept."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.store.row import SampleRow

LEFT_OUT = "import"
"""Longer than all else in a small cell, and the same whatever is trained."""


@dataclass(frozen=True)
class Span:
    """From the first to the last reading of one phase, since the first reading drawn."""

    phase: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class KernelPeak:
    """The largest peak of the phases drawn, as the kernel kept it: the median of the timed
    samples. `source` is VmHWM (of the worker alone) or the cgroup (of the tree). `growth_bytes` is
    the same above what there was when the first of these phases began."""

    source: str
    n_bytes: float
    growth_bytes: float | None


@dataclass(frozen=True)
class Timeline:
    """One sample's readings after import: `t_ns` since the first of them, `pss_bytes` of the
    worker and all its children. `ticks` and `largest_gap_ns` are of these readings."""

    source: str
    t_ns: tuple[int, ...]
    pss_bytes: tuple[int, ...]
    spans: tuple[Span, ...]
    largest_gap_ns: int | None
    kernel_peaks: tuple[KernelPeak, ...]

    @property
    def growth_bytes(self) -> int:
        """The largest reading from the start of the first phase drawn on, above that start. What
        the kernel's peaks grew by can be held against it, however each counts shared pages."""
        start_ns = self.spans[0].start_ns if self.spans else 0
        since = self.pss_bytes[self.t_ns.index(start_ns) :]
        return max(since) - since[0]

    @property
    def ticks(self) -> int:
        """How many readings there were."""
        return len(self.t_ns)


def timeline_of(memory: Sequence[SampleRow], timed: Sequence[SampleRow]) -> Timeline | None:
    """The timeline of the first sample of kind `memory` that ended well and has readings after
    import, beside the peaks of the timed samples that ended well; None where there is none."""
    for row in memory:
        if row.status == "ok" and row.timeline is not None:
            readings = _after_import(row.timeline)
            if len(readings) > 1:
                return _timeline(row.timeline, readings, timed)
    return None


def _after_import(timeline: Mapping[str, Any]) -> list[tuple[int, int, str | None]]:
    readings = list(zip(timeline["t_ns"], timeline["pss_bytes"], timeline["phase"], strict=True))
    phases = [phase for _, _, phase in readings]
    if LEFT_OUT not in phases:
        return readings
    last = len(phases) - 1 - phases[::-1].index(LEFT_OUT)
    return readings[last + 1 :]


def _timeline(
    known: Mapping[str, Any],
    readings: Sequence[tuple[int, int, str | None]],
    timed: Sequence[SampleRow],
) -> Timeline:
    times = [time - readings[0][0] for time, _, _ in readings]
    phases = [phase for _, _, phase in readings]
    drawn = list(dict.fromkeys(phase for phase in phases if phase is not None))
    gaps = [late - early for early, late in pairwise(times)]
    return Timeline(
        source=known["source"],
        t_ns=tuple(times),
        pss_bytes=tuple(pss for _, pss, _ in readings),
        spans=_spans(times, phases),
        largest_gap_ns=max(gaps, default=None),
        kernel_peaks=_kernel_peaks([row for row in timed if row.status == "ok"], drawn),
    )


def _spans(times: Sequence[int], phases: Sequence[str | None]) -> tuple[Span, ...]:
    found: dict[str, list[int]] = {}
    for time, phase in zip(times, phases, strict=True):
        if phase is not None:
            found.setdefault(phase, []).append(time)
    return tuple(Span(phase, seen[0], seen[-1]) for phase, seen in found.items())


def _kernel_peaks(timed: Sequence[SampleRow], drawn: Sequence[str]) -> tuple[KernelPeak, ...]:
    tree = _tree_source(timed, drawn)
    wanted = [("VmHWM", "peak_rss_bytes", "baseline_rss_bytes")]
    wanted += [(tree, "tree_peak_bytes", "tree_baseline_bytes")] if tree is not None else []
    found = [_kernel_peak(timed, drawn, *names) for names in wanted]
    return tuple(peak for peak in found if peak is not None)


def _kernel_peak(
    timed: Sequence[SampleRow], drawn: Sequence[str], source: str, peak: str, baseline: str
) -> KernelPeak | None:
    peaks, growths = [], []
    for row in timed:
        largest = _largest(row, drawn, peak)
        if largest is not None:
            start = getattr(row.phases[drawn[0]], baseline) if drawn[0] in row.phases else None
            peaks.append(largest)
            growths += [] if start is None else [largest - start]
    if not peaks:
        return None
    return KernelPeak(source, median(peaks), median(growths) if growths else None)


def _largest(row: SampleRow, drawn: Sequence[str], name: str) -> int | None:
    """None where a phase that is drawn lacks its peak: a maximum of the others is no peak."""
    values = [getattr(row.phases[phase], name) for phase in drawn if phase in row.phases]
    return None if not values or None in values else max(values)


def _tree_source(timed: Sequence[SampleRow], drawn: Sequence[str]) -> str | None:
    """The cgroup, where there was one; a sampled peak is no kernel's."""
    figures = [row.phases[phase] for row in timed for phase in drawn if phase in row.phases]
    sources = {one.tree_peak_source for one in figures if one.tree_peak_source is not None}
    if len(sources) != 1:
        return None
    source = sources.pop()
    return source if source.startswith("cgroup") else None
