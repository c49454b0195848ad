"""Markdown's parts: text that is shown as it is, tables, lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treebench.report.terminal import dataset_title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.report.columns import Column
    from treebench.report.lines import Line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~&])")


def escaped(text: object) -> str:
    """Text that Markdown shows as it is, in a table cell too."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """A Markdown table; every cell is escaped here."""
    rule = ["--:" if is_right else ":--" for is_right in right]
    lines = [map(escaped, titles), rule, *(map(escaped, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(sentences: Sequence[str]) -> list[str]:
    """A list as one block; no block where there is nothing to say."""
    return ["\n".join(f"- {escaped(each)}" for each in sentences)] if sentences else []


def heading(name: str, group: Sequence[Line]) -> str:
    """The title above a data set's table."""
    return f"### {escaped(dataset_title(name, group))}"


def dataset_tables(grouped: Mapping[str, Sequence[Line]], columns: Sequence[Column]) -> list[str]:
    """A titled table for each data set."""
    blocks = []
    for name, group in grouped.items():
        rows = [[column.text(line) for column in columns] for line in group]
        titles, right = [c.title for c in columns], [c.right for c in columns]
        blocks += [heading(name, group), table(titles, rows, right)]
    return blocks
