"""The report as a Markdown page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report.markdown_table import escaped, rendered
from treebench.report.sections import head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.overview import Overview
    from treebench.report.blocks import Section

_BEFORE_PICTURES = ("claims", "pick", "results")


def page(
    run: Overview, parts: Sequence[Section], pictures: Sequence[tuple[str, str]], csv: str = ""
) -> str:
    """The page. `pictures` are (file stem, caption), their files beside the page; `csv` is the
    folder of the tables' raw figures."""
    written = [f"# {escaped(run.name)}", *map(rendered, head(run))]
    first = [part for part in parts if part.name in _BEFORE_PICTURES]
    written += [_section(part) for part in first]
    if csv:
        written.append(f"The tables' figures, unrounded: [{csv}]({csv})")
    if pictures:
        written += ["## Pictures", *(_picture(*picture) for picture in pictures)]
    written += [_section(part) for part in parts if part not in first]
    return "\n\n".join(written) + "\n"


def _section(part: Section) -> str:
    return "\n\n".join([f"## {part.title}", *map(rendered, part.blocks)])


def _picture(stem: str, caption: str) -> str:
    return f"### {escaped(caption)}\n\n[![{escaped(caption)}]({stem}.png)]({stem}.svg)"
