"""What a single sample says: each figure as a number, or the reason why the sample has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.store.row import TRAINING_PHASES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.store.row import SampleRow

NO_REASON = "no reason was recorded"


@dataclass(frozen=True)
class Missing:
    """A value that one sample does not have, and why."""

    reason: str


def phase_value(row: SampleRow, phase: str, name: str) -> float | Missing:
    """The field `name` of a phase's figures."""
    figures = row.phases.get(phase)
    if figures is None:
        return Missing(f"the phase {phase} was not run")
    value: int | None = getattr(figures, name)
    return Missing(figures.missing.get(name, NO_REASON)) if value is None else value


def combined(
    row: SampleRow, phases: Sequence[str], name: str, combine: Callable[[list[float]], float]
) -> float | Missing:
    """`combine` over those of `phases` that were run; missing if one of them lacks its value.

    A maximum over the known phases only would be a lower bound passed off as the peak.
    """
    values: list[float] = []
    for phase in phases:
        figures = row.phases.get(phase)
        if figures is None:
            continue
        value: float | None = getattr(figures, name)
        if value is None:
            return Missing(f"{phase}: {figures.missing.get(name, NO_REASON)}")
        values.append(value)
    return combine(values) if values else Missing(f"none of {', '.join(phases)} was run")


def added(row: SampleRow, phases: Sequence[str], name: str) -> float | Missing:
    """The sum over those of `phases` that were run, of a sample that came to its fit."""
    if "fit" not in row.phases:
        return Missing("the phase fit was not run")
    return combined(row, phases, name, sum)


def training_peak(row: SampleRow, name: str) -> float | Missing:
    """The largest of a field up to the end of fit: later the test part is in memory too."""
    return combined(row, TRAINING_PHASES, name, max)


def growth(row: SampleRow, phase: str) -> float | Missing:
    """The phase's peak RSS above its own baseline, in bytes."""
    for name in ("baseline_rss_bytes", "peak_rss_bytes"):
        value = phase_value(row, phase, name)
        if isinstance(value, Missing):
            return value
    above = row.phases[phase].peak_growth_bytes
    return Missing(NO_REASON) if above is None else above


def construct_fit_growth(row: SampleRow) -> float | Missing:
    """The higher peak of construct and fit above the baseline of the first, in bytes."""
    first = next((phase for phase in ("construct", "fit") if phase in row.phases), "fit")
    baseline = phase_value(row, first, "baseline_rss_bytes")
    peak = combined(row, ("construct", "fit"), "peak_rss_bytes", max)
    if isinstance(baseline, Missing):
        return baseline
    return peak if isinstance(peak, Missing) else max(0, peak - baseline)


def container_retained(row: SampleRow) -> float | Missing:
    """The RSS that construct left behind, in bytes; negative if it gave memory back."""
    baseline = phase_value(row, "construct", "baseline_rss_bytes")
    end = phase_value(row, "construct", "end_rss_bytes")
    if isinstance(baseline, Missing):
        return baseline
    return end if isinstance(end, Missing) else end - baseline


def data_bytes(row: SampleRow) -> float | Missing:
    """Bytes of the matrix itself."""
    if row.data_bytes is None:
        return Missing("the size of the matrix was not recorded")
    return row.data_bytes


def score_named(row: SampleRow, name: str) -> float | Missing:
    """A score by its name (auc, log_loss, rmse, ...)."""
    value = (row.score or {}).get(name)
    return Missing("the sample has no such score") if value is None else value
