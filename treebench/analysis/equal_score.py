"""What it costs to come to the same score: cells that differ in their number of trees, compared at
a score in place of a number of trees.

A sharded forest's trees have each seen a part of the rows, so as many of them are a weaker model;
cheap at equal trees says little. Between two numbers of trees that were measured, trees and costs
are taken to grow in a straight line with the score; outside of what was measured nothing is said.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from treebench.analysis.axes import all_but, axis_value
from treebench.analysis.scores import lower_is_better, main_score

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from treebench.analysis.statistics import Estimate
    from treebench.analysis.summary import CellSummary, Figure

TREES = "n_estimators"

How = Literal["interpolated", "measured", "at most", "not reached"]
"""`at most`: the fewest trees measured reach it already, so fewer may do."""

Costs = dict[str, "Callable[[CellSummary], Figure]"]
"""What can be paid, by name, and how it is had from a cell."""


@dataclass(frozen=True)
class Crossing:
    """Where a series comes to the target; `value` None where it does not."""

    how: How
    value: float | None


@dataclass(frozen=True)
class Price:
    """What the target costs. `low` and `high` come from the ends of the intervals of costs and
    scores; None: not bounded on that side by what was measured, or (both) one sample only."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SeriesAtScore:
    """One series: its cells by their number of trees, and what the target takes of it."""

    cells: tuple[CellSummary, ...]
    best: float
    how: How
    trees: float | None
    prices: dict[str, Price]


@dataclass(frozen=True)
class EqualScore:
    """The series of one data set at one score. `common`: the target is the best score that all
    of them reach. `single` counts the cells left out, since nothing differs from them in the
    number of trees alone; `without_score` those that no sample gave a score."""

    dataset: str
    rows: int
    features: int
    score: str
    target: float
    common: bool
    series: tuple[SeriesAtScore, ...] = ()
    single: int = 0
    without_score: int = 0


@dataclass(frozen=True)
class _Point:
    """One number of trees. `good` and a cost: (value, best end, worst end)."""

    trees: float
    good: tuple[float, float | None, float | None]
    costs: Mapping[str, tuple[float, float | None, float | None] | None] = field(
        default_factory=dict
    )


def equal_scores(
    cells: Sequence[CellSummary], costs: Costs, target: float | None = None
) -> list[EqualScore]:
    """The comparison of each data set (at its row and feature counts) in which trees vary.

    Args:
        cells: of one run.
        costs: what to price.
        target: the score to reach; None is the best one that all series reach.
    """
    groups: dict[Hashable, list[CellSummary]] = defaultdict(list)
    for cell in cells:
        if axis_value(cell.spec, TREES) is not None:
            groups[cell.spec.dataset, cell.spec.rows, cell.spec.features].append(cell)
    made = (_compared(group, costs, target) for group in groups.values())
    return [one for one in made if one is not None]


def _compared(
    cells: Sequence[CellSummary], costs: Costs, target: float | None
) -> EqualScore | None:
    name = main_score({score: None for cell in cells for score in cell.score})
    if name is None:
        return None
    scored = [cell for cell in cells if name in cell.score and cell.score[name].estimate]
    families: dict[str, list[CellSummary]] = defaultdict(list)
    for cell in scored:
        families[all_but(cell.spec, {TREES})].append(cell)
    several = [sorted(each, key=_trees) for each in families.values() if len(each) > 1]
    if not several:
        return None
    sign = -1.0 if lower_is_better(name) else 1.0
    points = [[_point(cell, name, sign, costs) for cell in each] for each in several]
    best = [max(point.good[0] for point in each) for each in points]
    aim = min(best) if target is None else sign * target
    spec = cells[0].spec
    return EqualScore(
        dataset=spec.dataset,
        rows=spec.rows,
        features=spec.features,
        score=name,
        target=sign * aim,
        common=target is None,
        series=tuple(
            _at_score(tuple(each), of_each, aim, sign * top, costs)
            for each, of_each, top in zip(several, points, best, strict=True)
        ),
        single=len(scored) - sum(map(len, several)),
        without_score=len(cells) - len(scored),
    )


def _trees(cell: CellSummary) -> float:
    return axis_value(cell.spec, TREES) or 0


def _point(cell: CellSummary, score: str, sign: float, costs: Costs) -> _Point:
    known = cell.score[score].estimate
    assert known is not None  # noqa: S101 - only cells with a score come here
    value, low, high = _ends(known)
    good = (value, high, low) if sign > 0 else (-value, _negative(low), _negative(high))
    priced = {name: pick(cell).estimate for name, pick in costs.items()}
    ends = {name: None if one is None else _ends(one) for name, one in priced.items()}
    return _Point(_trees(cell), good, ends)


def _ends(known: Estimate) -> tuple[float, float | None, float | None]:
    interval = known.interval
    return (
        (known.median, None, None)
        if interval is None
        else (
            known.median,
            interval.low,
            interval.high,
        )
    )


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _at_score(
    cells: tuple[CellSummary, ...],
    points: Sequence[_Point],
    aim: float,
    best: float,
    costs: Costs,
) -> SeriesAtScore:
    trees = crossing([(point.good[0], point.trees) for point in points], aim)
    prices = {name: _price(points, name, aim) for name in costs}
    return SeriesAtScore(cells, best, trees.how, trees.value, prices)


def _price(points: Sequence[_Point], name: str, aim: float) -> Price:
    """The value, and its ends where every point has them: cheapest if each score is as good and
    each cost as low as its interval allows, dearest if both are as bad."""
    value, low, high = (_end(points, name, aim, end) for end in (0, 1, 2))
    if value is None or value.value is None:
        return Price(None)
    return Price(
        value.value,
        # Where fewer trees than were measured may do, there is no lower end.
        None if low is None or low.how == "at most" else low.value,
        None if high is None else high.value,
    )


def _end(points: Sequence[_Point], name: str, aim: float, end: int) -> Crossing | None:
    pairs = []
    for point in points:
        cost = point.costs[name]
        good, paid = point.good[end], None if cost is None else cost[end]
        if good is None or paid is None:
            return None
        pairs.append((good, paid))
    return crossing(pairs, aim)


def crossing(points: Sequence[tuple[float, float]], aim: float) -> Crossing:
    """Where a line through points first comes to `aim`.

    Args:
        points: (goodness, value), in the order of growing effort; goodness need not grow.
        aim: the goodness to reach.
    """
    for position, (good, value) in enumerate(points):
        if good < aim:
            continue
        if good == aim:
            return Crossing("measured", value)
        if position == 0:
            return Crossing("at most", value)
        before, earlier = points[position - 1]
        share = (aim - before) / (good - before)
        return Crossing("interpolated", earlier + share * (value - earlier))
    return Crossing("not reached", None)
