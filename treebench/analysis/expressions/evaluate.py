"""An expression computed from samples, with an interval from blocks drawn anew.

All cells are visited once in every block, so what slowed the machine in a block slowed them all:
whole blocks are drawn, with replacement, and each draw takes the median of each cell anew.
(B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter 8, paired samples.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from treebench.analysis.axes import axis_value, held_cells
from treebench.analysis.expressions import over_cells
from treebench.analysis.expressions.tree import (
    Arithmetic,
    ExponentOf,
    FigureOf,
    Number,
    OverCells,
)
from treebench.analysis.figures import figure_named
from treebench.analysis.sample import Missing
from treebench.analysis.scaling.power import fit_power
from treebench.analysis.scaling.series import Series

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from treebench.analysis.expressions.tree import Expectation, Operator, Term
    from treebench.analysis.figures import NamedFigure
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

    Calls = Callable[[str], Callable[[CellSpec], bool]]

LEVEL = 0.90
DRAWS = 1000
_LEAST_BLOCKS = 3
"""Fewer samples than these show a spread, but no interval."""

Outcome = Literal["holds", "fails", "cannot tell"]


class UnknownError(Exception):
    """A term that these samples do not answer; the text says why."""


@dataclass(frozen=True)
class Value:
    """What a term comes to. `low` and `high` bound it at the level `LEVEL`; None where there are
    too few samples for an interval, and `why_no_interval` says so."""

    point: float
    low: float | None
    high: float | None
    why_no_interval: str | None = None


@dataclass(frozen=True)
class _Drawn:
    """A value with its draws, shape (DRAWS,), or without, and then why."""

    point: float
    draws: NDArray[np.float64] | None
    why: str = f"it needs {_LEAST_BLOCKS} samples of each cell"


class Samples:
    """The samples that ended well, by cell, and what calls a cell by a word."""

    def __init__(
        self, rows: Sequence[SampleRow], specs: Mapping[str, CellSpec], calls: Calls, seed: int = 0
    ) -> None:
        self._rows = [row for row in rows if row.status == "ok"]
        self._failures = {row.cell: row.error.message for row in rows if row.error is not None}
        self._specs = specs
        self._calls = calls
        self._seed = seed
        self._blocks = sorted({row.block for row in self._rows})

    def value(self, term: Term) -> Value:
        """The value of a term.

        Raises:
            UnknownError: a figure or a cell is not there, or a division by zero.
        """
        drawn = self._drawn(term)
        if not np.isfinite(drawn.point):
            raise UnknownError("it is divided by zero")
        if drawn.draws is None:
            return Value(drawn.point, None, None, drawn.why)
        low, high = np.quantile(drawn.draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Value(drawn.point, float(low), float(high))

    def judge(self, expectation: Expectation) -> tuple[Outcome, Value]:
        """Whether an expectation holds, by the interval of left minus right.

        Raises:
            UnknownError: as in `value`.
        """
        difference = self.value(Arithmetic("-", expectation.left, expectation.right))
        if difference.low is None or difference.high is None:
            return "cannot tell", difference
        wants_less = expectation.comparison.startswith("<")
        low, high = difference.low, difference.high
        if (high < 0) if wants_less else (low > 0):
            return "holds", difference
        return ("fails" if ((low > 0) if wants_less else (high < 0)) else "cannot tell"), difference

    def cells(self, words: str) -> list[CellSpec]:
        """The cells that are called by `words`, with a sample or not."""
        calls = self._calls(words)
        return [spec for spec in self._specs.values() if calls(spec)]

    def _drawn(self, term: Term) -> _Drawn:
        if isinstance(term, Number):
            return _Drawn(term.value, np.full(DRAWS, term.value))
        if isinstance(term, FigureOf):
            return self._figure(term)
        if isinstance(term, ExponentOf):
            return self._exponent(term)
        if isinstance(term, OverCells):
            return self._over_cells(term)
        left, right = self._drawn(term.left), self._drawn(term.right)
        point = float(_computed(term.operator, left.point, right.point))
        if left.draws is None or right.draws is None:
            return _Drawn(point, None, left.why if left.draws is None else right.why)
        return _Drawn(point, np.asarray(_computed(term.operator, left.draws, right.draws)))

    def _figure(self, term: FigureOf) -> _Drawn:
        return self._median(self._one_cell(term.cells), term.figure)

    def _median(self, spec: CellSpec, figure: str) -> _Drawn:
        by_block = self._values(spec, figure)
        values = np.array(list(by_block.values()))
        point = float(np.median(values))
        if self._is_simulated(spec, figure):
            # It repeats to some 0.002 %, which is why there is one sample of it.
            return _Drawn(point, np.full(DRAWS, point))
        if len(values) < _LEAST_BLOCKS:
            return _Drawn(point, None)
        return _Drawn(point, _medians_of_draws(by_block, self._draws()))

    def _exponent(self, term: ExponentOf) -> _Drawn:
        called = self.cells(term.cells)
        # What varies beside the axis is held at one value, as in every chart along an axis.
        kept, _ = held_cells(called, term.axis)
        points = []
        for spec in (called[position] for position in kept):
            x = axis_value(spec, term.axis)
            if x is not None:
                points += [(x, value) for value in self._values(spec, term.figure).values()]
        series = Series.of((x, value) for x, value in points if value > 0)
        if len(series.sizes) < 3:
            raise UnknownError(
                f"an exponent along {term.axis} needs 3 of its values; {term.cells} has "
                f"{len(series.sizes)}"
            )
        fit = fit_power(series, seed=self._seed)
        band = fit.exponent_band
        point = fit.exponent or 0.0
        if band is None:
            return _Drawn(point, None, "the samples leave the exponent open: they scatter too much")
        return _Drawn(point, _spread_over(band.low, point, band.high, self._seed))

    def _over_cells(self, term: OverCells) -> _Drawn:
        specs = self.cells(term.cells)
        if not specs:
            raise UnknownError(f"no cell is called {term.cells!r}")
        if term.how == "range":
            drawn = [self._median(spec, term.figure) for spec in specs]
            point = over_cells.range_of([each.point for each in drawn])
            known = [each.draws for each in drawn if each.draws is not None]
            whole = len(known) == len(drawn)
            return _Drawn(point, np.ptp(np.array(known), axis=0) if whole else None)
        shown = {"spread": over_cells.spread, "first_sample": over_cells.first_to_later}[term.how]
        values = [shown(self._values(spec, term.figure)) for spec in specs]
        seen = np.array([value for value in values if value is not None])
        if not len(seen):
            raise UnknownError(f"{term.how} needs {over_cells.LEAST_SAMPLES} samples of a cell")
        point = float(np.median(seen))
        if len(seen) < over_cells.LEAST_CELLS:
            return _Drawn(point, None, f"it needs {over_cells.LEAST_CELLS} cells")
        return _Drawn(point, over_cells.medians_of_cells(seen, DRAWS, self._seed))

    def _one_cell(self, words: str) -> CellSpec:
        """The cell called so; of several that differ in size, the one at the largest."""
        specs = self.cells(words)
        if not specs:
            raise UnknownError(f"no cell is called {words!r}")
        kept, _ = held_cells(specs, None)
        if len(kept) != 1:
            raise UnknownError(
                f"{words!r} calls {len(kept)} cells; say more, in quotes: "
                f'"trainer=xgboost, method=hist"'
            )
        return specs[kept[0]]

    def _values(self, spec: CellSpec, name: str) -> dict[int, float]:
        """The figure of each sample of the cell, by block."""
        figure = figure_named(name)
        values = [(row.block, figure.of(row)) for row in self._of(spec, figure)]
        known = {block: value for block, value in values if not isinstance(value, Missing)}
        if known:
            return known
        reasons = [value.reason for _, value in values if isinstance(value, Missing)]
        failure = self._failures.get(spec.id)
        none = "no sample of it ended well" + (f" ({failure})" if failure else "")
        raise UnknownError(f"{name}: {reasons[0] if reasons else none}")

    def _of(self, spec: CellSpec, figure: NamedFigure) -> list[SampleRow]:
        return [row for row in self._rows if row.cell == spec.id and row.kind in figure.kinds]

    def _is_simulated(self, spec: CellSpec, name: str) -> bool:
        """Whether the figure is known of simulated samples alone."""
        figure = figure_named(name)
        rows = self._of(spec, figure)
        kinds = {row.kind for row in rows if not isinstance(figure.of(row), Missing)}
        return kinds == {"simulated"}

    def _draws(self) -> NDArray[np.int64]:
        """Blocks drawn with replacement, the same for every cell, shape (DRAWS, blocks)."""
        rng = np.random.default_rng(self._seed)
        return rng.choice(self._blocks, (DRAWS, len(self._blocks)))


def _medians_of_draws(
    by_block: Mapping[int, float], draws: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The median of the values of the drawn blocks, over those blocks that have one."""
    values = np.full(int(draws.max()) + 1, np.nan)
    for block, value in by_block.items():
        if block < len(values):
            values[block] = value
    drawn = values[draws]
    empty = np.all(np.isnan(drawn), axis=1)
    drawn[empty] = np.median(list(by_block.values()))
    return np.asarray(np.nanmedian(drawn, axis=1), dtype=np.float64)


def _spread_over(low: float, point: float, high: float, seed: int) -> NDArray[np.float64]:
    """Draws whose median and interval are those given: two half normals that meet at the point."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal(DRAWS)
    edge = float(np.quantile(np.abs(normal), LEVEL))
    return point + normal / edge * np.where(normal < 0, point - low, high - point)


def _computed(
    operator: Operator, left: float | NDArray[np.float64], right: float | NDArray[np.float64]
) -> float | NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        if operator == "+":
            return left + right
        if operator == "-":
            return left - right
        if operator == "*":
            return left * right
        return np.divide(left, right)
