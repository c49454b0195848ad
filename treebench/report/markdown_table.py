"""Markdown's parts: text that is shown as it is, tables, lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from treebench.report.blocks import Block, Code, Heading, Items, Links, Table, Words

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def rendered(block: Block) -> str:
    """A block of a report as Markdown."""
    match block:
        case Heading(text):
            return f"### {escaped(text)}"
        case Words(before, strong, after):
            stressed = f"**{escaped(strong)}**" if strong else ""
            return f"{_inner(before)}{stressed}{_inner(after)}"
        case Items(said):
            return "\n".join(bullets(said))
        case Code(text):
            return _fenced(text)
        case Links(to):
            return "\n".join(f"- [{escaped(what)}]({quote(path)})" for path, what in to)
        case Table():
            return table(block.titles, block.rows, block.right)


def _inner(text: str) -> str:
    """Text whose spaces at the ends part it from what is beside it."""
    left, right = " " * text.startswith(" "), " " * text.endswith(" ")
    return f"{left}{escaped(text)}{right}" if text.strip() else text


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{text}\n{fence}"
