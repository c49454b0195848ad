"""A comparison as a page of its own: one file that asks nothing of any network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import compare_outlook, compare_text
from treebench.report.blocks import Block, Code, Heading, Items, Words, items, table
from treebench.report.html.document import plain_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.comparing.runs import ComparedRuns

PAGE_NAME = "compare.html"


def compare_page(compared: ComparedRuns, title: str, said: Sequence[str], command: str) -> str:
    """The verdicts as HTML: first what changed or is unclear, then every figure of every cell.

    `said` is what is to be told of the two sides.
    """
    blocks: list[Block] = [
        Words(strong=compare_text.head(compared)),
        *items([*said, *compare_text.circumstances(compared)]),
        *_table("What changed, or is unclear", compared, every=False),
        *_titled("Cells", _cells(compared)),
        *_titled("Not comparable", compare_text.apart_lines(compared)),
        *_titled("What would make it clear", compare_outlook.unclear_lines(compared)),
        *_titled("In one of the two only", compare_text.lost_lines(compared.lost)),
        *_table("Every figure", compared, every=True),
        *_titled("How to read this", compare_text.READING),
        Heading("Made by"),
        Code(command),
    ]
    return plain_page(title, blocks)


def _table(title: str, compared: ComparedRuns, *, every: bool) -> list[Block]:
    rows = [
        (cell.place, *compare_text.row(each))
        for cell in compare_text.by_worst(compared)
        for each in compare_text.shown(cell, every=every)
    ]
    if not rows:
        return []
    titles = ("cell", *compare_text.TITLES)
    return [Heading(title), table(titles, rows, (False, *compare_text.RIGHT))]


def _cells(compared: ComparedRuns) -> list[str]:
    return [
        f"{cell.place}: {line}"
        for cell in compare_text.by_worst(compared)
        if not compare_text.is_apart(cell)
        for line in compare_text.cell_lines(cell)
    ]


def _titled(title: str, sentences: Sequence[str]) -> list[Block]:
    return [Heading(title), Items(tuple(sentences))] if sentences else []
