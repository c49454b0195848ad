"""What a run measured of one figure: the samples that have it, and where each stands on an axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from treebench.analysis.axes import axis_value
from treebench.analysis.curves.density import DENSITY, density_of
from treebench.analysis.sample import Missing
from treebench.analysis.summary import NO_SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from treebench.analysis.figures import NamedFigure
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

NOT_TAKEN = "no sample of it was taken"


@dataclass(frozen=True)
class Measured:
    """The samples that ended well, by cell, of one kind alone: no series mixes events that were
    counted with events that were simulated."""

    figure: NamedFigure
    rows: Mapping[str, Sequence[SampleRow]]

    @cached_property
    def values(self) -> Mapping[str, Sequence[tuple[SampleRow, float]]]:
        """By cell the samples that have the figure, and its values; a cell without any is left
        out."""
        of = self.figure.of
        found = {
            cell: [(row, float(value)) for row in rows if not isinstance(value := of(row), Missing)]
            for cell, rows in self.rows.items()
        }
        return {cell: pairs for cell, pairs in found.items() if pairs}

    def of(self, spec: CellSpec) -> Sequence[tuple[SampleRow, float]]:
        """The samples of a cell that have the figure, and its values."""
        return self.values.get(spec.id, ())

    def why_none(self, spec: CellSpec) -> str:
        """Why a cell has no sample with the figure."""
        if spec.id not in self.rows:
            return NOT_TAKEN
        values = [self.figure.of(row) for row in self.rows[spec.id]]
        return next((each.reason for each in values if isinstance(each, Missing)), NO_SAMPLE)

    def at(self, row: SampleRow, spec: CellSpec, axes: Iterable[str]) -> tuple[float | None, ...]:
        """Where a sample stands on each axis: a simulated one at the size that was simulated."""
        reduced = (row.counters or {}).get("reduced", {}) if row.kind == "simulated" else {}
        return tuple(
            float(reduced[axis]) if axis in reduced else position(spec, axis, [row])
            for axis in axes
        )


def measured(run: Overview, figure: NamedFigure) -> Measured:
    """The samples of the first kind, of those that can hold the figure, of which any has it."""
    for kind in figure.kinds:
        found = Measured(figure, run.ended_well.get(kind, {}))
        if found.values:
            return found
    return Measured(figure, run.ended_well.get(figure.kinds[0], {}))


def position(spec: CellSpec, axis: str, rows: Sequence[SampleRow]) -> float | None:
    """Where a cell stands on an axis, by some of its samples; None where it has no place there."""
    return density_of(spec, rows) if axis == DENSITY else axis_value(spec, axis)
