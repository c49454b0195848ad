"""The search: many points at little expense, the better ones of them at more (successive halving).

K. Jamieson and A. Talwalkar, Non-stochastic Best Arm Identification and Hyperparameter
Optimization (2016). Fidelity grows by rows and by trees; all points of a rung are scored on the
same validation rows, so that they differ by themselves alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from treebench.picking.cells import Size
from treebench.picking.proposals import Proposals
from treebench.picking.space import dimensions, learners, smallest_point, starting_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.picking.bench import Bench
    from treebench.picking.question import Question
    from treebench.picking.screen import Fit
    from treebench.picking.space import Holding, Learner, Point
    from treebench.picking.tried import Tried

_WHOLE_BELOW = 10_000
"""So few rows are searched at once and in full: smaller parts would save no time that shows."""
_MANY_VALUES = 1_000_000
_TREES_OF_MANY_VALUES = 100
_SMALLEST, _LARGEST = 8_000, 40_000
_SHARES = (16, 4)
_TREES = (150, 300)
_PROPOSED = 16
"""Proposals of the first rung, beside the starting points."""
_KEPT = 3
"""One in so many goes on to the next rung."""
_FEWEST_KEPT = 3
_TIME_SHARES = (0.5, 0.7, 0.9)
"""Of the time that pilots left, until when new samples of a rung are begun."""
_LONGEST_SHARE = 0.25
_MOST_REFUSED = 200
_MOST_LEAN = 3
_CLEARLY_LEANER = 0.95
_SEEDS = (1, 2)
_FINALISTS = 2


class Rung(NamedTuple):
    """A level of fidelity: its rows, its most trees, and the share of the time it may run into."""

    number: int
    rows: int
    trees: int | None
    time_share: float


@dataclass(frozen=True)
class Candidate:
    """A point of the last rung that any came to. `fit` is the point with as many trees as its best
    iteration, held as it would be on the whole data; `tried` its samples there, one per seed."""

    point: Point
    fit: Fit
    tried: tuple[Tried, ...]

    @property
    def losses(self) -> tuple[float, ...]:
        """The loss of each seed."""
        return tuple(loss for each in self.tried if (loss := each.loss) is not None)

    @property
    def loss(self) -> float:
        """The mean over seeds."""
        return fmean(self.losses)


def rungs(search_rows: int, values_per_row: int = 1) -> list[Rung]:
    """The levels for so many rows: three for many; for few one, or where a row has many values
    (features, and once more for each class) two, the first with few trees."""
    if search_rows <= _WHOLE_BELOW:
        whole = Rung(0, search_rows, None, _TIME_SHARES[-1])
        if search_rows * values_per_row <= _MANY_VALUES:
            return [whole]
        few_trees = Rung(0, search_rows, _TREES_OF_MANY_VALUES, _TIME_SHARES[0])
        return [few_trees, whole._replace(number=1)]
    first = min(max(search_rows // _SHARES[0], _SMALLEST), _LARGEST)
    middle = search_rows // _SHARES[1]
    sizes = [first, *([middle] if middle >= 2 * first else []), search_rows]
    trees = [*_TREES[: len(sizes) - 1], None]
    shares = [*_TIME_SHARES[: len(sizes) - 1], _TIME_SHARES[-1]]
    return [Rung(n, *level) for n, level in enumerate(zip(sizes, trees, shares, strict=True))]


def values_per_row(question: Question) -> int:
    """What a tree goes through for each row: all stored values, once for each class."""
    manifest = question.search_manifest
    classes = len(manifest.classes) if manifest.task == "multiclass" else 1
    stored = manifest.train_stored_entries / max(1, manifest.train_rows)
    return round(stored) * classes


def possible_learners(bench: Bench) -> list[Learner]:
    """Those of which some point may be run: if the smallest may not, none may."""
    every = learners(bench.cells.question)
    return [one for one in every if bench.screen.fit(smallest_point(one)) is not None]


def search(bench: Bench) -> list[Candidate]:
    """The candidates, best first; none where no point may be run."""
    question = bench.cells.question
    levels = rungs(question.search_rows, values_per_row(question))
    possible = possible_learners(bench)
    if not possible:
        return []
    first = len([one for one in possible if _start(bench, one)]) + _PROPOSED
    bench.told.expect(first + _expected_above(levels, first))
    tried = _first_rung(bench, possible, levels[0])
    for level in levels[1:]:
        tried = _next_rung(bench, tried, level)
    return _with_seeds(bench, _candidates(bench, tried))


def _first_rung(bench: Bench, possible: Sequence[Learner], level: Rung) -> list[Tried]:
    """The starting point of each learner, then proposals. What an earlier call tried is known."""
    proposals = Proposals(possible, bench.cells.question.seed)
    held: dict[Point, Tried] = {}
    earlier = [each for each in bench.state.tried if _answers(bench, each, possible)]
    for each in earlier:
        if each.loss is not None:
            held[each.point] = each
            proposals.learn(each.point, each.loss)
    for learner in possible:
        point = _start(bench, learner)
        if point is None or point in held:
            continue
        if held and not bench.has_time(level.time_share):
            break
        if _try_at(bench, point, level, held):
            loss = held[point].loss
            if loss is not None:
                proposals.learn(point, loss)
    beyond_starts = [one for one in earlier if one.point not in starting_points(one.point.learner)]
    wanted = max(0, _PROPOSED - len(beyond_starts))
    refused = 0
    while wanted > 0 and refused < _MOST_REFUSED and bench.has_time(level.time_share):
        trial, point = proposals.ask()
        known = held.get(point)
        if known is None and _try_at(bench, point, level, held):
            known = held[point]
            wanted -= 1
        else:
            refused += 1
        proposals.tell(trial, None if known is None else known.loss)
    return list(held.values())


def _start(bench: Bench, learner: Learner) -> Point | None:
    """Where its search begins: the first of the starting points that keeps to the budget."""
    return next((p for p in starting_points(learner) if bench.screen.fit(p) is not None), None)


def _answers(bench: Bench, tried: Tried, possible: Sequence[Learner]) -> bool:
    """Whether a sample of an earlier call is one of the first rung of this one: of a learner that
    is searched now, on as many threads, and of a point that keeps to this budget. Those of further
    seeds are of finalists, and say how far a score spreads."""
    if tried.rung != 0 or tried.size.seed != 0 or tried.point.learner not in possible:
        return False
    cell = bench.cells.cell(tried.point, tried.holding, tried.size)
    same = not isinstance(cell, str) and cell.id == tried.cell
    return same and bench.screen.fit(tried.point) is not None


def _try_at(bench: Bench, point: Point, level: Rung, held: dict[Point, Tried]) -> bool:
    """Whether the point may be run; if so, its sample is in `held`."""
    fit = bench.screen.fit(point)
    if fit is None:
        return False
    size = Size(level.rows, level.trees)
    if held and _takes_too_long(bench, point, fit.holding, size, level):
        return False
    tried = bench.try_point(point, fit.holding, level.number, size, f"rung {level.number + 1}")
    if tried is None:
        return False
    held[point] = tried
    return True


def _takes_too_long(bench: Bench, point: Point, holding: Holding, size: Size, level: Rung) -> bool:
    """Whether one sample is foreseen to take much of the time that is left: of the first rung more
    than a quarter, which many are to share, of others all of it."""
    cell = bench.cells.cell(point, holding, size)
    seconds = None if isinstance(cell, str) else bench.foresight.seconds(cell)
    if seconds is None or isinstance(cell, str) or bench.state.find(cell.id) is not None:
        return False
    longest = (_LONGEST_SHARE if level.number == 0 else 1.0) * bench.left_s
    bench.hurried |= seconds.mid > longest
    return seconds.mid > longest


def _next_rung(bench: Bench, below: Sequence[Tried], level: Rung) -> list[Tried]:
    """The better points of the rung below, tried at this one. Those that time did not allow are
    left where they were, unless none was tried at all: then the best of them goes on."""
    going_on = promoted(bench, below)
    held: dict[Point, Tried] = {}
    for each in going_on:
        # One at least comes to the end, or there would be nothing to prove.
        if held and not bench.has_time(level.time_share):
            break
        _try_at(bench, each.point, level, held)
    ended = [each for each in held.values() if each.loss is not None]
    return ended or going_on


def promoted(bench: Bench, below: Sequence[Tried]) -> list[Tried]:
    """The best by loss; where time is what counts, also those that none beats in both; and a few
    that are worse but need less memory."""
    scored = [each for each in below if each.loss is not None]
    scored.sort(key=lambda each: each.loss or 0.0)
    kept = scored[: max(_FEWEST_KEPT, len(scored) // _KEPT)]
    if bench.cells.question.minimise == "time":
        kept += [each for each in _quickest_of_their_score(scored) if each not in kept]
    lean = [each for each in _leanest_of_their_score(bench, scored) if each not in kept]
    return [*kept, *lean[:_MOST_LEAN]]


def _quickest_of_their_score(scored: Sequence[Tried]) -> list[Tried]:
    """Those, of points in order of their loss, that are faster than all that are better."""
    front: list[Tried] = []
    fastest = float("inf")
    for each in scored:
        if each.wall_s is not None and each.wall_s < fastest:
            front.append(each)
            fastest = each.wall_s
    return front


def _leanest_of_their_score(bench: Bench, scored: Sequence[Tried]) -> list[Tried]:
    """Those, of points in order of their loss, that need less memory on all rows than all that are
    better: without them the frontier would show one end only."""
    front: list[Tried] = []
    least = float("inf")
    for each in scored:
        fit = bench.screen.fit(each.point)
        if fit is not None and fit.memory.mid < _CLEARLY_LEANER * least:
            front.append(each)
            least = fit.memory.mid
    return front


def _candidates(bench: Bench, tried: Sequence[Tried]) -> list[Candidate]:
    found = [
        Candidate(each.point, fit, (each,))
        for each in tried
        if each.loss is not None and (fit := bench.screen.fit(stopped(each))) is not None
    ]
    return sorted(found, key=lambda one: one.loss)


def stopped(tried: Tried) -> Point:
    """The point with the trees of its best iteration."""
    names = {each.name for each in dimensions(tried.point.learner)}
    if tried.best_iteration is None or "n_estimators" not in names:
        return tried.point
    return tried.point.with_values(n_estimators=tried.best_iteration)


def _with_seeds(bench: Bench, candidates: list[Candidate]) -> list[Candidate]:
    """The first few spread over seeds, and all put in order anew."""
    spread = []
    for one in candidates[:_FINALISTS]:
        seeded = [
            again
            for seed in _SEEDS
            if bench.within(1.0)
            and (
                again := bench.try_point(
                    one.point,
                    one.tried[0].holding,
                    one.tried[0].rung,
                    Size(one.tried[0].size.rows, one.tried[0].size.trees, seed),
                    "seeds",
                )
            )
            and again.loss is not None
        ]
        spread.append(Candidate(one.point, one.fit, (*one.tried, *seeded)))
    # A mean of three is no luckier than a single one: those without seeds stay behind.
    return [*sorted(spread, key=lambda one: one.loss), *candidates[_FINALISTS:]]


def _expected_above(levels: Sequence[Rung], first: int) -> int:
    more, count = 0, first
    for _ in levels[1:]:
        count = max(_FEWEST_KEPT, count // _KEPT) + _MOST_LEAN
        more += count
    return more + _FINALISTS * len(_SEEDS) + 1
