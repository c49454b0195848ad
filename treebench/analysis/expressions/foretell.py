"""A term at more rows than were measured: every figure in it taken from its curve over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.axes import all_but
from treebench.analysis.expressions.evaluate import DRAWS, Samples, UnknownError, Value, _Drawn
from treebench.analysis.expressions.tree import FigureOf, leaves
from treebench.analysis.figures import figure_named
from treebench.analysis.scaling.power import curve, fit_power
from treebench.analysis.scaling.series import Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.expressions.evaluate import Calls
    from treebench.analysis.expressions.tree import Term
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

LEAST_SIZES = 4
"""A curve has three coefficients; with a fourth size it can be wrong, and its interval shows it."""
_GROWING_UNITS = ("ns", "bytes")


class Foretold(Samples):
    """Samples that answer for cells of `rows` rows, by curves a + b x^c through those measured.

    A figure's interval is that of its curve; figures of one term are drawn independently.
    """

    def __init__(
        self,
        rows: Sequence[SampleRow],
        specs: Mapping[str, CellSpec],
        calls: Calls,
        to_rows: int,
        seed: int = 0,
    ) -> None:
        super().__init__(rows, specs, calls, seed)
        self._to_rows = to_rows

    def value(self, term: Term) -> Value:
        """The value of a term at so many rows.

        Raises:
            UnknownError: the term has a part that does not grow with rows, or too few sizes.
        """
        for leaf in leaves(term):
            if not isinstance(leaf, FigureOf):
                raise UnknownError("only figures of single cells are foretold")
            if figure_named(leaf.figure).unit not in _GROWING_UNITS:
                raise UnknownError(f"{leaf.figure} is no time and no size")
        return super().value(term)

    def _figure(self, term: FigureOf) -> _Drawn:
        cell = self._one_cell(term.cells)
        family = all_but(cell, {"rows"})
        # Of the whole run, so that a name which calls one size alone has its curve too.
        specs = [spec for spec in self._specs.values() if all_but(spec, {"rows"}) == family]
        points = [(spec.rows, y) for spec in specs for y in self._known(spec, term.figure)]
        series = Series.of((x, y) for x, y in points if y > 0)
        if len(series.sizes) < LEAST_SIZES:
            raise UnknownError(f"a curve over rows needs {LEAST_SIZES} sizes")
        fit = fit_power(series, seed=self._seed)
        a, b, c = fit.resampled.T
        values = curve(a, b, c, float(self._to_rows))
        rng = np.random.default_rng([self._seed, *map(ord, term.figure + term.cells)])
        return _Drawn(float(fit.at(self._to_rows)), rng.choice(values, DRAWS))

    def _known(self, spec: CellSpec, figure: str) -> list[float]:
        try:
            return list(self._values(spec, figure).values())
        except UnknownError:
            return []
