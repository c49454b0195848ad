"""`treebench run CONFIG`: take the samples of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import ConfigArgument, JsonOption, OnlyOption, SetOption
from treebench.cli.planning import Planned, plan_config, refuse_empty_choice
from treebench.cli.streams import reader_may_leave
from treebench.cli.taking import facts_for, take_here
from treebench.errors import ExitCode, NothingMeasuredError

if TYPE_CHECKING:
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
        str | None,
        typer.Option(
            metavar="EXPR", help="What you expect, as in 'fit_time(hist) < fit_time(exact)'."
        ),
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
    _read(expect)
    planned = plan_config(config, overrides, only)
    _refuse_empty(planned, config)
    _check_cells(expect, planned)
    folder = out or Path("results") / planned.config.name
    facts = facts_for(planned, note, expect)
    if wish is None:
        take_here(planned, folder, facts, retry_failed, fresh=fresh)
    else:
        take_on_cluster(planned, folder, wish, facts, retry_failed, fresh=fresh)
    # The run's outcome stands, whether or not anybody reads the table to its end.
    with reader_may_leave():
        _show(folder, as_json)
    return _exit_code(open_run(folder).rows, planned)


def _read(expect: str | None) -> None:
    """Before any data is made, let alone measured."""
    if expect is not None:
        from treebench.analysis.expressions.tree import read_expectation

        read_expectation(expect)


def _check_cells(expect: str | None, planned: Planned) -> None:
    """Before anything runs, so that nobody waits for an answer that cannot be given."""
    if expect is not None:
        from treebench.analysis.expected import check_cells

        chosen = planned.plan.cells.keys() & planned.chosen
        check_cells(expect, [planned.plan.cells[each].spec for each in chosen])


def _refuse_empty(planned: Planned, config: str) -> None:
    if not planned.plan.cells:
        raise NothingMeasuredError(
            f"{config}: none of its cells can be run; `treebench plan {config}` says why"
        )
    refuse_empty_choice(planned, config)


def _show(folder: Path, as_json: bool) -> None:
    from treebench.cli.show import show

    show(str(folder), as_json=as_json)


def _exit_code(rows: list[SampleRow], planned: Planned) -> int:
    """By the cells this command was about; the control cell alone measures nothing."""
    own = [
        row
        for row in rows
        if row.cell in planned.chosen and row.kind != "profile" and row.status != "unsupported"
    ]
    ended_well = [row for row in own if row.status == "ok"]
    if not ended_well:
        raise NothingMeasuredError("no sample ended well; the table above says why")
    return ExitCode.OK if len(ended_well) == len(own) else ExitCode.CELLS_FAILED
