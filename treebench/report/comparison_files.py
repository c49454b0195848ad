"""The files of a published comparison: page, Markdown, picture, CSV, and JSON for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treebench.drafts import ROOM_OR_OUT, write_files
from treebench.errors import RunFolderError
from treebench.report.comparison_blocks import TITLE, comparison_sections
from treebench.report.csv_files import FOLDER, csv_files
from treebench.report.markdown_table import escaped, rendered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import altair as alt

    from treebench.analysis.published.tables import JudgedTable
    from treebench.config.comparisons import PublishedTable
    from treebench.report.blocks import Section

STEM = "comparison"


def write_comparison(
    folder: Path,
    tables: Sequence[JudgedTable],
    published: Mapping[str, PublishedTable],
    command: str,
    raw: dict[str, Any],
) -> dict[str, str]:
    """Write `comparison.html`, `.md`, `.json`, the picture and the tables as CSV, each whole or
    not at all. Returns the paths of the first three by what they are.

    Raises:
        RunFolderError: they cannot be written.
    """
    sections = comparison_sections(tables, published, command)
    files = {
        **csv_files(sections),
        **_charted(sections, tables),
        f"{STEM}.json": (json.dumps(raw, indent=1, allow_nan=False) + "\n").encode(),
    }
    write_files(folder, files, RunFolderError, ROOM_OR_OUT)
    return {
        "page": str(folder / f"{STEM}.html"),
        "markdown": str(folder / f"{STEM}.md"),
        "json": str(folder / f"{STEM}.json"),
        "tables": str(folder / FOLDER),
    }


def _charted(sections: Sequence[Section], tables: Sequence[JudgedTable]) -> dict[str, bytes]:
    """The page and the Markdown, with the picture where there is something to draw."""
    from treebench.report.comparison_chart import comparison_chart
    from treebench.report.render import png, svg

    chart = comparison_chart(tables)
    drawn = {} if chart is None else {f"{STEM}.png": png(chart), f"{STEM}.svg": svg(chart).encode()}
    return {
        **drawn,
        f"{STEM}.md": _markdown(sections, pictured=chart is not None).encode(),
        f"{STEM}.html": _page(sections, chart).encode(),
    }


def _markdown(sections: Sequence[Section], *, pictured: bool) -> str:
    from treebench.report.comparison_chart import CAPTION

    first, *others = [
        "\n\n".join([f"## {escaped(part.title)}", *map(rendered, part.blocks)]) for part in sections
    ]
    picture = [f"[![{CAPTION}]({STEM}.png)]({STEM}.svg)"] if pictured else []
    return "\n\n".join([f"# {TITLE}", first, *picture, *others]) + "\n"


def _page(sections: Sequence[Section], chart: alt.ConcatChart | None) -> str:
    from treebench.report.charts import Picture
    from treebench.report.comparison_chart import CAPTION
    from treebench.report.html.document import plain_document

    pictures = [] if chart is None else [Picture(STEM, CAPTION, chart)]
    return plain_document(TITLE, sections, pictures, f"{FOLDER}/")
