"""What each column of a comparison came to on one data set."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treebench.analysis.sample import Missing
from treebench.analysis.statistics import median

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.expressions.evaluate import Samples, Value
    from treebench.analysis.expressions.tree import Term
    from treebench.config.comparisons import Clock, Column, Measure, Preset, ScoreKind
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

    Quantity = Value | Missing

METRIC = "auc"
"""The score of two classes, which all published data sets that treebench can train have."""
CLOCKS: dict[Clock, str] = {
    "boosting": "fit_time",
    "construct_fit": "construct_fit_time",
    "total": "total_time",
}
SCORES: dict[ScoreKind, str] = {
    "final": f"score:{METRIC}",
    "best_iteration": "best_score",
    "best_on_test": "best_on_test",
}
_PLAIN = {
    "boosting": CLOCKS["boosting"],
    "construct_fit": CLOCKS["construct_fit"],
    "total": CLOCKS["total"],
    "final": SCORES["final"],
    "best_iteration": SCORES["best_iteration"],
    "iteration": "best_iteration",
    "peak": "peak_memory",
}
FIGURES = (*_PLAIN, "best_on_test", "memory", "reach")
"""Of every column: the clocks, the scores with the iteration chosen, the memory, and the time to
reach the common score."""


@dataclass(frozen=True)
class ColumnCell:
    """A column as it was planned: its cell's id, or why it has none, beginning with what it is:
    `not installed`, `unsupported` or `not measured`. `chosen` says in words which setting a search
    came to."""

    column: Column
    cell: str | None
    absent: str | None = None
    chosen: str | None = None


@dataclass(frozen=True)
class Reading:
    """A column's figures, by the names of `FIGURES`; times in ns, sizes in bytes."""

    planned: ColumnCell
    figures: Mapping[str, Quantity] = field(default_factory=dict)

    def of(self, name: str) -> Quantity:
        """A figure, or why it is not there."""
        if self.planned.cell is None:
            return Missing(self.planned.absent or "not measured")
        return self.figures[name]

    def measure(self, measure: Measure, preset: Preset) -> Quantity:
        """The time, score or memory that a preset judges by."""
        return self.of(figure_of(measure, preset))


@dataclass(frozen=True)
class Table:
    """What was measured on one data set: readings by column, and the score that all reached."""

    readings: Mapping[str, Reading]
    reached: float | None
    samples: Samples


def figure_of(measure: Measure, preset: Preset) -> str:
    """Which of `FIGURES` a preset judges by."""
    return {"time": preset.clock, "score": preset.score, "memory": "memory"}[measure]


def read_table(
    preset: Preset,
    planned: Sequence[ColumnCell],
    rows: Sequence[SampleRow],
    specs: Mapping[str, CellSpec],
) -> Table:
    """The figures of every column from the samples of their cells."""
    from treebench.analysis.expressions.evaluate import Samples

    ids = {each.column.name: each.cell for each in planned}
    samples = Samples(rows, specs, lambda word: lambda spec: spec.id == ids.get(word))
    there = [each for each in planned if each.cell is not None]
    plain = {each.column.name: _plain(samples, each, rows) for each in there}
    reached = common_score([figures["final"] for figures in plain.values()])
    timed = "time_to" if preset.clock == "boosting" else "construct_time_to"
    for name, figures in plain.items():
        figures["reach"] = _reach(samples, name, timed, reached)
    readings = {
        each.column.name: Reading(each, plain.get(each.column.name, {})) for each in planned
    }
    return Table(readings, reached, samples)


def common_score(finals: Sequence[Quantity]) -> float | None:
    """The score that every column reached: the lowest of the final ones, down to four decimals."""
    known = [each.point for each in finals if not isinstance(each, Missing)]
    return math.floor(min(known) * 10_000) / 10_000 if known else None


def term_of(figure: str, column: str) -> Term:
    """The figure of a column as an expression.

    Memory is what training adds, with the matrix that it is given: published figures are of
    programs whose libraries take next to nothing, and the worker's take 200 MiB.
    """
    from treebench.analysis.expressions.tree import Arithmetic, FigureOf

    if figure == "memory":
        added = FigureOf("construct_fit_growth", column)
        return Arithmetic("+", FigureOf("data_size", column), added)
    return FigureOf(_PLAIN[figure], column)


def evaluated(samples: Samples, term: Term) -> Quantity:
    """The value of an expression, or why it has none."""
    from treebench.analysis.expressions.evaluate import UnknownError

    try:
        return samples.value(term)
    except UnknownError as error:
        return Missing(str(error))


def _plain(samples: Samples, each: ColumnCell, rows: Sequence[SampleRow]) -> dict[str, Quantity]:
    name = each.column.name
    found = {figure: evaluated(samples, term_of(figure, name)) for figure in (*_PLAIN, "memory")}
    return {**found, "best_on_test": _highest(rows, each.cell)}


def _reach(samples: Samples, column: str, timed: str, score: float | None) -> Quantity:
    from treebench.analysis.expressions.tree import FigureOf

    if score is None:
        return Missing("no column has a score")
    return evaluated(samples, FigureOf(f"{timed}:{METRIC}>={score!r}", column))


def _highest(rows: Sequence[SampleRow], cell: str | None) -> Quantity:
    """The highest test score of all iterations scored, at the median of the samples."""
    from treebench.analysis.expressions.evaluate import Value

    highest = [
        max(point["test"][METRIC] for point in row.curve["iterations"])
        for row in rows
        if row.cell == cell and row.status == "ok" and row.kind == "timed" and row.curve
    ]
    if not highest:
        return Missing("no sample of it has a curve")
    return Value(median(highest), min(highest), max(highest))
