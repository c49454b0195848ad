"""All files of a report: the page, Markdown with its pictures, and the tables as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.curves.growth import usual_growth
from treebench.report import pick_blocks
from treebench.report.charts import pictures
from treebench.report.claims_blocks import claims_blocks
from treebench.report.csv_files import FOLDER, csv_files
from treebench.report.folder import PAGE_NAME
from treebench.report.html.document import PAGE_NAME as HTML_NAME
from treebench.report.html.document import document
from treebench.report.html.explorer import explorer
from treebench.report.lines import lines
from treebench.report.markdown import page
from treebench.report.pick_chart import frontier_chart
from treebench.report.render import png, svg
from treebench.report.scaling_blocks import scaling_blocks
from treebench.report.scaling_chart import scaling_pictures
from treebench.report.sections import sections

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from treebench.analysis.overview import Overview
    from treebench.report.lines import Line


def report_files(
    known: Overview, run_folder: Path, cost_per_hour: float | None = None, host: str = ""
) -> dict[str, bytes]:
    """The files of one machine's samples by path from the report's folder, the page first.

    `cost_per_hour` takes the place of the config's own. `host` begins the names of a host's files
    where the run has several.

    Raises:
        RunFolderError: `claims.json` or `pick.json` beside the run cannot be read.
    """
    prefix = f"{host}-" if host else ""
    grown = usual_growth(known)
    answer = pick_blocks.pick_answer(run_folder)
    frontier = [] if answer is None else pick_blocks.pictures(frontier_chart(answer))
    drawn = [*frontier, *pictures(known), *scaling_pictures(grown)]
    listed = lines(known)
    parts = sections(
        known,
        listed,
        scaling_blocks(grown),
        claims_blocks(run_folder),
        [] if answer is None else pick_blocks.answer_blocks(answer),
        _profiles(run_folder, listed),
        cost_per_hour or known.facts["config"].get("cost_per_hour"),
    )
    named = [(f"{prefix}{picture.name}", picture.caption) for picture in drawn]
    html = document(known, parts, drawn, explorer(known, grown), f"{FOLDER}/{prefix}")
    text = page(known, parts, named, f"{FOLDER}/")
    # Names of files need not be text, and a page must be.
    files = {
        f"{host}.html" if host else HTML_NAME: html.encode(errors="backslashreplace"),
        f"{host}.md" if host else PAGE_NAME: text.encode(errors="backslashreplace"),
    }
    for picture in drawn:
        files[f"{prefix}{picture.name}.png"] = png(picture.chart)
        files[f"{prefix}{picture.name}.svg"] = svg(picture.chart).encode()
    return files | csv_files(parts, prefix)


def _profiles(run_folder: Path, listed: Sequence[Line]) -> list[tuple[str, str]]:
    """The flame graphs of the run, by path from the report's folder, and what each is of."""
    places = {line.cell.cell: line.place for line in listed}
    found = []
    for path in sorted((run_folder / "profiles").glob("*.svg")):
        cell, _, phase = path.stem.partition("-")
        known = cell in places and phase
        found.append(
            (f"../profiles/{path.name}", f"{places[cell]}: {phase}" if known else path.stem)
        )
    return found
