"""The sweep: every sample that is still missing, in order, each journalled as it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from treebench.plan.order import block_order, schedule
from treebench.runner.local import SampleInterrupted
from treebench.store.row import statuses_to_retake

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from treebench.plan.build import Plan, PlannedCell
    from treebench.store.row import Kind, SampleRow


class Wanted(NamedTuple):
    """A sample that is still to be taken."""

    block: int
    cell: PlannedCell
    kind: Kind = "timed"


class Executor(Protocol):
    """Something that takes a sample of a cell."""

    def of_kind(self, kind: Kind) -> Executor:
        """The same for samples of that kind."""

    def measure(self, cell: PlannedCell, block: int) -> SampleRow:
        """Take one sample; a failure is a row, Ctrl-C is `SampleInterrupted`."""


class RowSink(Protocol):
    """Something that keeps rows."""

    def append(self, row: SampleRow) -> None:
        """Keep one row for good."""


class Progress(Protocol):
    """Something that tells a person how far the sweep is."""

    def started(self, missing: Sequence[Wanted], taken: int) -> None:
        """The samples still to take, in order, and how many an earlier run took."""

    def sample_started(self, wanted: Wanted) -> None:
        """A sample begins."""

    def sample_ended(self, wanted: Wanted, row: SampleRow) -> None:
        """A sample ended, and its row is kept."""


def missing_samples(
    plan: Plan, rows: Collection[SampleRow], chosen: Collection[str], retry_failed: bool
) -> list[Wanted]:
    """The samples to take, in order: those of the `chosen` cells that have no row yet. What
    disturbs its sample comes after all that is timed, and needs no control cell.

    Args:
        plan: what the sweep is.
        rows: the last row of each sample so far.
        chosen: ids of the cells to run; the control cell goes with them.
        retry_failed: also take again what ended badly.
    """
    again = statuses_to_retake(retry_failed)
    done = {(row.kind, row.block, row.cell) for row in rows if row.status not in again}
    order = list(schedule(sorted(chosen), plan.control.id, plan.samples, plan.order_seed))
    timed = [(block, cell) for block, cell in order if ("timed", block, cell) not in done]
    busy_blocks = {block for block, cell in timed if cell in chosen}
    return [
        *(Wanted(block, plan.cell(cell)) for block, cell in timed if block in busy_blocks),
        *(
            Wanted(block, plan.cell(cell), "memory")
            for block in range(plan.memory_samples)
            for cell in block_order(sorted(chosen), block, plan.order_seed)
            if ("memory", block, cell) not in done
        ),
    ]


def run_sweep(
    missing: Sequence[Wanted],
    executor: Executor,
    journal: RowSink,
    progress: Progress,
    taken: int = 0,
) -> None:
    """Take the missing samples.

    Raises:
        KeyboardInterrupt: Ctrl-C; the interrupted sample is in the journal as such.
    """
    progress.started(missing, taken)
    for wanted in missing:
        progress.sample_started(wanted)
        progress.sample_ended(wanted, take(wanted, executor, journal))


def take(wanted: Wanted, executor: Executor, journal: RowSink) -> SampleRow:
    """Take one sample, and keep its row.

    Raises:
        SampleInterrupted: Ctrl-C; the sample is in the journal as such.
    """
    try:
        row = executor.of_kind(wanted.kind).measure(wanted.cell, wanted.block)
    except SampleInterrupted as interrupted:
        journal.append(interrupted.row)
        raise
    journal.append(row)
    return row
