"""The verb `report`: a run as a Markdown page with pictures."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import RunArgument
from treebench.errors import NothingMeasuredError

if TYPE_CHECKING:
    from treebench.analysis.overview import Overview
    from treebench.store.run_folder import Run


def report(
    run: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
) -> None:
    """Write a run's report: Markdown, with pictures as PNG and SVG.

    It goes to the folder `report` inside the run's own; an earlier one is replaced. A run on
    several hosts has a page for each, and one that names them.
    """
    from treebench.analysis.hosts import by_host
    from treebench.analysis.overview import overview
    from treebench.report.folder import write_report
    from treebench.store.run_folder import find_run, open_run

    folder = find_run(run)
    opened = open_run(folder)
    parts = by_host(opened)
    runs = list(parts.values()) if len(parts) > 1 else [opened]
    every = [overview(each.facts, each.rows) for each in runs]
    typed = shlex.quote(run)
    if not any(known.has_figures for known in every):
        raise NothingMeasuredError(
            f"no sample of {run} ended well, so there is nothing to report; "
            f"`treebench show {typed}` says why"
        )
    files = _files_of_hosts(opened, list(parts), every) if len(every) > 1 else _files(every[0])
    paths = [str(path) for path in write_report(folder, files)]
    if as_json:
        sys.stdout.write(json.dumps({"run": opened.name, "files": paths}, indent=1) + "\n")
        return
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    sys.stdout.write(f"next: read {shlex.quote(paths[0])}, or: treebench show {typed} --phases\n")


def _files_of_hosts(run: Run, hosts: list[str], every: list[Overview]) -> dict[str, bytes]:
    """A page that names the hosts, and a page with pictures for each."""
    from treebench.report.folder import PAGE_NAME
    from treebench.report.hosts_text import hosts_page, stems

    names = stems(hosts)
    files = {PAGE_NAME: hosts_page(run, every, names).encode()}
    for known, name in zip(every, names.values(), strict=True):
        if known.has_figures:
            files |= _files(known, f"{name}.md", f"{name}-")
    return files


def _files(known: Overview, page_name: str = "report.md", prefix: str = "") -> dict[str, bytes]:
    """The files of one machine's samples by name, the page first."""
    from treebench.analysis.curves.growth import usual_growth
    from treebench.report.charts import pictures
    from treebench.report.lines import lines
    from treebench.report.markdown import page
    from treebench.report.render import png, svg
    from treebench.report.scaling_chart import scaling_pictures
    from treebench.report.scaling_markdown import scaling_blocks

    grown = usual_growth(known)
    drawn = [*pictures(known), *scaling_pictures(grown)]
    named = [(f"{prefix}{picture.name}", picture.caption) for picture in drawn]
    files = {page_name: page(known, lines(known), named, scaling_blocks(grown)).encode()}
    for picture in drawn:
        files[f"{prefix}{picture.name}.png"] = png(picture.chart)
        files[f"{prefix}{picture.name}.svg"] = svg(picture.chart).encode()
    return files
