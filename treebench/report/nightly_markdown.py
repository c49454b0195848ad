"""A night as Markdown, for a file or the summary of a CI job."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from treebench.report import nightly_text
from treebench.report.markdown_table import bullets, escaped, table

if TYPE_CHECKING:
    from treebench.history.morning import Morning


def nightly_markdown(morning: Morning, page: str) -> str:
    """The night: a table of what was found, and all that there is to say."""
    rows = [nightly_text.row(morning, each) for each in nightly_text.findings(morning)]
    blocks = [
        f"## {escaped(nightly_text.head(morning))}",
        *bullets(nightly_text.circumstances(morning)),
        *([table(nightly_text.TITLES, rows, nightly_text.RIGHT)] if rows else []),
    ]
    for title, sentences in nightly_text.parts(morning):
        blocks += [f"### {title}", *bullets(sentences)]
    if rows:
        blocks += ["### How to read this", *bullets(nightly_text.READING)]
    blocks += [f"Made by: {escaped(shlex.join(morning.night.command))}", f"Page: {escaped(page)}"]
    return "\n\n".join(blocks) + "\n"
