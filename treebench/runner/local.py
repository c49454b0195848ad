"""Taking a sample on this machine: one fresh worker process under probes, made into a row."""

from __future__ import annotations

import dataclasses
import datetime
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.errors import DataError
from treebench.measure import environment
from treebench.measure.cgroup import Cgroup
from treebench.measure.pss_sampler import PssProbe
from treebench.measure.registry import TIMED_PROBES
from treebench.measure.summed_memory import SummedMemoryProbe
from treebench.measure.tree_memory import TreeMemoryProbe, open_cgroup
from treebench.runner.caretaker_process import MARK_VARIABLE
from treebench.runner.conversation import Conversation, Outcome
from treebench.runner.counting import uncounted
from treebench.runner.memory_limit import memory_guard
from treebench.runner.process import WORKER_COMMAND, WorkerProcess
from treebench.runner.sample_cgroup import sample_cgroup
from treebench.runner.sample_folders import sample_folders
from treebench.runner.trial import trial_of
from treebench.runner.verdict import judge, kernel_oom_kills
from treebench.runner.worker_environment import worker_environment
from treebench.store.row import ModelFigures, PhaseFigures, SampleError, SampleRow
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from treebench.measure.cgroup import Unavailable
    from treebench.plan.build import PlannedCell
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.counting import Counting
    from treebench.runner.elsewhere import Elsewhere
    from treebench.runner.memory_limit import Guard, LimitKill
    from treebench.store.row import Kind, Status
    from treebench.worker.protocol import Trial

READER_DISTRIBUTIONS = ("treebench", "numpy", "scipy", "pyarrow")


class SampleInterrupted(KeyboardInterrupt):
    """Ctrl-C came while a sample ran; `row` records it."""

    def __init__(self, row: SampleRow) -> None:
        super().__init__()
        self.row = row


