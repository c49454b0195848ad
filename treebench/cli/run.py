"""`treebench run CONFIG`: take the samples of a sweep."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treebench.cli.options import ConfigArgument, JsonOption, OnlyOption, SetOption
from treebench.cli.planning import Planned, plan_config, refuse_empty_choice, warn_of_room
from treebench.cli.streams import reader_may_leave
from treebench.errors import ExitCode, NothingMeasuredError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.runner.sweep import Wanted
    from treebench.store.row import SampleRow


def run(
    config: ConfigArgument,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the run.  [default: results/NAME]")
    ] = None,
    overrides: SetOption = None,
    only: OnlyOption = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew; an earlier run there is kept aside.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Take failed samples again.")
    ] = False,
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A note to keep with the run.")
    ] = None,
    expect: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What you expect to see, kept too.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Take them on a Dask cluster: tcp://HOST:PORT, tls://HOST:PORT, or local:N.",
        ),
    ] = None,
    cluster_wait: Annotated[
        str,
        typer.Option(metavar="TIME", help="How long to wait while no host is there to be used."),
    ] = "60s",
    as_json: JsonOption = False,
) -> int:
    """Take the samples of a sweep, and show the table.

    Samples that are there already are kept: after Ctrl-C, a crash or `kill -9` the same command
    goes on.
    """
    from treebench.cli.cluster import take_on_cluster, wish_of
    from treebench.store.run_folder import open_run

    wish = None if cluster is None else wish_of(cluster, cluster_wait)
    planned = plan_config(config, overrides, only)
    _refuse_empty(planned, config)
    folder = out or Path("results") / planned.config.name
    if fresh:
        _keep_aside(folder)
    facts = _facts(planned, note, expect)
    if wish is None:
        _take(planned, folder, facts, retry_failed)
    else:
        take_on_cluster(planned, folder, wish, facts, retry_failed)
    # The run's outcome stands, whether or not anybody reads the table to its end.
    with reader_may_leave():
        _show(folder, as_json)
    return _exit_code(open_run(folder).rows, planned)


def _facts(planned: Planned, note: str | None, expect: str | None) -> dict[str, Any]:
    from treebench.runner.start import facts_of

    return facts_of(planned.config, planned.plan, ["treebench", *sys.argv[1:]], note, expect)


def _take(planned: Planned, folder: Path, facts: dict[str, Any], retry_failed: bool) -> None:
    """Take the missing samples on this machine."""
    from treebench.cli.counting import chosen_counters, copy_bandwidth_for, tell, with_simulated
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
    warn_of_room(planned)
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
            counting=lambda block: timed_counting(choice, block, caretaker),
        )
        executor, simulated = with_simulated(planned, choice, local, rows, retry_failed)
        executor = SteadyCode(executor, facts["code"])
        with Journal(folder / JOURNAL_NAME) as journal, progress_for(sys.stderr) as progress:
            try:
                wanted = [*missing, *simulated]
                run_sweep(wanted, executor, journal, progress, kept(rows, wanted))
            except KeyboardInterrupt:
                progress.interrupted(folder)
                raise


def kept(rows: Sequence[SampleRow], missing: Sequence[Wanted]) -> int:
    """How many samples are there to stay: an interrupted one, or a failed one to retry, is not;
    nor is a profile, which no plan has."""
    again = {(wanted.kind, wanted.block, wanted.cell.id) for wanted in missing}
    planned = [row for row in rows if row.kind != "profile"]
    return sum((row.kind, row.block, row.cell) not in again for row in planned)


def _refuse_empty(planned: Planned, config: str) -> None:
    if not planned.plan.cells:
        raise NothingMeasuredError(
            f"{config}: none of its cells can be run; `treebench plan {config}` says why"
        )
    refuse_empty_choice(planned, config)


def _keep_aside(folder: Path) -> None:
    from treebench.store.run_folder import locked, set_aside

    if not folder.exists():
        return
    with locked(folder):
        aside = set_aside(folder)
    if aside is not None:
        sys.stderr.write(f"the earlier run is kept in {aside}\n")


def _show(folder: Path, as_json: bool) -> None:
    from treebench.cli.show import show

    show(str(folder), as_json=as_json)


def _exit_code(rows: list[SampleRow], planned: Planned) -> int:
    """By the cells this command was about; the control cell alone measures nothing."""
    own = [row for row in rows if row.cell in planned.chosen and row.kind != "profile"]
    ended_well = [row for row in own if row.status == "ok"]
    if not ended_well:
        raise NothingMeasuredError("no sample ended well; the table above says why")
    return ExitCode.OK if len(ended_well) == len(own) else ExitCode.CELLS_FAILED
