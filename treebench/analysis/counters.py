"""What was counted in the samples of a cell, per phase."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from treebench.plan.cell import rows_trained

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.store.row import SampleRow

_ESTIMATE_BELOW_PCT = 95.0
"""A counter that ran for less of the time was scaled up by perf: its value is an estimate."""


@dataclass(frozen=True)
class CellCounters:
    """The counters of one cell, all of one tier (None: none was there).

    `phases` has the median of each event over the samples that counted it. `estimates` are the
    events that perf scaled up. `work` is rows x features x trees of what was counted, the
    reduced size where it was; None where it is not known. `functions` are simulated only.
    """

    tier: str | None
    absent: Mapping[str, str]
    phases: Mapping[str, Mapping[str, float]]
    missing: Mapping[str, str]
    estimates: tuple[str, ...]
    work: float | None
    by: Mapping[str, Any]
    functions: Mapping[str, Sequence[Mapping[str, Any]]]

    def value(self, phase: str, event: str) -> float | None:
        """The median of an event in a phase; None where nothing counted it."""
        return self.phases.get(phase, {}).get(event)

    def per_cell_and_tree(self, phase: str, event: str) -> float | None:
        """An event by each cell of the matrix (row x feature) and tree."""
        value = self.value(phase, event)
        return None if value is None or not self.work else value / self.work

    def ratio(self, phase: str, event: str, to: str) -> float | None:
        """One event by another, such as instructions by cycles."""
        value, base = self.value(phase, event), self.value(phase, to)
        return None if value is None or not base else value / base


def cell_counters(rows: Sequence[SampleRow]) -> CellCounters | None:
    """What the samples that ended well counted, or why they could not; None where there is
    neither."""
    told = ("ok", "unsupported")
    counted = [row for row in rows if row.counters is not None and row.status in told]
    every = [row.counters for row in counted if row.counters is not None]
    if not every:
        return None
    last = every[-1]
    phases = {phase: _medians(phase, every) for phase in last["phases"]}
    found = {event for events in phases.values() for event in events}
    missing = {event: why for one in every for event, why in one["missing"].items()}
    return CellCounters(
        tier=last["tier"],
        absent=last["absent"],
        phases=phases,
        missing={event: why for event, why in missing.items() if event not in found},
        estimates=_estimates(every),
        work=work_counted(counted[-1]),
        by={key: last[key] for key in ("by", "geometry", "reduced") if key in last},
        functions=last.get("functions", {}),
    )


def _medians(phase: str, every: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for one in every:
        for event, value in one["phases"].get(phase, {}).items():
            if value is not None:
                values.setdefault(event, []).append(value)
    return {event: median(seen) for event, seen in values.items()}


def _estimates(every: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    shares = [item for one in every for item in one["running_pct"].items()]
    return tuple(dict.fromkeys(event for event, share in shares if share < _ESTIMATE_BELOW_PCT))


def work_counted(row: SampleRow) -> float | None:
    """Rows x features x trees of what was counted in a sample, the reduced size where it was;
    None where it is not known. A single tree has no `n_estimators`; a forest or a booster that
    does not say is unknown."""
    reduced = (row.counters or {}).get("reduced", {})
    trained = rows_trained(row.spec["rows"], row.spec.get("validation_share"))
    rows = reduced.get("rows", trained)
    trees = reduced.get("n_estimators") or row.spec["params"].get("n_estimators", 1)
    work = float(rows * row.spec["features"] * trees)
    return work or None
