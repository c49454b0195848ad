"""Taking a sample on this machine: one fresh worker process under probes, made into a row."""

from __future__ import annotations

import dataclasses
import datetime
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.measure import environment
from treebench.measure.cgroup import Cgroup
from treebench.measure.registry import TIMED_PROBES
from treebench.measure.tree_memory import TreeMemoryProbe
from treebench.runner.conversation import Conversation, Outcome
from treebench.runner.process import WORKER_COMMAND, Death, WorkerProcess
from treebench.runner.sample_cgroup import sample_cgroup
from treebench.runner.trial import trial_of
from treebench.runner.verdict import judge, kernel_oom_kills
from treebench.runner.worker_environment import worker_environment
from treebench.store.row import ModelFigures, PhaseFigures, SampleError, SampleRow
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from treebench.measure.cgroup import Unavailable
    from treebench.plan.build import PlannedCell
    from treebench.runner.caretaker import Caretaker

READER_DISTRIBUTIONS = ("treebench", "numpy", "scipy", "pyarrow")


class SampleInterrupted(KeyboardInterrupt):
    """Ctrl-C came while a sample ran; `row` records it."""

    def __init__(self, row: SampleRow) -> None:
        super().__init__()
        self.row = row


@dataclass(frozen=True)
class LocalExecutor:
    """Takes samples on this machine, one at a time.

    `folders` are the made data sets by name; `machine` and `code` go into every row.
    """

    run: str
    folders: Mapping[str, Path]
    deadline_s: float
    machine: Mapping[str, Any]
    code: str
    command: Sequence[str] = WORKER_COMMAND
    caretaker: Caretaker | None = None
    latency: bool = False

    def measure(self, cell: PlannedCell, block: int) -> SampleRow:
        """Take one sample. Every failure of the worker is a row.

        Raises:
            SampleInterrupted: Ctrl-C; the worker and its children are gone.
        """
        info = {"started_at": _now(), **environment.state()}
        trial_line = trial_of(cell, self.folders, latency=self.latency).to_line()
        ooms_before = kernel_oom_kills()
        with (
            sample_cgroup(self.caretaker) as cgroup,
            WorkerProcess(
                worker_environment(cell.spec.threads), _inside(cgroup, self.command)
            ) as worker,
        ):
            probes = [*(make() for make in TIMED_PROBES), TreeMemoryProbe(cgroup)]
            for probe in probes:
                probe.attach(worker.pid)
            conversation = Conversation(worker, probes, self.deadline_s, time.monotonic)
            try:
                outcome = conversation.hold(trial_line)
                death = worker.kill() if outcome.ending == "timeout" else worker.end()
            except KeyboardInterrupt:
                death = worker.kill()
                interrupted = self._interrupted(cell, block, info, conversation.outcome)
                raise SampleInterrupted(interrupted) from None
            oom_killed = _oom_killed(cgroup, ooms_before)
        return self._row(cell, block, info, outcome, death, worker.output_tail, oom_killed)

    def _row(
        self,
        cell: PlannedCell,
        block: int,
        info: dict[str, Any],
        outcome: Outcome,
        death: Death,
        output_tail: str,
        oom_killed: bool,
    ) -> SampleRow:
        status, error = judge(outcome, death, output_tail, self.deadline_s, oom_killed)
        bare = self._bare_row(cell, block, info, outcome)
        row = dataclasses.replace(bare, status=status, error=error)
        return row if outcome.ending != "result" else _with_result(row, outcome.message)

    def _bare_row(
        self, cell: PlannedCell, block: int, info: dict[str, Any], outcome: Outcome
    ) -> SampleRow:
        return SampleRow(
            run=self.run,
            cell=cell.id,
            block=block,
            kind="timed",
            status="interrupted",
            spec=cell.spec.to_json(),
            must_match={
                "machine": self.machine["fingerprint"],
                "versions": environment.versions(_distributions(cell)),
                "allocator": environment.allocator(),
                "code": self.code,
            },
            info=info,
            phases=dict(outcome.phases),
        )

    def _interrupted(
        self, cell: PlannedCell, block: int, info: dict[str, Any], outcome: Outcome
    ) -> SampleRow:
        error = SampleError("Interrupted", "the run was interrupted", phase=outcome.phase)
        return dataclasses.replace(self._bare_row(cell, block, info, outcome), error=error)


def _inside(cgroup: Cgroup | Unavailable, command: Sequence[str]) -> Sequence[str]:
    return cgroup.entering(command) if isinstance(cgroup, Cgroup) else command


def _oom_killed(cgroup: Cgroup | Unavailable, kills_before: int | None) -> bool:
    """By the sample's own count where there is one, else by the whole machine's."""
    if isinstance(cgroup, Cgroup):
        return cgroup.oom_kills() > 0
    return kills_before is not None and kernel_oom_kills() != kills_before


def _with_result(row: SampleRow, message: dict[str, Any]) -> SampleRow:
    """The row with what the worker told; the control cell has neither score nor model."""
    model = message.get("model")
    return dataclasses.replace(
        row,
        phases=_with_notes(row.phases, message.get("phase_notes", {})),
        must_match={**row.must_match, "threads_seen": message.get("threads_seen")},
        data_bytes=message.get("data_bytes"),
        score=message.get("score"),
        model=None if model is None else ModelFigures(**model),
        effective_params=message.get("effective_params"),
        latency=message.get("latency"),
    )


def _with_notes(
    phases: Mapping[str, PhaseFigures], notes: Mapping[str, str]
) -> dict[str, PhaseFigures]:
    return {
        name: dataclasses.replace(figures, note=notes.get(name, figures.note))
        for name, figures in phases.items()
    }


def _distributions(cell: PlannedCell) -> tuple[str, ...]:
    if cell.spec.is_control:
        return READER_DISTRIBUTIONS
    return (*READER_DISTRIBUTIONS, TRAINERS[cell.spec.trainer].distribution)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
