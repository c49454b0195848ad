"""All curves of a run, by axis and figure: what a table, a picture and a page are made from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from treebench.analysis.axes import held_cells
from treebench.analysis.curves.curve import LEAST_CURVE, Curve, curve_of
from treebench.analysis.curves.families import axes_of, families, families_of, siblings
from treebench.analysis.curves.measured import measured
from treebench.analysis.curves.several import Together, together, together_in
from treebench.analysis.figures import figure_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from treebench.analysis.curves.measured import Measured
    from treebench.analysis.figures import NamedFigure
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec

USUAL_FIGURES = ("construct_fit_time", "construct_fit_growth")


@dataclass(frozen=True)
class AxisCurves:
    """The curves of one figure along one axis. `held` are the values of other axes that were held
    to choose them; empty where all are there."""

    axis: str
    figure: NamedFigure
    curves: tuple[Curve, ...]
    held: Mapping[str, float] = field(default_factory=dict)

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

    def at_one_place(self) -> AxisCurves:
        """The curves at one value of every other axis, as all of them would hide one another in a
        picture. Where that leaves nothing that was fitted, all are kept."""
        kept, held = held_cells([curve.family.spec for curve in self.curves], self.axis)
        chosen = replace(
            self, curves=tuple(self.curves[i] for i in kept), held={**self.held, **held}
        )
        return chosen if chosen.any_fitted else self


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
    with _one_thread():
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
    curve, at one value of every other axis, since most fits would only repeat one another."""
    usual = [measured(run, figure_named(name)) for name in USUAL_FIGURES]
    with _one_thread():
        along = [one for axis in axes_of(run) for one in _usual(run, axis, usual)]
        several = [(each.figure, tuple(together_in(run, each))) for each in usual] if along else []
    return Growth(tuple(along), tuple((figure, fits) for figure, fits in several if fits))


def _one_thread() -> threadpool_limits:
    """Linear algebra in one thread: products as small as these cost a pool more in waiting for one
    another than the work itself takes."""
    return threadpool_limits(1, user_api="blas")


def _usual(run: Overview, axis: str, usual: Sequence[Measured]) -> Iterator[AxisCurves]:
    groups = siblings(run, axis)
    kept, held = held_cells([group.spec for group in groups], axis)
    for measure in usual:
        chosen = families_of([groups[i] for i in kept], measure)
        if any(len(each.sizes) >= LEAST_CURVE for each in chosen):
            drawn = tuple(curve_of(each, measure.figure) for each in chosen)
            yield AxisCurves(axis, measure.figure, drawn, held)
