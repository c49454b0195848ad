"""Samples of kind `simulated`: a small copy of each cell under callgrind, after all that is timed.

Their rows bear the cell's own id and definition, and under `counters.reduced` the size that was
simulated. They have no times, memory or score: under callgrind those say nothing.

Cells whose small copies are the same (those that differ in threads or memory limit alone, say) are
simulated once, and each has the figures in a row of its own.

Callgrind follows no child: of a trainer whose trees grow in other processes it would count what
the parent does to hand them out. Such a cell has a row that is `unsupported`, and says so.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treebench.measure.counters import COUNTED_PHASES
from treebench.plan.order import block_order
from treebench.plan.reduce import Reduced, reduced
from treebench.runner.counting import CallgrindCounting
from treebench.runner.local import LocalExecutor, SampleInterrupted
from treebench.runner.sweep import Wanted
from treebench.store.row import statuses_to_retake
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Collection

    from treebench.measure.counters import Choice
    from treebench.plan.build import Plan, PlannedCell
    from treebench.runner.sweep import Executor
    from treebench.store.row import Kind, SampleRow

_NOT_FOLLOWED = "its trees grow in processes of their own, which callgrind does not follow"


@dataclass(frozen=True)
class SimulatedExecutor:
    """Takes simulated samples through `local`, at shares of each cell's rows and trees; samples
    of any other kind are `timed`'s. `taken` are the samples that ended well so far, by the id of
    the small copy."""

    timed: LocalExecutor
    local: LocalExecutor
    choice: Choice
    rows_share: float
    trees_share: float
    taken: dict[str, SampleRow] = field(default_factory=dict)

    def of_kind(self, kind: Kind) -> Executor:
        """Itself for what is simulated."""
        return self if kind == "simulated" else self.timed.of_kind(kind)

    def measure(self, cell: PlannedCell, block: int) -> SampleRow:
        """Take one sample, or give the one that was taken of the same small copy.

        Raises:
            SampleInterrupted: Ctrl-C; the worker is gone.
        """
        if not _can_be_simulated(cell):
            return self._refused(cell, block)
        small = reduced(cell, self.rows_share, self.trees_share)
        if small.cell.id in self.taken:
            return _shared(self.taken[small.cell.id], cell, small)
        try:
            row = _of_cell(self._simulate(small, block), cell)
        except SampleInterrupted as interrupted:
            raise SampleInterrupted(_of_cell(interrupted.row, cell)) from None
        if row.status == "ok":
            self.taken[small.cell.id] = row
        return row

    def _refused(self, cell: PlannedCell, block: int) -> SampleRow:
        under = dataclasses.replace(self.local, kind="simulated")
        counters = {
            "tier": "simulated",
            "absent": self.choice.absent,
            "phases": {},
            "missing": dict.fromkeys(COUNTED_PHASES, _NOT_FOLLOWED),
            "running_pct": {},
        }
        row = under.unsupported(cell, block, _NOT_FOLLOWED)
        return dataclasses.replace(row, counters=counters)

    def _simulate(self, small: Reduced, block: int) -> SampleRow:
        executor = dataclasses.replace(
            self.local,
            kind="simulated",
            latency=False,
            counting=lambda _block: CallgrindCounting(
                self.choice, small.size, self.local.caretaker
            ),
        )
        return executor.measure(small.cell, block)


def taken_simulated(
    plan: Plan, rows: Collection[SampleRow], rows_share: float, trees_share: float
) -> dict[str, SampleRow]:
    """What an earlier run of the same sweep simulated well, by the id of the small copy."""
    return {
        reduced(plan.cells[row.cell], rows_share, trees_share).cell.id: row
        for row in rows
        if row.kind == "simulated" and row.status == "ok" and row.cell in plan.cells
    }


def rows_needed(
    plan: Plan, chosen: Collection[str], rows_share: float, trees_share: float
) -> dict[str, list[int]]:
    """The row counts of the small copies, by data set."""
    wanted: dict[str, set[int]] = {}
    for cell in (plan.cells[cell_id] for cell_id in chosen):
        if not _can_be_simulated(cell):
            continue
        small = reduced(cell, rows_share, trees_share).cell.spec
        wanted.setdefault(small.dataset, set()).add(small.rows)
    return {name: sorted(rows) for name, rows in wanted.items()}


def missing_simulated(
    plan: Plan, rows: Collection[SampleRow], chosen: Collection[str], retry_failed: bool
) -> list[Wanted]:
    """One sample per chosen cell that has none yet; the figures repeat, so one is enough."""
    again = statuses_to_retake(retry_failed)
    done = {row.cell for row in rows if row.kind == "simulated" and row.status not in again}
    order = block_order(sorted(chosen), 0, plan.order_seed)
    return [Wanted(0, plan.cell(cell), "simulated") for cell in order if cell not in done]


def _can_be_simulated(cell: PlannedCell) -> bool:
    return not TRAINERS[cell.spec.trainer].starts_processes


def _shared(row: SampleRow, cell: PlannedCell, small: Reduced) -> SampleRow:
    """The sample of another cell as this one's: the same figures, its own shares of its size."""
    counters = {**(row.counters or {}), "reduced": dict(small.size)}
    return dataclasses.replace(
        row,
        cell=cell.id,
        spec=cell.spec.to_json(),
        counters={"shared_with": row.cell, **counters},
    )


def _of_cell(row: SampleRow, cell: PlannedCell) -> SampleRow:
    return dataclasses.replace(
        row,
        cell=cell.id,
        spec=cell.spec.to_json(),
        phases={},
        data_bytes=None,
        score=None,
        model=None,
        effective_params=None,
    )
