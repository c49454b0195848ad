"""Whether what was published holds here: of two columns, and of the order of several.

Times and memory are compared as ratios, scores as differences, by their whole intervals: an
interval that has both sides is no verdict. Two scores closer than `SAME_SCORE` are the same: a
seed moves them by as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from treebench.analysis.published.readings import evaluated, figure_of, term_of
from treebench.analysis.sample import Missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.analysis.expressions.evaluate import Value
    from treebench.analysis.published.readings import Quantity, Table
    from treebench.config.comparisons import (
        Compared,
        Measure,
        Order,
        Preset,
        PublishedData,
        PublishedTable,
    )

Agreement = Literal["agrees", "differs", "cannot tell"]
Side = Literal["less", "same", "more"]
SAME_SCORE = 0.001


@dataclass(frozen=True)
class ComparedOutcome:
    """Two columns here and as published. `lowest` and `highest` are those of all data sets of the
    published table. `verdict` is None where nothing was published to agree with."""

    compared: Compared
    measured: Quantity
    published: float | None
    lowest: float | None
    highest: float | None
    verdict: Agreement | None
    why: str | None = None


@dataclass(frozen=True)
class OrderOutcome:
    """An order of columns here and as published, best first; columns without a figure are in
    neither."""

    order: Order
    published: tuple[str, ...]
    measured: tuple[str, ...]
    verdict: Agreement
    why: str | None = None


def judge_compared(
    compared: Compared, preset: Preset, table: Table, published: PublishedTable, beside: str
) -> ComparedOutcome:
    """Two columns of a table, against what the published table says of the data set `beside`."""
    measured = _between(table, preset, compared.figure, compared.first, compared.second)
    every = [_stated(one, compared, preset, published) for one in published.data.values()]
    known = [each for each in every if each is not None]
    stated = _stated(published.data[beside], compared, preset, published)
    low, high = (min(known), max(known)) if known else (None, None)
    if stated is None:
        return ComparedOutcome(compared, measured, None, low, high, None)
    if isinstance(measured, Missing):
        return ComparedOutcome(
            compared, measured, stated, low, high, "cannot tell", measured.reason
        )
    verdict, why = _agreement(compared.figure, stated, measured)
    return ComparedOutcome(compared, measured, stated, low, high, verdict, why)


def judge_order(order: Order, preset: Preset, table: Table, one: PublishedData) -> OrderOutcome:
    """The order of columns, pair by pair, against that of a published data set."""
    stated = one.figures(order.figure)
    values = {
        name: value.point
        for name, called in order.columns.items()
        if called in stated
        and not isinstance(value := table.readings[name].measure(order.figure, preset), Missing)
    }
    sign = -1 if order.figure == "score" else 1
    here = tuple(sorted(values, key=lambda name: sign * values[name]))
    there = tuple(sorted(values, key=lambda name: sign * stated[order.columns[name]]))
    if len(values) < 2:
        return OrderOutcome(order, there, here, "cannot tell", "fewer than two have a figure")
    found = {
        (better, worse): _pair(order, preset, table, stated, better, worse)
        for better, worse in combinations(there, 2)
    }
    return OrderOutcome(order, there, here, *_whole(found))


def side_of(value: Value, measure: Measure) -> Side | None:
    """On which side of "the same" an interval lies; None where it lies on two."""
    if value.low is None or value.high is None:
        return None
    same, width = (0.0, SAME_SCORE) if measure == "score" else (1.0, 0.0)
    if value.low > same + width:
        return "more"
    if value.high < same - width:
        return "less"
    within = same - width <= value.low and value.high <= same + width
    return "same" if within else None


def _between(table: Table, preset: Preset, measure: Measure, first: str, second: str) -> Quantity:
    """The ratio of two columns, or of scores the difference, block by block."""
    from treebench.analysis.expressions.tree import Arithmetic

    sides = [table.readings[name].measure(measure, preset) for name in (first, second)]
    for side in sides:
        if isinstance(side, Missing):
            return side
    figure = figure_of(measure, preset)
    if figure == "best_on_test":
        return _difference(*sides)
    operator: Literal["-", "/"] = "-" if measure == "score" else "/"
    term = Arithmetic(operator, term_of(figure, first), term_of(figure, second))
    return evaluated(table.samples, term)


def _difference(first: Quantity, second: Quantity) -> Quantity:
    """Of two scores that are no figure of an expression, by the ends of both intervals."""
    from treebench.analysis.expressions.evaluate import Value

    if isinstance(first, Missing) or isinstance(second, Missing):
        return first if isinstance(first, Missing) else second
    ends = (first.low, first.high, second.low, second.high)
    point = first.point - second.point
    if any(end is None for end in ends):
        return Value(point, None, None, first.why_no_interval or second.why_no_interval)
    low_1, high_1, low_2, high_2 = (end or 0.0 for end in ends)
    return Value(point, low_1 - high_2, high_1 - low_2)


def _stated(
    one: PublishedData, compared: Compared, preset: Preset, table: PublishedTable
) -> float | None:
    """What was published of the two columns; with equal clocks where it was worked out so."""
    if compared.published is None:
        return None
    if compared.figure == "time" and compared.published == table.lead_of:
        return one.lead.get(preset.lead)
    figures = one.figures(compared.figure)
    first, second = (figures.get(name) for name in compared.published)
    if first is None or second is None:
        return None
    return first - second if compared.figure == "score" else first / second


def _agreement(measure: Measure, stated: float, measured: Value) -> tuple[Agreement, str | None]:
    from treebench.analysis.expressions.evaluate import Value

    there = side_of(Value(stated, stated, stated), measure)
    here = side_of(measured, measure)
    if here is None:
        return "cannot tell", measured.why_no_interval or _both_sides(measure)
    return ("agrees" if here == there else "differs"), None


def _both_sides(measure: Measure) -> str:
    if measure == "score":
        return f"the interval lies on both sides of {SAME_SCORE:g}, below which scores are the same"
    return "the interval lies on both sides of 1"


def _pair(
    order: Order,
    preset: Preset,
    table: Table,
    stated: Mapping[str, float],
    better: str,
    worse: str,
) -> Agreement | None:
    """Whether a pair is in the published order; None where that order has none for it."""
    if order.figure == "score":
        gap = stated[order.columns[better]] - stated[order.columns[worse]]
        if gap <= SAME_SCORE:
            return None
    measured = _between(table, preset, order.figure, better, worse)
    here = None if isinstance(measured, Missing) else side_of(measured, order.figure)
    if here is None or here == "same":
        return "cannot tell"
    wanted: Side = "more" if order.figure == "score" else "less"
    return "agrees" if here == wanted else "differs"


def _whole(found: Mapping[tuple[str, str], Agreement | None]) -> tuple[Agreement, str | None]:
    """The verdict on an order from those on its pairs."""
    told = {pair: verdict for pair, verdict in found.items() if verdict is not None}
    if not told:
        return "cannot tell", f"as published they lie within {SAME_SCORE:g} of each other"
    for wanted in ("differs", "cannot tell"):
        pairs = [" and ".join(pair) for pair, verdict in told.items() if verdict == wanted]
        if pairs:
            return wanted, ("the other way round: " if wanted == "differs" else "open: ") + (
                ", ".join(pairs)
            )
    return "agrees", None
