"""`treebench scaling`: tables and sentences on the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from treebench.report import scaling_text as words
from treebench.report.screens import head
from treebench.report.terminal import left_out_for_width, notes, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from treebench.analysis.curves.growth import AxisCurves, Growth
    from treebench.analysis.overview import Overview
    from treebench.report.terminal import Screen

_GAP = 2
_SERIES_LEAST = 24
"""A series' name may be folded, down to this width."""


@dataclass(frozen=True)
class Told:
    """What the verb adds: predictions by (axis, figure), files written, and the next command."""

    predictions: dict[tuple[str, str], list[str]]
    next_step: str


def scaling_screen(run: Overview, grown: Growth, told: Told, screen: Screen) -> str:
    """The tables by axis, figure and data set, the fits over several axes, and the sentences."""
    shown: list[RenderableType] = []
    for one in grown.along:
        shown += _of_axis(one, told, screen)
    for figure, every in grown.together:
        title = f"{figure.name} over several axes at once, without a fixed part"
        table = _table(words.TOGETHER_TITLES, words.together_rows(every), screen)
        shown += [Text(title, style="bold underline"), table, Text("")]
    return text_of(
        [
            *head(run),
            *shown,
            *notes("What theory says", words.theory_sentences(grown.along)),
            *notes("How to read this", words.reading(grown.along)),
            Text(f"next: {told.next_step}"),
        ],
        screen,
    )


def _of_axis(one: AxisCurves, told: Told, screen: Screen) -> list[RenderableType]:
    every = words.rows(one.curves)
    kept = _kept(every, screen.width)
    shown: list[RenderableType] = [Text(words.heading(one), style="bold underline")]
    for place in one.places:
        rows = [[row[i] for i in kept] for row in words.rows(one.of(place))]
        titles = [words.TITLES[i] for i in kept]
        shown += [Text(place, style="bold"), _table(titles, rows, screen), Text("")]
    shown += left_out_for_width(
        [words.TITLES[i] for i in range(len(words.TITLES)) if i not in kept]
    )
    shown += notes("Predicted", told.predictions.get((one.axis, one.figure.name), []))
    return [*shown, *notes("In words", words.sentences(one))]


def _kept(rows: Sequence[Sequence[str]], width: int | None) -> list[int]:
    """The positions of the columns that fit, given up in the order of `GIVE_UP`."""
    kept = list(range(len(words.TITLES)))
    waiting = list(words.GIVE_UP)
    while width is not None and waiting and _width(kept, rows) > width:
        kept.remove(words.TITLES.index(waiting.pop(0)))
    return kept


def _width(kept: Sequence[int], rows: Sequence[Sequence[str]]) -> int:
    widths = [
        max(cell_len(text) for text in (words.TITLES[i], *(row[i] for row in rows))) for i in kept
    ]
    return min(widths[0], _SERIES_LEAST) + sum(widths[1:]) + _GAP * (len(kept) - 1)


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], screen: Screen) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD if screen.rules else None,
        show_edge=False,
        pad_edge=False,
        padding=(0, _GAP - screen.rules, 0, 0),
        header_style="",
    )
    for title in titles:
        is_series = title == "series"
        table.add_column(
            title,
            overflow="fold",
            no_wrap=not is_series or screen.width is None,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table
