"""From a run to families: cells that differ along one axis and in nothing else."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.axes import all_but, varying_axes
from treebench.analysis.curves.density import DENSITY, density_varies
from treebench.analysis.curves.measured import Measured, measured, position
from treebench.analysis.curves.peaks import peak_phase
from treebench.analysis.labels import series_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.figures import NamedFigure
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec

    Only = Callable[[CellSpec], bool] | None
    Sample = tuple[float, float]


@dataclass(frozen=True)
class Siblings:
    """Cells that differ along one axis alone: `members` are pairs of the axis' value and the spec,
    ascending. `label` tells them from others of the data set `place`."""

    label: str
    place: str
    axis: str
    members: tuple[tuple[float, CellSpec], ...]

    @property
    def spec(self) -> CellSpec:
        """That of the largest value."""
        return self.members[-1][1]

    @property
    def cells(self) -> tuple[str, ...]:
        """All ids."""
        return tuple(spec.id for _, spec in self.members)


@dataclass(frozen=True)
class Family:
    """One series. `samples` are pairs of the axis' value and the figure, one for each measured
    process, in any order; `spec` is that of the largest value; `cells` are all ids.

    `label` tells it from its siblings in the data set `place`. `left_out` says which values of the
    axis are not among the samples, and why. `peaks` are, for a figure that is a maximum over
    phases, pairs of the axis' value and the phase that holds it, ascending.
    """

    label: str
    place: str
    axis: str
    spec: CellSpec
    cells: tuple[str, ...]
    samples: tuple[Sample, ...]
    left_out: tuple[str, ...] = ()
    peaks: tuple[tuple[float, str], ...] = ()

    @property
    def sizes(self) -> list[float]:
        """The distinct values of the axis that have samples, ascending."""
        return sorted({x for x, _ in self.samples})

    @property
    def name(self) -> str:
        """The series and where it was taken, in one line."""
        return f"{self.place}, {self.label}"


def axes_of(run: Overview, only: Only = None) -> list[str]:
    """The axes along which a curve can be drawn: the numbers that the run varies, and density."""
    specs = _specs(run, only)
    dense = density_varies(specs, run.ended_well["timed"])
    return [*varying_axes(specs), *([DENSITY] if dense else [])]


def families(run: Overview, axis: str, figure: NamedFigure, only: Only = None) -> list[Family]:
    """The series of a figure along an axis, in the order planned.

    A cell without siblings along the axis is in none.
    """
    return families_of(siblings(run, axis, only), measured(run, figure))


def families_of(groups: Sequence[Siblings], found: Measured) -> list[Family]:
    """The series of what was measured of a figure, for some of the siblings."""
    return [_family(group, found) for group in groups]


def siblings(run: Overview, axis: str, only: Only = None) -> list[Siblings]:
    """The cells of each series along an axis, in the order planned, whatever was measured."""
    groups = _groups(run, axis, only)
    labels = _labels([group[-1][1] for group in groups], axis)
    return [
        Siblings(label, _place(group[-1][1], axis), axis, tuple(group))
        for group, label in zip(groups, labels, strict=True)
    ]


def _place(spec: CellSpec, axis: str) -> str:
    return "several data sets" if axis == DENSITY else spec.dataset


def _specs(run: Overview, only: Only) -> list[CellSpec]:
    return [cell.spec for cell in run.cells if only is None or only(cell.spec)]


def _groups(run: Overview, axis: str, only: Only) -> list[list[tuple[float, CellSpec]]]:
    """The specs of each family with their places on the axis, ascending."""
    rows = run.ended_well["timed"]
    grouped: dict[str, dict[str, tuple[float, CellSpec]]] = defaultdict(dict)
    for spec in _specs(run, only):
        x = position(spec, axis, rows.get(spec.id, ()))
        if x is not None:
            shared = all_but(spec, {"dataset" if axis == DENSITY else axis})
            grouped[shared][spec.id] = (x, spec)
    ascending = [sorted(each.values(), key=lambda pair: pair[0]) for each in grouped.values()]
    return [group for group in ascending if group[0][0] != group[-1][0]]


def _family(group: Siblings, found: Measured) -> Family:
    samples: list[Sample] = []
    reasons: dict[str, list[float]] = defaultdict(list)
    peaks: list[tuple[float, str]] = []
    for x, spec in group.members:
        of_cell = _samples(spec, group.axis, found)
        why = _why_not(of_cell, spec, found)
        if why is None:
            samples += of_cell
            peaks += _peak(x, spec, found)
        else:
            reasons[why].append(x)
    return Family(
        group.label,
        group.place,
        group.axis,
        group.spec,
        group.cells,
        tuple(samples),
        tuple(_left_out(group.axis, sizes, why) for why, sizes in reasons.items()),
        tuple(peaks),
    )


def _peak(x: float, spec: CellSpec, found: Measured) -> list[tuple[float, str]]:
    phase = peak_phase((row for row, _ in found.of(spec)), found.figure.name)
    return [] if phase is None else [(x, phase)]


def _left_out(axis: str, sizes: Sequence[float], why: str) -> str:
    verb = "is" if len(sizes) == 1 else "are"
    return f"{axis} {' and '.join(map(_plain, sizes))} {verb} left out: {why}"


def _samples(spec: CellSpec, axis: str, found: Measured) -> list[Sample]:
    placed = [(found.at(row, spec, (axis,))[0], value) for row, value in found.of(spec)]
    return [(x, value) for x, value in placed if x is not None]


def _why_not(samples: Sequence[Sample], spec: CellSpec, found: Measured) -> str | None:
    """Why a size cannot be on a curve. One sample of 0 takes the others of its size with it, which
    would otherwise speak for all, and too high."""
    if not samples:
        return found.why_none(spec)
    if any(x <= 0 or y <= 0 for x, y in samples):
        return "a value that is not above 0 has no place on a curve"
    return None


def _labels(specs: Sequence[CellSpec], axis: str) -> list[str]:
    """A label for each family, by a spec of each: with what it must say besides, where the families
    of a data set differ in it."""
    beside: dict[str, list[CellSpec]] = defaultdict(list)
    for spec in specs:
        beside[_place(spec, axis)].append(spec)
    differing = {place: _differing(those, axis) for place, those in beside.items()}
    return [
        ", ".join([name, *(_said(spec, field) for field in differing[_place(spec, axis)])])
        for spec, name in zip(specs, series_labels(specs, {axis}), strict=True)
    ]


def _differing(specs: Sequence[CellSpec], axis: str) -> list[str]:
    fields = ("layout", "rows", "features", "threads")
    return [
        field
        for field in fields
        if field != axis and len({getattr(spec, field) for spec in specs}) > 1
    ]


def _said(spec: CellSpec, field: str) -> str:
    value = getattr(spec, field)
    return str(value) if field == "layout" else f"{value:,} {field}"


def _plain(x: float) -> str:
    return f"{x:,.0f}" if x == int(x) else f"{x:g}"
