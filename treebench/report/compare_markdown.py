"""A comparison as Markdown, for a file or the summary of a CI job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import compare_outlook, compare_text
from treebench.report.markdown_table import bullets, escaped, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.comparing.runs import ComparedRuns


def compare_markdown(compared: ComparedRuns, command: str) -> str:
    """The verdicts: a table of what changed or is unclear, and all that there is to say."""
    blocks = [
        f"## {escaped(compare_text.head(compared))}",
        *bullets(compare_text.circumstances(compared)),
        *_table(compared),
        *_titled("Cells", _cells(compared)),
        *_titled("Not comparable", compare_text.apart_lines(compared)),
        *_titled("What would make it clear", compare_outlook.unclear_lines(compared)),
        *_titled("In one of the two only", compare_text.lost_lines(compared.lost)),
        *_titled("How to read this", compare_text.READING),
        f"Made by: {escaped(command)}",
    ]
    return "\n\n".join(blocks) + "\n"


def _table(compared: ComparedRuns) -> list[str]:
    rows = [
        (cell.place, *compare_text.row(each))
        for cell in compare_text.by_worst(compared)
        for each in compare_text.shown(cell, every=False)
    ]
    if not rows:
        return []
    return [table(("cell", *compare_text.TITLES), rows, (False, *compare_text.RIGHT))]


def _cells(compared: ComparedRuns) -> list[str]:
    return [
        f"{cell.place}: {line}"
        for cell in compare_text.by_worst(compared)
        if not compare_text.is_apart(cell)
        for line in compare_text.cell_lines(cell)
    ]


def _titled(title: str, sentences: Sequence[str]) -> list[str]:
    return [f"### {title}", *bullets(sentences)] if sentences else []
