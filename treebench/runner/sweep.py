"""The sweep: every sample that is still missing, in order, each journalled as it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from treebench.plan.order import schedule
from treebench.runner.local import SampleInterrupted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from treebench.plan.build import Plan, PlannedCell
    from treebench.store.row import SampleRow

# An interrupted sample says nothing of its cell, so the next run takes it again.
_UNFINISHED = frozenset({"interrupted"})


class Executor(Protocol):
    """Something that takes a sample of a cell."""

    def measure(self, cell: PlannedCell, block: int) -> SampleRow:
        """Take one sample; a failure is a row, Ctrl-C is `SampleInterrupted`."""


class RowSink(Protocol):
    """Something that keeps rows."""

    def append(self, row: SampleRow) -> None:
        """Keep one row for good."""


class Progress(Protocol):
    """Something that tells a person how far the sweep is."""

    def started(self, missing: Sequence[PlannedCell], taken: int) -> None:
        """The samples still to take, in order, and how many an earlier run took."""

    def sample_started(self, cell: PlannedCell, block: int) -> None:
        """A sample begins."""

    def sample_ended(self, cell: PlannedCell, row: SampleRow) -> None:
        """A sample ended, and its row is kept."""


def missing_samples(
    plan: Plan, rows: Collection[SampleRow], chosen: Collection[str], retry_failed: bool
) -> list[tuple[int, PlannedCell]]:
    """The samples to take, in order: those of the `chosen` cells that have no row yet.

    Args:
        plan: what the sweep is.
        rows: the last row of each sample so far.
        chosen: ids of the cells to run; the control cell goes with them.
        retry_failed: also take again what ended badly.
    """
    redo = {"ok", "unsupported"} if retry_failed else None
    done = {
        (row.block, row.cell)
        for row in rows
        if row.kind == "timed"
        and row.status not in _UNFINISHED
        and (redo is None or row.status in redo)
    }
    order = list(schedule(sorted(chosen), plan.control.id, plan.samples, plan.order_seed))
    busy_blocks = {block for block, cell in order if cell in chosen and (block, cell) not in done}
    return [
        (block, plan.cell(cell))
        for block, cell in order
        if (block, cell) not in done and block in busy_blocks
    ]


def run_sweep(
    missing: Sequence[tuple[int, PlannedCell]],
    executor: Executor,
    journal: RowSink,
    progress: Progress,
    taken: int = 0,
) -> None:
    """Take the missing samples.

    Raises:
        KeyboardInterrupt: Ctrl-C; the interrupted sample is in the journal as such.
    """
    progress.started([cell for _, cell in missing], taken)
    for block, cell in missing:
        progress.sample_started(cell, block)
        try:
            row = executor.measure(cell, block)
        except SampleInterrupted as interrupted:
            journal.append(interrupted.row)
            raise
        journal.append(row)
        progress.sample_ended(cell, row)
