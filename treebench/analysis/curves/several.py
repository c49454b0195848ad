"""Several axes at once: time ~ rows^a features^b trees^c, for a run that varies two or more."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.axes import all_but, varying_axes
from treebench.analysis.curves.measured import Measured, measured
from treebench.analysis.labels import series_labels
from treebench.analysis.scaling.surface import SurfaceFit, fit_surface

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.figures import NamedFigure
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec

AXES = ("rows", "features", "n_estimators")
"""Those in which costs multiply."""


@dataclass(frozen=True)
class Together:
    """One series over several axes. Without a fit, `problem` says why. `points` are the distinct
    places measured."""

    label: str
    place: str
    axes: tuple[str, ...]
    points: int
    fit: SurfaceFit | None
    problem: str | None = None


def together(
    run: Overview, figure: NamedFigure, only: Callable[[CellSpec], bool] | None = None
) -> list[Together]:
    """A fit for every series that varies two or more of `AXES`; none for a run that does not."""
    return together_in(run, measured(run, figure), only)


def together_in(
    run: Overview, found: Measured, only: Callable[[CellSpec], bool] | None = None
) -> list[Together]:
    """The same, by what was measured of a figure."""
    specs = [cell.spec for cell in run.cells if only is None or only(cell.spec)]
    varying = varying_axes(specs)
    varied = [axis for axis in AXES if axis in varying]
    if len(varied) < 2:
        return []
    groups: dict[str, list[CellSpec]] = defaultdict(list)
    for spec in specs:
        groups[all_but(spec, set(varied))].append(spec)
    listed = list(groups.values())
    labels = series_labels([group[0] for group in listed], set(varied))
    fitted = (_fitted(group, label, found) for group, label in zip(listed, labels, strict=True))
    return [each for each in fitted if len(each.axes) >= 2]


def _fitted(specs: Sequence[CellSpec], label: str, found: Measured) -> Together:
    samples = [
        (found.at(row, spec, AXES), value)
        for spec in specs
        for row, value in found.of(spec)
        if value > 0
    ]
    points = {place for place, _ in samples}
    axes = tuple(
        axis for i, axis in enumerate(AXES) if len({place[i] for place in points} - {None}) > 1
    )
    layout = specs[0].layout
    together = Together(label, f"{specs[0].dataset}, {layout}", axes, len(points), None)
    return together if len(axes) < 2 else _with_fit(together, samples)


def _with_fit(
    bare: Together, samples: Sequence[tuple[tuple[float | None, ...], float]]
) -> Together:
    places = np.array([place for place, _ in samples], dtype=np.float64)
    columns = {axis: places[:, AXES.index(axis)] for axis in bare.axes}
    values = np.array([value for _, value in samples], dtype=np.float64)
    fit, problem = None, None
    try:
        fit = fit_surface(columns, values)
    except ValueError as error:
        problem = str(error)
    return Together(bare.label, bare.place, bare.axes, bare.points, fit, problem)
