"""Tables and notes as text for a terminal, a pipe or a file.

On a terminal the tables are fitted to its width by leaving out whole columns, and what was left
out is said. In a pipe they take the width they need, without rules or colour, so that `grep` and
`awk` find one cell per line.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

    from rich.console import RenderableType

    from treebench.report.columns import Column
    from treebench.report.lines import Line

_GAP = 2
_UNBOUNDED = 10_000
_ASCII = str.maketrans({"\u2013": "-", "\u2212": "-", "\u00b5": "u", "\u2500": "-", "\u2026": "~"})


@dataclass(frozen=True)
class Screen:
    """What is written to: its width in characters (None: no limit), and what it can show."""

    width: int | None
    colour: bool
    rules: bool
    encoding: str = "utf-8"


def screen_of(stream: TextIO) -> Screen:
    """The screen behind a stream. `COLUMNS` sets the width anywhere, `NO_COLOR` takes colour."""
    encoding = stream.encoding or "utf-8"
    stated = os.environ.get("COLUMNS", "")
    width = int(stated) if stated.isdecimal() and int(stated) > 0 else None
    if not stream.isatty():
        return Screen(width, colour=False, rules=False, encoding=encoding)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    width = width or os.get_terminal_size(stream.fileno()).columns or 80
    return Screen(width, colour=not plain, rules=True, encoding=encoding)


def fitting(
    columns: Sequence[Column], listed: Sequence[Line], width: int | None
) -> tuple[list[Column], list[Column]]:
    """The columns that fit into `width`, and those given up for it."""
    kept, left_out = list(columns), []
    while width is not None and _width(kept, listed) > width:
        most = max(kept, key=lambda column: column.give_up)
        if not most.give_up:
            break
        kept.remove(most)
        left_out.append(most)
    return kept, left_out


def tables(
    grouped: Mapping[str, Sequence[Line]], columns: Sequence[Column], screen: Screen
) -> list[RenderableType]:
    """A titled table for each data set, their columns under one another."""
    every = [line for group in grouped.values() for line in group]
    widths = [_column_width(column, every) for column in columns]
    shown: list[RenderableType] = []
    for name, group in grouped.items():
        table = _table(columns, widths, screen)
        for line in group:
            style = None if line.cell.n_ok else "dim"
            table.add_row(*(Text(column.text(line)) for column in columns), style=style)
        shown += [Text(dataset_title(name, group), style="bold"), table, Text("")]
    return shown


def dataset_title(name: str, group: Sequence[Line]) -> str:
    """The data set, with its features and threads where all its cells share them."""
    specs = [line.cell.spec for line in group]
    features, threads = {spec.features for spec in specs}, {spec.threads for spec in specs}
    said = [name]
    if len(features) == 1:
        said.append(f"{units.count(max(features))} features")
    if len(threads) == 1:
        said.append(f"{max(threads)} thread" + "s" * (max(threads) != 1))
    return ", ".join(said)


def notes(title: str, sentences: Sequence[str], style: str = "bold") -> list[RenderableType]:
    """A titled list; nothing where there is nothing to say."""
    if not sentences:
        return []
    listed = [Padding(Text(sentence), (0, 0, 0, 2)) for sentence in sentences]
    return [Text(title, style=style), *listed, Text("")]


def left_out_for_width(titles: Sequence[str]) -> list[RenderableType]:
    """Which columns a narrow screen does not show, and how to see them."""
    if not titles:
        return []
    hint = "(a wider window shows them, and so does `| less -S`)"
    return [Text(f"left out for want of width: {', '.join(titles)} {hint}"), Text("")]


def text_of(shown: Sequence[RenderableType], screen: Screen) -> str:
    """The text to write, without trailing blanks, in characters the screen's encoding has."""
    console = Console(
        file=io.StringIO(),
        width=screen.width or _UNBOUNDED,
        force_terminal=screen.colour,
        no_color=not screen.colour,
        color_system="standard" if screen.colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    with console.capture() as captured:
        for each in shown:
            console.print(each)
    text = "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"
    return _encodable(text, screen.encoding)


def _table(columns: Sequence[Column], widths: Sequence[int], screen: Screen) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD if screen.rules else None,
        show_edge=False,
        pad_edge=False,
        # The box puts one blank of its own between columns.
        padding=(0, _GAP - screen.rules, 0, 0),
        header_style="",
    )
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            min_width=None if screen.width is not None and column.title == "series" else width,
            no_wrap=column.title != "series",
            overflow="fold",
        )
    return table


def _width(columns: Sequence[Column], listed: Sequence[Line]) -> int:
    return sum(_column_width(column, listed) for column in columns) + _GAP * (len(columns) - 1)


def _column_width(column: Column, listed: Sequence[Line]) -> int:
    return max(cell_len(text) for text in (column.title, *map(column.text, listed)))


def _encodable(text: str, encoding: str) -> str:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "replace").decode(encoding)
    return text
