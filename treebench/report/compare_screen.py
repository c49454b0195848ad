"""A comparison on the terminal: each cell that changed, its figures below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from treebench.report import compare_outlook, compare_text
from treebench.report.terminal import left_out_for_width, notes, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from treebench.analysis.comparing.rule import Verdict
    from treebench.analysis.comparing.runs import ComparedRuns, PairedCell
    from treebench.report.terminal import Screen

STYLES: dict[Verdict, str] = {
    "worse": "red",
    "not comparable": "yellow",
    "unclear": "yellow",
    "better": "green",
    "same": "",
}
_GAP = 2
_VITAL = ("verdict", "figure", "before", "after", "change")


def compare_screen(
    compared: ComparedRuns, next_step: str, screen: Screen, *, every: bool = False
) -> str:
    """The verdicts as text. What is the same is counted, and listed with `every` only."""
    return text_of(
        [
            Text(compare_text.head(compared), style="bold"),
            *map(Text, compare_text.circumstances(compared)),
            Text(""),
            *_table(compared, screen, every=every),
            *notes("Not comparable", compare_text.apart_lines(compared)),
            *notes("What would make it clear", compare_outlook.unclear_lines(compared)),
            *notes("In one of the two only", compare_text.lost_lines(compared.lost)),
            *notes("How to read this", compare_text.READING),
            Text(f"next: {next_step}"),
        ],
        screen,
    )


def _table(compared: ComparedRuns, screen: Screen, *, every: bool) -> list[RenderableType]:
    """One table for all cells, so that its columns stand under one another."""
    listed = [
        (cell, [compare_text.row(each) for each in compare_text.shown(cell, every=every)])
        for cell in compare_text.by_worst(compared)
        if (every or cell.verdict != "same" or compare_text.cell_lines(cell))
        and not compare_text.is_apart(cell)
    ]
    rows = [row for _, group in listed for row in group]
    widths = [
        max(cell_len(each) for each in (title, *column))
        for title, *column in zip(compare_text.TITLES, *rows, strict=True)
    ]
    kept = _fitting(widths, screen.width)
    titles = [_line(compare_text.TITLES, widths, kept), Text("")] if rows else []
    said: list[RenderableType] = [*titles]
    for cell, group in listed:
        said += [_cell_head(cell), *(_line(row, widths, kept) for row in group)]
        said += [Text(f"  {each}") for each in compare_text.cell_lines(cell)]
        said.append(Text(""))
    narrow = [title for at, title in enumerate(compare_text.TITLES) if at not in kept]
    return [*said, *(left_out_for_width(narrow) if rows else [])]


def _cell_head(cell: PairedCell) -> Text:
    head = Text(f"{cell.place}: ", style="bold")
    head.append(cell.verdict, style=f"bold {STYLES[cell.verdict]}".strip())
    return head


def _fitting(widths: Sequence[int], width: int | None) -> list[int]:
    """The columns that fit, the last ones given up first; never those that say what changed."""
    kept = list(range(len(widths)))
    while width is not None and sum(widths[at] + _GAP for at in kept) > width:
        spare = [at for at in kept if compare_text.TITLES[at] not in _VITAL]
        if not spare:
            break
        kept.remove(spare[-1])
    return kept


def _line(row: Sequence[str], widths: Sequence[int], kept: Sequence[int]) -> Text:
    line = Text("")
    for at in kept:
        text, blank = row[at], " " * (widths[at] - cell_len(row[at]))
        line.append(" " * _GAP)
        aligned = f"{blank}{text}" if compare_text.RIGHT[at] else f"{text}{blank}"
        line.append(aligned, style=_style(text) if at == 0 else "")
    return line


def _style(text: str) -> str:
    return next((style for verdict, style in STYLES.items() if verdict == text), "")
