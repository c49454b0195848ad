"""The verb `report`: a run as a page, as Markdown with pictures, and its tables as CSV."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import RunArgument
from treebench.errors import ConfigError, NothingMeasuredError

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.analysis.overview import Overview
    from treebench.store.run_folder import Run


def report(
    run: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
    cost_per_hour: Annotated[
        float | None,
        typer.Option(
            help="What an hour of the machine costs; takes the place of the config's own."
        ),
    ] = None,
) -> None:
    """Write a run's report: a page, Markdown with pictures, tables.

    It goes to the folder `report` inside the run's own; an earlier one is replaced. A run on
    several hosts has a page for each, and one that names them.
    """
    from treebench.report.uncollected import uncollected
    from treebench.store.run_folder import find_run, open_run

    _refuse_cost(cost_per_hour)
    folder = find_run(run)
    with uncollected():
        opened = open_run(folder)
        paths = _written(run, folder, opened, cost_per_hour)
    if as_json:
        sys.stdout.write(json.dumps({"run": opened.name, "files": paths}, indent=1) + "\n")
        return
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    sys.stdout.write(
        f"next: open {shlex.quote(paths[0])} in a browser, "
        f"or: treebench show {shlex.quote(run)} --phases\n"
    )


def _written(typed: str, folder: Path, opened: Run, cost_per_hour: float | None) -> list[str]:
    """The report's files, as they were written; `typed` is how the run was named."""
    from treebench.analysis.hosts import by_host
    from treebench.analysis.overview import overview
    from treebench.report.files import report_files
    from treebench.report.folder import write_report

    parts = by_host(opened)
    runs = list(parts.values()) if len(parts) > 1 else [opened]
    every = [overview(each.facts, each.rows) for each in runs]
    if not any(known.has_figures for known in every):
        raise NothingMeasuredError(
            f"no sample of {typed} ended well, so there is nothing to report; "
            f"`treebench show {shlex.quote(typed)}` says why"
        )
    if len(every) > 1:
        files = _files_of_hosts(opened, list(parts), every, cost_per_hour)
    else:
        files = report_files(every[0], folder, cost_per_hour)
    return [str(path) for path in write_report(folder, files)]


def _refuse_cost(cost_per_hour: float | None) -> None:
    if cost_per_hour is not None and not 0 < cost_per_hour < float("inf"):
        raise ConfigError(f"--cost-per-hour is {cost_per_hour:g}; give a number above 0")


def _files_of_hosts(
    run: Run, hosts: list[str], every: list[Overview], cost_per_hour: float | None
) -> dict[str, bytes]:
    """A page that names the hosts, and a page with pictures for each."""
    from treebench.report.files import report_files
    from treebench.report.folder import PAGE_NAME
    from treebench.report.hosts_text import hosts_page, stems
    from treebench.report.html.document import PAGE_NAME as HTML_NAME
    from treebench.report.html.hosts import hosts_document

    names = stems(hosts)
    files = {
        HTML_NAME: hosts_document(run, every, names).encode(),
        PAGE_NAME: hosts_page(run, every, names).encode(),
    }
    for known, name in zip(every, names.values(), strict=True):
        if known.has_figures:
            files |= report_files(known, run.folder, cost_per_hour, name)
    return files
