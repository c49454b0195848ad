"""One environment against itself: how often the verdicts cry wolf.

The blocks of one run are dealt to two sides that are the same in all but name, and compared as two
runs would be. Whatever is called worse or better then is a false alarm.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy import stats

from treebench.analysis.comparing.runs import ComparedRuns, PairedCell, compare_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from treebench.analysis.comparing.rules import Rules
    from treebench.analysis.comparing.sides import Side
    from treebench.plan.cell import CellSpec

LEVEL = 0.95


@dataclass(frozen=True)
class Rate:
    """So many of so many, and the interval for the probability behind them (C. J. Clopper and
    E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26 (1934)), of level `LEVEL`. `of` is above zero."""

    alarms: int
    of: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.alarms / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval."""
        found = stats.binomtest(self.alarms, self.of).proportion_ci(LEVEL, method="exact")
        return float(found.low), float(found.high)


@dataclass(frozen=True)
class FalseAlarms:
    """What came of comparing a run with itself, `samples` a side: each comparison, the false
    alarms of each cell over all of them, of all cells together, and of whole comparisons."""

    samples: int
    compared: tuple[ComparedRuns, ...]
    by_cell: dict[str, Rate]
    cells: Rate
    runs: Rate

    @property
    def alarms(self) -> list[tuple[int, PairedCell]]:
        """The false alarms, with the number of their comparison from 1."""
        return [
            (number, cell)
            for number, compared in enumerate(self.compared, 1)
            for cell in compared.cells
            if is_alarm(cell)
        ]

    @property
    def unclear(self) -> int:
        """Cells, over all comparisons, that were left unclear: what quiet costs."""
        return sum(each.counts.get("unclear", 0) for each in self.compared)


def is_alarm(cell: PairedCell) -> bool:
    """Whether a cell was called changed, though nothing did; for better is as wrong as for worse,
    and better can hide behind another figure that is unclear."""
    if cell.compared.new_failures:
        return True
    return any(each.verdict in ("worse", "better") for each in cell.compared.judged)


def false_alarms(
    run: Side,
    samples: int,
    *,
    rules: Rules | None = None,
    matches: Callable[[CellSpec], bool] | None = None,
) -> FalseAlarms | None:
    """Deal a run's blocks to two sides and compare them, `samples` blocks a side at a time.

    None where the run has too few blocks for one comparison, or none has a comparable cell.
    """
    compared = tuple(
        compare_runs(first, second, rules=rules, matches=matches)
        for first, second in _dealt(run, samples)
    )
    cells = [cell for each in compared for cell in each.cells if cell.verdict != "not comparable"]
    if not cells:
        return None
    listed = dict.fromkeys(cell.place for cell in cells)
    return FalseAlarms(
        samples,
        compared,
        {place: _rate([cell for cell in cells if cell.place == place]) for place in listed},
        _rate(cells),
        Rate(sum(any(map(is_alarm, each.cells)) for each in compared), len(compared)),
    )


def _rate(cells: Sequence[PairedCell]) -> Rate:
    return Rate(sum(map(is_alarm, cells)), len(cells))


def _dealt(run: Side, samples: int) -> Iterator[tuple[Side, Side]]:
    """Two sides at a time. Of each two blocks in a row, which visit the cells in opposite orders,
    one goes to each side, and who goes first changes from pair to pair."""
    timed = [row for row in run.rows if row.kind == "timed" and row.status != "interrupted"]
    blocks = sorted({row.block for row in timed})
    pairs = [
        (first, second)[:: -1 if at % 2 else 1]
        for at, (first, second) in enumerate(zip(blocks[::2], blocks[1::2], strict=False))
    ]
    for start in range(0, len(pairs) - samples + 1, samples):
        sides = zip(*pairs[start : start + samples], strict=True)
        first_side, second_side = (
            dataclasses.replace(run, rows=tuple(row for row in timed if row.block in set(chosen)))
            for chosen in sides
        )
        yield first_side, second_side