@dataclass(frozen=True)
class LocalExecutor:
    """Takes samples on this machine, one at a time.

    `folders` are the made data sets by name; `machine` and `code` go into every row; `counting`
    gives what counts events in a block's samples. Workers run in treebench's own environment, or
    `elsewhere`.
    """

    run: str
    folders: Mapping[str, Path]
    deadline_s: float
    machine: Mapping[str, Any]
    code: str
    command: Sequence[str] = WORKER_COMMAND
    caretaker: Caretaker | None = None
    cgroup_maker: Callable[[], Cgroup | Unavailable] = open_cgroup
    latency: bool = False
    curve: bool = False
    kind: Kind = "timed"
    counting: Callable[[int], Counting] = uncounted
    elsewhere: Elsewhere | None = None

    def of_kind(self, kind: Kind) -> LocalExecutor:
        """The same for samples of another kind. Those of kind `memory` have the timeline of
        their PSS in place of what a cgroup tells, no counters, no latency and no curve."""
        if kind == self.kind:
            return self
        return dataclasses.replace(self, kind=kind, counting=uncounted, latency=False)

    def measure(self, cell: PlannedCell, block: int) -> SampleRow:
        """Take one sample. Every failure of the worker is a row, and so is data that is gone.

        Raises:
            SampleInterrupted: Ctrl-C; the worker and its children are gone.
        """
        info = {"started_at": _now(), **environment.state()}
        try:
            trial_line = self._trial(cell).to_line()
        except DataError as error:
            return self._without_data(cell, block, info, error)
        ooms_before = kernel_oom_kills()
        mark = uuid.uuid4().hex
        with (
            sample_cgroup(self.caretaker, mark, self.cgroup_maker) as cgroup,
            # Told to the caretaker after the cgroup, so that no process is left to write there.
            sample_folders(cell, self.folders, self.caretaker) as own_folders,
            memory_guard(cell.spec.memory_limit_bytes, cgroup) as guard,
            self.counting(block) as counting,
            PssProbe() as pss,
            SummedMemoryProbe(own_folders.shared) as summed,
            WorkerProcess(
                {**self._variables(cell), **own_folders.environment, MARK_VARIABLE: mark},
                _inside(cgroup, counting.around(self._command)),
            ) as worker,
        ):
            own_folders.used_by(worker.pid)
            if guard is not None:
                guard.attach(worker.pid)
            tree = pss if self.kind == "memory" else TreeMemoryProbe(cgroup)
            in_jobs = [summed] if _trains_in_jobs(cell) else []
            probes = [*(make() for make in TIMED_PROBES), tree, *counting.probes, *in_jobs]
            for probe in probes:
                probe.attach(worker.pid)
            conversation = Conversation(worker, probes, self.deadline_s, time.monotonic)
            try:
                outcome = conversation.hold(trial_line)
                death = worker.kill() if outcome.ending == "timeout" else worker.end()
            except KeyboardInterrupt:
                worker.kill()
                interrupted = self._interrupted(cell, block, info, conversation.outcome)
                raise SampleInterrupted(_limited(interrupted, guard, None)) from None
            oom_killed = _oom_killed(cgroup, ooms_before)
            limit_kill = None if guard is None else guard.kill_seen()
            counted = counting.counters()
        verdict = judge(outcome, death, worker.output_tail, self.deadline_s, oom_killed, limit_kill)
        row = _limited(self._row(cell, block, info, outcome, verdict), guard, limit_kill)
        row = own_folders.noted(row)
        return dataclasses.replace(row, counters=counted, timeline=pss.timeline())

    def _trial(self, cell: PlannedCell) -> Trial:
        """Curves and validation belong to what is timed."""
        timed = self.kind == "timed"
        return trial_of(
            cell,
            self.folders,
            latency=self.latency,
            curve=self.curve and timed,
            validate=timed,
        )

    def _row(
        self,
        cell: PlannedCell,
        block: int,
        info: dict[str, Any],
        outcome: Outcome,
        verdict: tuple[Status, SampleError | None],
    ) -> SampleRow:
        status, error = verdict
        bare = self._bare_row(cell, block, info, outcome)
        row = dataclasses.replace(bare, status=status, error=error)
        return row if outcome.result is None else _with_result(row, outcome.result)

    def _bare_row(
        self, cell: PlannedCell, block: int, info: dict[str, Any], outcome: Outcome
    ) -> SampleRow:
        return SampleRow(
            run=self.run,
            cell=cell.id,
            block=block,
            kind=self.kind,
            status="interrupted",
            spec=cell.spec.to_json(),
            must_match={
                "machine": self.machine["fingerprint"],
                "versions": self._versions(cell),
                "allocator": environment.allocator(),
                "thread_settings": environment.thread_settings(
                    worker_environment(cell.spec.threads)
                ),
                "code": self.code,
            },
            info=info,
            phases=dict(outcome.phases),
        )

    def _variables(self, cell: PlannedCell) -> dict[str, str]:
        """The worker's environment, as its threads and its Python want it."""
        threads = worker_environment(cell.spec.threads)
        return threads if self.elsewhere is None else {**threads, **self.elsewhere.variables}

    @property
    def _command(self) -> Sequence[str]:
        return self.command if self.elsewhere is None else self.elsewhere.command

    def _versions(self, cell: PlannedCell) -> dict[str, str | None]:
        """Those that the worker finds; treebench is this one wherever it runs."""
        here = environment.versions(_distributions(cell))
        if self.elsewhere is None:
            return here
        found = self.elsewhere.versions_of(_distributions(cell))
        return {**found, "treebench": here["treebench"]}

    def _interrupted(
        self, cell: PlannedCell, block: int, info: dict[str, Any], outcome: Outcome
    ) -> SampleRow:
        error = SampleError("Interrupted", "the run was interrupted", phase=outcome.phase)
        return dataclasses.replace(self._bare_row(cell, block, info, outcome), error=error)

    def unsupported(self, cell: PlannedCell, block: int, reason: str) -> SampleRow:
        """The row of a sample that is not taken, since it could not tell the truth."""
        info = {"started_at": _now(), **environment.state()}
        bare = self._bare_row(cell, block, info, Outcome())
        error = SampleError("Unsupported", reason)
        return dataclasses.replace(bare, status="unsupported", error=error)

    def _without_data(
        self, cell: PlannedCell, block: int, info: dict[str, Any], error: DataError
    ) -> SampleRow:
        bare = self._bare_row(cell, block, info, Outcome())
        said = SampleError("DataError", str(error))
        return dataclasses.replace(bare, status="error", error=said)


def _limited(row: SampleRow, guard: Guard | None, kill: LimitKill | None) -> SampleRow:
    """The row with its limit, what held it, and the peak that only the guard has seen."""
    if guard is None:
        return row
    row = dataclasses.replace(row, must_match={**row.must_match, "memory_limit": guard.to_json()})
    phase = None if row.error is None else row.error.phase
    if kill is None or kill.peak_bytes is None or phase not in row.phases:
        return row
    figures = row.phases[phase].with_figures(
        {"tree_peak_bytes": kill.peak_bytes, "tree_peak_source": guard.by}
    )
    return dataclasses.replace(row, phases={**row.phases, phase: figures})


def _trains_in_jobs(cell: PlannedCell) -> bool:
    """Whether its trees grow in several jobs: forests in processes, and the one on threads that
    they are compared with."""
    return "n_jobs" in cell.spec.params


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
        index_type=message.get("index_type"),
        score=message.get("score"),
        model=None if model is None else ModelFigures(**model),
        effective_params=message.get("effective_params"),
        latency=message.get("latency"),
        curve=message.get("curve"),
        parallel=message.get("parallel"),
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
    trainer = TRAINERS[cell.spec.trainer]
    return (*READER_DISTRIBUTIONS, trainer.distribution, *trainer.more_distributions)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
