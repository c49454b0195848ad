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
    from treebench.report.lines import Line


def report(
    run: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
) -> None:
    """Write a run's report: Markdown, with pictures as PNG and SVG.

    It goes to the folder `report` inside the run's own; an earlier one is replaced.
    """
    from treebench.analysis.overview import overview
    from treebench.report.folder import write_report
    from treebench.report.lines import lines
    from treebench.store.run_folder import find_run, open_run

    folder = find_run(run)
    opened = open_run(folder)
    known = overview(opened.facts, opened.rows)
    typed = shlex.quote(run)
    if not known.has_figures:
        raise NothingMeasuredError(
            f"no sample of {run} ended well, so there is nothing to report; "
            f"`treebench show {typed}` says why"
        )
    paths = [str(path) for path in write_report(folder, _files(known, lines(known)))]
    if as_json:
        sys.stdout.write(json.dumps({"run": known.name, "files": paths}, indent=1) + "\n")
        return
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    sys.stdout.write(f"next: read {shlex.quote(paths[0])}, or: treebench show {typed} --phases\n")


def _files(known: Overview, listed: list[Line]) -> dict[str, bytes]:
    """The report's files by name, the page first."""
    from treebench.report.charts import pictures
    from treebench.report.folder import PAGE_NAME
    from treebench.report.markdown import page
    from treebench.report.render import png, svg

    drawn = pictures(known)
    text = page(known, listed, [(picture.name, picture.caption) for picture in drawn])
    files = {PAGE_NAME: text.encode()}
    for picture in drawn:
        files[f"{picture.name}.png"] = png(picture.chart)
        files[f"{picture.name}.svg"] = svg(picture.chart).encode()
    return files
