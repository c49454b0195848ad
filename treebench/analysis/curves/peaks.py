"""Which phase holds a peak: a figure that is a maximum over phases follows no single curve where
another phase takes it over."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from treebench.analysis.curves.steps import KnownStep
from treebench.store.row import TRAINING_PHASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treebench.store.row import SampleRow

_MAXIMA: dict[str, tuple[tuple[str, ...], str]] = {
    "peak_memory": (TRAINING_PHASES, "peak_rss_bytes"),
    "tree_memory": (TRAINING_PHASES, "tree_peak_bytes"),
    "summed_rss": (TRAINING_PHASES, "summed_rss_peak_bytes"),
    "construct_fit_growth": (("construct", "fit"), "peak_rss_bytes"),
}

_MOVES_NAMED = 2


def peak_phase(rows: Iterable[SampleRow], figure: str) -> str | None:
    """The phase that holds the figure's peak in most samples; None for a figure that is no maximum
    over phases."""
    if figure not in _MAXIMA:
        return None
    holders = Counter(holder for row in rows if (holder := _holder(row, *_MAXIMA[figure])))
    return holders.most_common(1)[0][0] if holders else None


def _holder(row: SampleRow, phases: Sequence[str], field: str) -> str | None:
    known = {
        phase: value
        for phase in phases
        if phase in row.phases and (value := getattr(row.phases[phase], field)) is not None
    }
    return max(known, key=known.__getitem__) if known else None


def moved_peaks(axis: str, peaks: Sequence[tuple[float, str]]) -> list[KnownStep]:
    """The sizes from which on another phase holds the peak, as steps; `peaks` are pairs of size
    and phase, ascending."""
    return [
        KnownStep(
            axis,
            size,
            f"the peak moves from {before} to {after}",
            "a peak is the largest over phases, each of which grows in its own way",
        )
        for (_, before), (size, after) in pairwise(peaks)
        if before != after
    ]


def several_peaks(axis: str, peaks: Sequence[tuple[float, str]]) -> str | None:
    """What to know of one curve through peaks of several phases."""
    moves = moved_peaks(axis, peaks)
    if not moves:
        return None
    phases = dict.fromkeys(phase for _, phase in peaks)
    where = "; ".join(f"{move.what} at {axis} {move.first:,g}" for move in moves)
    if len(moves) > _MOVES_NAMED:
        where = f"the peak moves {len(moves)} times between {' and '.join(phases)}"
    return f"{where}, so that one curve hardly fits; the growth of each phase alone may"
