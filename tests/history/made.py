"""Nights as runs would leave them, with changes planted; and re-runs without any process."""

from __future__ import annotations

import dataclasses
import datetime
import random
from typing import TYPE_CHECKING, Any

from tests.analysis.comparing.two_runs import MATCHING, cells, side, slower
from tests.analysis.rows import CONTROL, sample
from treebench.analysis.comparing.runs import ComparedRuns, compare_runs
from treebench.history.night import Night, name_of
from treebench.history.parts import read_history, write_night
from treebench.history.settling import settle
from treebench.history.suspects import Known, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from treebench.history.findings import Finding
    from treebench.history.parts import History
    from treebench.history.settling import NotRerun
    from treebench.history.suspects import Judgement
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

    Change = Callable[[SampleRow], SampleRow]

CELLS = cells()
FIRST, SECOND = CELLS[0], CELLS[1]
REQUIREMENTS = ("lightgbm==4.5.0", "numpy==2.1.0", "xgboost==3.1.0")
NEWER = ("lightgbm==4.6.0", "numpy==2.1.0", "xgboost==3.2.0")
START = datetime.datetime(2026, 3, 1, 1, tzinfo=datetime.UTC)


def name(day: int) -> str:
    """The night so many days after the first."""
    return name_of(START + datetime.timedelta(days=day))


def rows(
    day: int,
    samples: int = 3,
    noise: float = 0.004,
    change: Change = lambda row: row,
    listed: Sequence[CellSpec] = CELLS,
    **must: Any,
) -> list[SampleRow]:
    """A night's samples, the control cell in each block."""
    draw = random.Random(day)  # noqa: S311
    return [
        change(
            dataclasses.replace(
                sample(cell, block, draw.lognormvariate(0, noise)), must_match=MATCHING | must
            )
        )
        for block in range(samples)
        for cell in (CONTROL, *listed)
    ]


def of_cell(cell: CellSpec, change: Change) -> Change:
    """The change, of one cell alone."""
    return lambda row: change(row) if row.cell == cell.id else row


def put_night(
    folder: Path,
    day: int,
    made: Sequence[SampleRow],
    requirements: tuple[str, ...] = REQUIREMENTS,
    **more: Any,
) -> Night:
    planned = frozenset(row.cell for row in made if row.cell != CONTROL.id)
    facts: dict[str, Any] = {"planned": planned} | more
    night = Night(name(day), "tiny", "3.11.7", requirements, (), **facts)
    write_night(folder, night, made)
    return night


def judged(folder: Path, known: Known | None = None) -> tuple[History, Judgement]:
    """The last night of the history there, every cell of it looked at."""
    history = read_history(folder)
    chosen = [cell for cell in history.nights[-1].specs() if cell != CONTROL.id]
    return history, judge(history, chosen, CONTROL.id, known or Known())


class Reruns:
    """Measures again without measuring: both sides from the same noise, one of them changed.
    `asked` are the calls: cells, the good night's name, rounds."""

    def __init__(self, change: Change = lambda row: row, refusal: NotRerun | None = None) -> None:
        self.change, self.refusal = change, refusal
        self.asked: list[tuple[tuple[str, ...], str, int]] = []

    def __call__(self, cells: Sequence[str], good: Night, rounds: int) -> ComparedRuns | NotRerun:
        self.asked.append((tuple(cells), good.name, rounds))
        if self.refusal is not None:
            return self.refusal
        listed = [cell for cell in CELLS if cell.id in cells]
        before = rows(1000, rounds, listed=listed)
        after = rows(2000, rounds, listed=listed, change=self.change)
        return compare_runs(side(before, listed), side(after, listed))


def found(folder: Path, reruns: Reruns, known: Known | None = None) -> list[Finding]:
    """What the last night finds."""
    history, judgement = judged(folder, known)
    nights = {each.name: each for each in history.nights}
    return settle(judgement.suspects, nights, history.nights[-1], reruns)


def slower_cell(cell: CellSpec, factor: float) -> Change:
    return of_cell(cell, lambda row: slower(row, factor))
