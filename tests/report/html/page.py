"""Pages of made runs, as files to open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.analysis.curves.growth import usual_growth
from treebench.analysis.overview import overview
from treebench.report.charts import pictures
from treebench.report.html.document import document
from treebench.report.html.explorer import explorer
from treebench.report.lines import lines
from treebench.report.scaling_blocks import scaling_blocks
from treebench.report.sections import sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.report.blocks import Block
    from treebench.store.row import SampleRow


def page_of(
    facts: dict[str, Any], rows: list[SampleRow], claims: Sequence[Block] = (), **more: Any
) -> str:
    run = overview(facts, rows)
    grown = usual_growth(run)
    parts = sections(run, lines(run), scaling_blocks(grown), claims, **more)
    return document(run, parts, pictures(run), explorer(run, grown), "csv/")


def put(page: str, folder: Path) -> Path:
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path
