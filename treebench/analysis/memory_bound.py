"""Does a fit compute, or does it wait for memory? As far as counters and threads can tell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.analysis.axes import all_but

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.counters import CellCounters
    from treebench.analysis.summary import CellSummary

LINE_BYTES = 64
"""What one miss of the last cache fetches."""


@dataclass(frozen=True)
class FitBound:
    """What hardware counters say of one fit. None is unknown.

    `read_bytes_per_s` is LLC-load-misses x 64 B / wall time of fit (lines x their length / time,
    as the bandwidth groups of LIKWID have it; J. Treibig, G. Hager and G. Wellein, ICPP workshops
    2010): a lower bound of what was moved, since stores, and lines that a prefetcher fetched in
    time, are no load misses. `copy_bytes_per_s` is what the machine copied on `copy_threads`:
    the fewest measured that are not fewer than the cell's, else the most.
    """

    instructions_per_cycle: float | None
    read_bytes_per_s: float | None
    copy_bytes_per_s: float | None
    copy_threads: int | None

    @property
    def share_of_copy(self) -> float | None:
        """Read against copied, between 0 and about 1."""
        if self.read_bytes_per_s is None or not self.copy_bytes_per_s:
            return None
        return self.read_bytes_per_s / self.copy_bytes_per_s


def fit_bound(
    cell: CellSummary, counters: CellCounters, copy_bandwidth: Mapping[str, Any] | None
) -> FitBound | None:
    """What the counters of a cell say; None unless they are the hardware's.

    Args:
        cell: the cell's timed samples.
        counters: its counters.
        copy_bandwidth: as `run.json` has it: `bytes_per_s` by number of threads; None where it
            was not measured.
    """
    if counters.tier != "hardware":
        return None
    misses = counters.value("fit", "LLC-load-misses")
    figure = cell.wall_ns.get("fit")
    wall_ns = None if figure is None else figure.median
    threads, copied = _copied_on(cell.spec.threads, copy_bandwidth)
    return FitBound(
        instructions_per_cycle=counters.ratio("fit", "instructions", "cycles"),
        read_bytes_per_s=None
        if misses is None or not wall_ns
        else misses * LINE_BYTES * 1e9 / wall_ns,
        copy_bytes_per_s=copied,
        copy_threads=threads,
    )


def _copied_on(
    threads: int, copy_bandwidth: Mapping[str, Any] | None
) -> tuple[int | None, float | None]:
    measured = {int(n): rate for n, rate in (copy_bandwidth or {}).get("bytes_per_s", {}).items()}
    if not measured:
        return None, None
    chosen = min((n for n in measured if n >= threads), default=max(measured))
    return chosen, measured[chosen]


@dataclass(frozen=True)
class ThreadScaling:
    """Time of construct + fit on the fewest threads of the sweep, over that on the cell's own."""

    fewest_threads: int
    speedup: float | None


def thread_scaling(cells: Sequence[CellSummary]) -> dict[str, ThreadScaling]:
    """By cell, for those that the sweep has on several thread counts and otherwise alike."""
    families: dict[str, list[CellSummary]] = defaultdict(list)
    for cell in cells:
        families[all_but(cell.spec, {"threads"})].append(cell)
    return {
        cell.cell: _scaling(cell, min(family, key=lambda one: one.spec.threads))
        for family in families.values()
        if len({one.spec.threads for one in family}) > 1
        for cell in family
    }


def _scaling(cell: CellSummary, base: CellSummary) -> ThreadScaling:
    before, now = base.construct_fit_wall_ns.median, cell.construct_fit_wall_ns.median
    speedup = None if before is None or not now else before / now
    return ThreadScaling(base.spec.threads, speedup)
