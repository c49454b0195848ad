"""All curves of a run, by axis and figure: what a table, a picture and a page are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.curves.curve import LEAST_CURVE, Curve, curve_of
from treebench.analysis.curves.families import axes_of, families
from treebench.analysis.curves.several import Together, together
from treebench.analysis.figures import figure_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.figures import NamedFigure
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec

USUAL_FIGURES = ("construct_fit_time", "construct_fit_growth")


@dataclass(frozen=True)
class AxisCurves:
    """The curves of one figure along one axis."""

    axis: str
    figure: NamedFigure
    curves: tuple[Curve, ...]

    @property
    def places(self) -> list[str]:
        """The data sets, in order."""
        return list(dict.fromkeys(curve.family.place for curve in self.curves))

    def of(self, place: str) -> list[Curve]:
        """The curves of one data set."""
        return [curve for curve in self.curves if curve.family.place == place]

    @property
    def any_fitted(self) -> bool:
        """Whether there is a curve at all."""
        return any(curve.is_fitted for curve in self.curves)


@dataclass(frozen=True)
class Growth:
    """Curves along each axis, and the fits over several axes at once by their figure."""

    along: tuple[AxisCurves, ...]
    together: tuple[tuple[NamedFigure, tuple[Together, ...]], ...]

    @property
    def any_fitted(self) -> bool:
        """Whether anything at all was fitted."""
        over_several = (each.fit for _, every in self.together for each in every)
        return any(one.any_fitted for one in self.along) or any(over_several)


def growth(
    run: Overview,
    axes: Sequence[str],
    figures: Sequence[NamedFigure],
    only: Callable[[CellSpec], bool] | None = None,
) -> Growth:
    """The curves of these figures along these axes; an axis in which no cells are siblings has
    none."""
    along = [
        AxisCurves(axis, figure, tuple(curve_of(each, figure) for each in found))
        for axis in axes
        for figure in figures
        if (found := families(run, axis, figure, only))
    ]
    several = [(figure, tuple(together(run, figure, only))) for figure in figures]
    return Growth(tuple(along), tuple((figure, fits) for figure, fits in several if fits))


def usual_growth(run: Overview) -> Growth:
    """What a report shows: time and memory along each axis with a series of sizes enough for a
    curve."""
    figures = [figure_named(name) for name in USUAL_FIGURES]
    axes = [
        axis
        for axis in axes_of(run)
        if any(len(each.sizes) >= LEAST_CURVE for each in families(run, axis, figures[0]))
    ]
    return growth(run, axes, figures) if axes else Growth((), ())
