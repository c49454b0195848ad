"""All cells of two runs against each other, with false discoveries held over all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scipy import stats

from treebench.analysis.comparing.rule import Bounds, Change, Verdict, bounds_of, change_of, verdict
from treebench.analysis.sample import Missing
from treebench.store.row import FAILED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from treebench.analysis.figures import NamedFigure
    from treebench.store.row import SampleRow

_ORDER: tuple[Verdict, ...] = ("worse", "not comparable", "unclear", "better", "same")
"""The verdict of a cell is the first of these that one of its figures has."""


@dataclass(frozen=True)
class Judged:
    """One figure of one cell: the change, its chance allowed for all others, and the verdict.
    `remark` says what else was looked at where the change alone would have another verdict."""

    figure: NamedFigure
    change: Change
    adjusted: float
    verdict: Verdict
    remark: str | None = None


@dataclass(frozen=True)
class ComparedCell:
    """One cell in both runs. `reasons` say why it is not comparable, what failed anew, and where
    the numbers of samples differ."""

    cell: str
    judged: tuple[Judged, ...]
    reasons: tuple[str, ...] = ()
    new_failures: int = 0

    @property
    def verdict(self) -> Verdict:
        """That of the cell: a figure that got worse is not made up for by another that did not,
        and a sample that fails where none failed is worse too."""
        if self.new_failures:
            return "worse"
        found = {each.verdict for each in self.judged} or {"not comparable"}
        return next(each for each in _ORDER if each in found)


@dataclass(frozen=True)
class Comparison:
    """Two runs compared: the cells both have, and those that only one has. `tests` are the
    changes, over all cells, that chance could have made: not those that repeat exactly."""

    cells: tuple[ComparedCell, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    tests: int = 0


def compare_cells(
    before: Mapping[str, Sequence[SampleRow]],
    after: Mapping[str, Sequence[SampleRow]],
    figures: Iterable[NamedFigure],
    bounds: Callable[[NamedFigure], Bounds] = bounds_of,
    comparable: Callable[[str, NamedFigure], bool] = lambda cell, figure: True,
) -> Comparison:
    """Every figure of every cell that both have, by cell id. `comparable` says whether a figure of
    a cell is the same thing in both; one that is not is left out."""
    by_name = {figure.name: figure for figure in figures}
    both = [cell for cell in before if cell in after]
    changes = {
        (cell, figure.name): change
        for cell in both
        for figure in by_name.values()
        if comparable(cell, figure)
        and (change := _change(before[cell], after[cell], figure)) is not None
    }
    uncertain = {key: each for key, each in changes.items() if not each.deterministic}
    adjusted = _adjusted(uncertain)
    judged: dict[str, list[Judged]] = {cell: [] for cell in both}
    for (cell, name), change in changes.items():
        figure, chance = by_name[name], adjusted.get((cell, name), change.chance)
        found = verdict(change, figure, chance, len(uncertain), bounds(figure))
        judged[cell].append(Judged(figure, change, chance, found))
    cells = tuple(
        ComparedCell(
            cell, tuple(judged[cell]), new_failures=_new_failures(before[cell], after[cell])
        )
        for cell in both
    )
    return Comparison(
        cells,
        tuple(cell for cell in before if cell not in after),
        tuple(cell for cell in after if cell not in before),
        dict(Counter(each.verdict for each in cells)),
        len(uncertain),
    )


def _change(
    before: Sequence[SampleRow], after: Sequence[SampleRow], figure: NamedFigure
) -> Change | None:
    """The change of a figure; None where one side does not have it."""
    first, second = values_of(before, figure), values_of(after, figure)
    if not first or not second:
        return None
    return change_of(first, second, repeatable=_is_simulated([*before, *after], figure))


def values_of(rows: Sequence[SampleRow], figure: NamedFigure) -> list[float]:
    """The figure of each sample that ended well and has it."""
    found = [figure.of(row) for row in rows if row.status == "ok" and row.kind in figure.kinds]
    return [value for value in found if not isinstance(value, Missing)]


def _is_simulated(rows: Sequence[SampleRow], figure: NamedFigure) -> bool:
    """Whether all that have the figure were simulated, with the same outcome each time."""
    kinds = {row.kind for row in rows if values_of([row], figure)}
    return kinds == {"simulated"}


def _adjusted(changes: Mapping[tuple[str, str], Change]) -> dict[tuple[str, str], float]:
    """Chances after Benjamini and Hochberg ("Controlling the false discovery rate", Journal of
    the Royal Statistical Society B 57 (1995))."""
    if not changes:
        return {}
    controlled = stats.false_discovery_control([change.chance for change in changes.values()])
    return dict(zip(changes, map(float, controlled), strict=True))


def _new_failures(before: Sequence[SampleRow], after: Sequence[SampleRow]) -> int:
    """Samples that failed in a cell of which none failed before, or of which none is left."""
    lost = _any_ok(before) and not _any_ok(after)
    if any(row.status in FAILED for row in before) and not lost:
        return 0
    return sum(row.status in FAILED for row in after)


def _any_ok(rows: Sequence[SampleRow]) -> bool:
    return any(row.status == "ok" for row in rows)
