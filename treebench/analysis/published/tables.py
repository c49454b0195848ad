"""A preset's table on one data set, judged against what was published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.control import summarise_control
from treebench.analysis.published.readings import read_table
from treebench.analysis.published.verdicts import judge_compared, judge_order
from treebench.plan.cell import CONTROL_TRAINER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.published.readings import ColumnCell, Reading
    from treebench.analysis.published.verdicts import ComparedOutcome, OrderOutcome
    from treebench.config.comparisons import Preset, PresetData, PublishedTable
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class JudgedTable:
    """What was measured and what it says. `reached` is the score whose time is in `readings`;
    `why` tells what hindered a table that has no readings."""

    preset: Preset
    entry: PresetData
    dataset: str
    rows: int
    readings: tuple[Reading, ...]
    reached: float | None
    compared: tuple[ComparedOutcome, ...]
    orders: tuple[OrderOutcome, ...]
    conditions: tuple[str, ...]
    published: PublishedTable | None
    run: str | None
    why: str | None = None

    @property
    def main(self) -> ComparedOutcome | None:
        """What the table's sentence is of."""
        return next((each for each in self.compared if each.compared.main), None)


def judged(
    *,
    planned: Sequence[ColumnCell],
    rows: Sequence[SampleRow],
    specs: Mapping[str, CellSpec],
    preset: Preset,
    entry: PresetData,
    dataset: str,
    published: PublishedTable,
    conditions: Sequence[str],
    n_rows: int,
    run: str,
) -> JudgedTable:
    """The table of the columns `planned`, from the samples of their run."""
    table = read_table(preset, planned, rows, specs)
    beside = entry.beside
    return JudgedTable(
        preset=preset,
        entry=entry,
        dataset=dataset,
        rows=n_rows,
        readings=tuple(table.readings.values()),
        reached=table.reached,
        compared=tuple(
            judge_compared(each, preset, table, published, beside) for each in preset.compares
        ),
        orders=tuple(
            judge_order(each, preset, table, published.data[beside]) for each in preset.orders
        ),
        conditions=(*conditions, *_unsteady(rows)),
        published=published,
        run=run,
    )


def untold(preset: Preset, dataset: str, entry: PresetData, why: str) -> JudgedTable:
    """A table whose sweep could not be run at all."""
    return JudgedTable(preset, entry, dataset, 0, (), None, (), (), (), None, None, why)


def _unsteady(rows: Sequence[SampleRow]) -> list[str]:
    control = summarise_control([row for row in rows if row.spec["trainer"] == CONTROL_TRAINER])
    if control is None or not control.unsteady:
        return []
    return [
        f"the machine was not steady: the control cell's samples lie {control.low_percent:.0f} to "
        f"{control.high_percent:+.0f} % from their median; measure again when it is idle"
    ]
