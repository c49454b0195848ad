"""A published comparison on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from treebench.report import comparison_text as words
from treebench.report.blocks import Heading, Items, Table, Words
from treebench.report.comparison_blocks import by_preset, table_blocks
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from treebench.analysis.published.tables import JudgedTable
    from treebench.report.blocks import Block
    from treebench.report.terminal import Screen

_STYLES = {"agrees": "green", "differs": "red", "cannot tell": "yellow"}
_INDENT = (0, 0, 0, 2)


def comparison_screen(tables: Sequence[JudgedTable], screen: Screen) -> str:
    """Every preset with its tables, then how to read them, then a sentence for each table."""
    shown: list[RenderableType] = []
    for group in by_preset(tables).values():
        preset = group[0].preset
        shown += [Text(f"{preset.title} ({preset.preset})", style="bold underline")]
        shown += [Text(preset.says), Text("")]
        for one in group:
            shown += [each for block in table_blocks(one) for each in _shown(block, screen)]
            shown.append(Text(""))
    said = [words.listed_sentence(each) for each in tables]
    return text_of(
        [*shown, *notes("How to read this", words.READING), *notes("In a sentence each", said)],
        screen,
    )


def _shown(block: Block, screen: Screen) -> list[RenderableType]:
    match block:
        case Heading(text):
            return [Text(text, style="bold")]
        case Words(before, strong, after):
            return [Text(f"{before}{strong}{after}")]
        case Items(said):
            return [Padding(Text(each), _INDENT) for each in said]
        case Table():
            return [_grid(block, screen)]
        case _:
            return []


def _grid(table: Table, screen: Screen) -> Grid:
    grid = Grid(
        box=box.SIMPLE_HEAD if screen.rules else None,
        show_edge=False,
        pad_edge=False,
        header_style="",
    )
    for title, right in zip(table.titles, table.right, strict=True):
        grid.add_column(title, justify="right" if right else "left", overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    return grid
