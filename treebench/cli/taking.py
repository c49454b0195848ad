"""Taking the missing samples of a planned sweep on this machine."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from treebench.cli.planning import Planned
    from treebench.cli.progress import SweepProgress
    from treebench.measure.counters import Choice
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.elsewhere import Elsewhere
    from treebench.runner.sweep import Executor, Wanted
    from treebench.store.journal import Journal
    from treebench.store.row import SampleRow


def facts_for(planned: Planned, note: str | None, expect: str | None) -> dict[str, Any]:
    """What goes into `run.json`, with the command as it was typed."""
    from treebench.runner.start import facts_of

    return facts_of(planned.config, planned.plan, ["treebench", *sys.argv[1:]], note, expect)


def take_here(
    planned: Planned,
    folder: Path,
    facts: dict[str, Any],
    retry_failed: bool,
    progress: SweepProgress | None = None,
    *,
    fresh: bool = False,
) -> None:
    """Take the missing samples into the journal of `folder`. `progress` is that of several sweeps;
    without it this one has its own. With `fresh` an earlier run there is kept aside, once nothing
    else is left to refuse.

    Raises:
        RunFolderError: the folder is in use, holds another sweep, or the measuring code changed.
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.cli.progress import progress_for
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.sweep import run_sweep

    choice = chosen_for(planned, facts)
    if fresh:
        keep_aside(folder)
    shown = progress_for(sys.stderr) if progress is None else nullcontext(progress)
    with (
        Caretaker() as caretaker,
        opened(planned, folder, facts, retry_failed, choice, caretaker) as taking,
        shown as told,
    ):
        try:
            run_sweep(taking.wanted, taking.executor, taking.journal, told, taking.n_kept)
        except KeyboardInterrupt:
            told.interrupted(folder)
            raise


def chosen_for(planned: Planned, facts: dict[str, Any]) -> Choice:
    """What counts events in the samples, put into the facts; said on stderr, with all else that is
    to be known before anything is taken.

    Raises:
        ConfigError: a trainer cannot do so few rows or trees as would be simulated.
    """
    from treebench.cli.counting import chosen_counters, refuse_what_cannot_be_small, tell
    from treebench.cli.planning import warn_of_room

    choice = chosen_counters(planned)
    facts["counters"] = {"tier": choice.tier, "absent": choice.absent}
    tell(choice)
    refuse_what_cannot_be_small(planned, choice)
    warn_of_room(planned)
    return choice


@dataclass(frozen=True)
class Taking:
    """A run's folder held open: what takes its samples and keeps them, those still to take, in
    order, and how many are there to stay."""

    executor: Executor
    journal: Journal
    wanted: list[Wanted]
    n_kept: int


@contextmanager
def opened(
    planned: Planned,
    folder: Path,
    facts: dict[str, Any],
    retry_failed: bool,
    choice: Choice,
    caretaker: Caretaker,
    elsewhere: Elsewhere | None = None,
) -> Iterator[Taking]:
    """Hold a run's folder while its samples are taken, by workers of this environment or
    `elsewhere`.

    Raises:
        RunFolderError: the folder is in use, holds another sweep, or the measuring code changed.
    """
    from treebench.cli.counting import copy_bandwidth_for, with_simulated
    from treebench.runner.counting import timed_counting
    from treebench.runner.local import LocalExecutor
    from treebench.runner.start import begin
    from treebench.runner.steady_code import SteadyCode
    from treebench.runner.sweep import missing_samples
    from treebench.store.journal import Journal
    from treebench.store.run_folder import JOURNAL_NAME, locked

    with locked(folder):
        fingerprint = facts["machine"]["fingerprint"]
        facts["copy_bandwidth"] = copy_bandwidth_for(choice, folder, fingerprint)
        rows = begin(folder, facts)
        missing = missing_samples(planned.plan, rows, planned.chosen, retry_failed)
        local = LocalExecutor(
            run=facts["run"],
            folders=planned.folders,
            deadline_s=planned.plan.deadline_s,
            machine=facts["machine"],
            code=facts["code"],
            caretaker=caretaker,
            latency=planned.config.latency,
            curve=planned.config.curve,
            counting=lambda block: timed_counting(choice, block, caretaker),
            elsewhere=elsewhere,
        )
        executor, simulated = with_simulated(planned, choice, local, rows, retry_failed)
        wanted = [*missing, *simulated]
        with Journal(folder / JOURNAL_NAME) as journal:
            yield Taking(SteadyCode(executor, facts["code"]), journal, wanted, kept(rows, wanted))


def keep_aside(folder: Path, tell: Callable[[str], None] | None = None) -> None:
    """Move an earlier run out of the way for one that starts anew, and `tell` where it is: on
    stderr, unless something shows a progress there.

    Raises:
        RunFolderError: the folder is in use.
    """
    from treebench.store.run_folder import locked, set_aside

    if not folder.exists():
        return
    with locked(folder):
        aside = set_aside(folder)
    if aside is not None:
        told = f"the earlier run is kept in {aside}"
        sys.stderr.write(f"{told}\n") if tell is None else tell(told)


def kept(rows: Sequence[SampleRow], missing: Sequence[Wanted]) -> int:
    """How many samples are there to stay: an interrupted one, or a failed one to retry, is not;
    nor is a profile, which no plan has."""
    again = {(wanted.kind, wanted.block, wanted.cell.id) for wanted in missing}
    planned = [row for row in rows if row.kind != "profile"]
    return sum((row.kind, row.block, row.cell) not in again for row in planned)
