"""Taking the missing samples of a planned sweep on this machine."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from treebench.cli.planning import Planned
    from treebench.cli.progress import SweepProgress
    from treebench.runner.sweep import Wanted
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
) -> None:
    """Take the missing samples into the journal of `folder`. `progress` is that of several sweeps;
    without it this one has its own.

    Raises:
        RunFolderError: the folder is in use, holds another sweep, or the measuring code changed.
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.cli.counting import (
        chosen_counters,
        copy_bandwidth_for,
        refuse_what_cannot_be_small,
        tell,
        with_simulated,
    )
    from treebench.cli.planning import warn_of_room
    from treebench.cli.progress import progress_for
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.counting import timed_counting
    from treebench.runner.local import LocalExecutor
    from treebench.runner.start import begin
    from treebench.runner.steady_code import SteadyCode
    from treebench.runner.sweep import missing_samples, run_sweep
    from treebench.store.journal import Journal
    from treebench.store.run_folder import JOURNAL_NAME, locked

    choice = chosen_counters(planned)
    facts["counters"] = {"tier": choice.tier, "absent": choice.absent}
    tell(choice)
    refuse_what_cannot_be_small(planned, choice)
    warn_of_room(planned)
    shown = progress_for(sys.stderr) if progress is None else nullcontext(progress)
    with locked(folder), Caretaker() as caretaker:
        fingerprint = facts["machine"]["fingerprint"]
        facts["copy_bandwidth"] = copy_bandwidth_for(choice, folder, fingerprint)
        rows = begin(folder, facts)
        missing = missing_samples(planned.plan, rows, planned.chosen, retry_failed)
        local = LocalExecutor(
            run=planned.config.name,
            folders=planned.folders,
            deadline_s=planned.plan.deadline_s,
            machine=facts["machine"],
            code=facts["code"],
            caretaker=caretaker,
            latency=planned.config.latency,
            curve=planned.config.curve,
            counting=lambda block: timed_counting(choice, block, caretaker),
        )
        executor, simulated = with_simulated(planned, choice, local, rows, retry_failed)
        executor = SteadyCode(executor, facts["code"])
        with Journal(folder / JOURNAL_NAME) as journal, shown as told:
            try:
                wanted = [*missing, *simulated]
                run_sweep(wanted, executor, journal, told, kept(rows, wanted))
            except KeyboardInterrupt:
                told.interrupted(folder)
                raise


def keep_aside(folder: Path) -> None:
    """Move an earlier run out of the way for one that starts anew, and say where it is."""
    from treebench.store.run_folder import locked, set_aside

    if not folder.exists():
        return
    with locked(folder):
        aside = set_aside(folder)
    if aside is not None:
        sys.stderr.write(f"the earlier run is kept in {aside}\n")


def kept(rows: Sequence[SampleRow], missing: Sequence[Wanted]) -> int:
    """How many samples are there to stay: an interrupted one, or a failed one to retry, is not;
    nor is a profile, which no plan has."""
    again = {(wanted.kind, wanted.block, wanted.cell.id) for wanted in missing}
    planned = [row for row in rows if row.kind != "profile"]
    return sum((row.kind, row.block, row.cell) not in again for row in planned)
