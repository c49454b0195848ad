"""The Pareto front of score, time and memory: cells that no other cell betters in all three.

Cells are compared where they answer the same question: one data set, as many rows and features.
A cell is off the front where another is at least as good in every figure and better in one (Pareto
dominance: K. Miettinen, Nonlinear Multiobjective Optimization (1999), section 2.2). Figures are
medians, which repeat only so well: where no cell that dominates lies apart from it by more than
the intervals of both, it is called near the front.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treebench.analysis.scores import lower_is_better, main_score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.statistics import Estimate
    from treebench.analysis.summary import CellSummary, Figure

Standing = Literal["front", "near", "dominated"]


@dataclass(frozen=True)
class Placed:
    """A cell with its standing. `by` is the fastest of the cells on the front that dominate it."""

    cell: CellSummary
    standing: Standing
    by: CellSummary | None = None


@dataclass(frozen=True)
class Front:
    """The cells of one question. `score` names the score compared; `left_out` cells lack one of
    the three figures."""

    dataset: str
    rows: int
    features: int
    score: str
    placed: tuple[Placed, ...]
    left_out: int


_Figures = tuple["Estimate", "Estimate", "Estimate"]
"""Score, time, memory."""
_Losses = tuple[float, float, float]
"""The same, as medians of which less is better."""


def fronts(cells: Sequence[CellSummary]) -> list[Front]:
    """A front for each data set, at the most rows and features that any cell has all figures at."""
    found: dict[str, Front] = {}
    for dataset, rows, features in _questions(cells):
        group = [
            cell
            for cell in cells
            if (cell.spec.dataset, cell.spec.rows, cell.spec.features) == (dataset, rows, features)
        ]
        front = _front(group)
        if dataset not in found and front is not None:
            found[dataset] = front
    return list(found.values())


def _questions(cells: Sequence[CellSummary]) -> list[tuple[str, int, int]]:
    """The data sets in order, the largest sizes first."""
    order = {name: place for place, name in enumerate(dict.fromkeys(c.spec.dataset for c in cells))}
    unique = {(cell.spec.dataset, cell.spec.rows, cell.spec.features) for cell in cells}
    return sorted(unique, key=lambda one: (order[one[0]], -one[1], -one[2]))


def _front(group: Sequence[CellSummary]) -> Front | None:
    """None with fewer than two cells to compare."""
    score = next((name for cell in group if (name := main_score(cell.score))), None)
    if score is None:
        return None
    known = {
        cell.cell: (cell, figures)
        for cell in group
        if (figures := _figures(cell, score)) is not None
    }
    if len(known) < 2:
        return None
    less = lower_is_better(score)
    losses = {name: _losses(figures, less) for name, (_, figures) in known.items()}
    on_front = _on_front(losses)
    placed = [
        _placed(cell, known, [name for name in on_front if _dominates(losses[name], losses[own])])
        for own, (cell, _) in known.items()
    ]
    placed.sort(key=lambda one: known[one.cell.cell][1][1].median)
    spec = group[0].spec
    return Front(
        spec.dataset, spec.rows, spec.features, score, tuple(placed), len(group) - len(known)
    )


def _on_front(losses: Mapping[str, _Losses]) -> list[str]:
    """The cells that none dominates. In ascending order whatever dominates a cell comes before it,
    and if it is not on the front itself, what dominates it does so too."""
    kept: list[str] = []
    for name in sorted(losses, key=losses.__getitem__):
        if not any(_dominates(losses[other], losses[name]) for other in kept):
            kept.append(name)
    return kept


def _figures(cell: CellSummary, score: str) -> _Figures | None:
    named = cell.score.get(score)
    quality = None if named is None else named.estimate
    time, memory = cell.construct_fit_wall_ns.estimate, memory_of(cell).estimate
    if quality is None or time is None or memory is None:
        return None
    return quality, time, memory


def _placed(
    cell: CellSummary, known: Mapping[str, tuple[CellSummary, _Figures]], above: Sequence[str]
) -> Placed:
    """`above` are the cells on the front that dominate the cell."""
    if not above:
        return Placed(cell, "front")
    own = known[cell.cell][1]
    by = min(above, key=lambda name: known[name][1][1].median)
    clear = any(_clearly(known[name][1], own) for name in above)
    return Placed(cell, "dominated" if clear else "near", known[by][0])


def _dominates(one: _Losses, other: _Losses) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1] and one[2] <= other[2]


def _losses(figures: _Figures, less_is_better: bool) -> _Losses:
    score, time, memory = (figure.median for figure in figures)
    return (score if less_is_better else -score), time, memory


def _clearly(one: _Figures, other: _Figures) -> bool:
    """Whether some figure differs by more than both intervals."""
    return any(_apart(a, b) for a, b in zip(one, other, strict=True))


def _apart(one: Estimate, other: Estimate) -> bool:
    """A single sample, which has no interval, tells nothing apart."""
    if one.interval is None or other.interval is None:
        return False
    return one.interval.high < other.interval.low or other.interval.high < one.interval.low


def memory_of(cell: CellSummary) -> Figure:
    """The memory that is compared: the worker's peak RSS up to the end of fit; where training is
    in several processes, of which that is a part, the peak of the tree with shared pages once."""
    several = cell.summed_rss_peak_bytes.estimate is not None
    return cell.tree_peak_bytes if several else cell.peak_rss_bytes
