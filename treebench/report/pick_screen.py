"""A picking on the terminal: the pick and its proof, the frontier, what was ruled out, the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from treebench.report import pick_text
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

    from treebench.report.terminal import Screen

_INDENT = (0, 0, 0, 2)
_STYLES = {"the pick": "green", "failed its proof": "red", "bettered": "dim"}


def pick_screen(raw: Mapping[str, Any], files: Mapping[str, str], screen: Screen) -> str:
    """The whole answer. `files` are the files that were written, by what they are."""
    shown: list[RenderableType] = [Text(pick_text.title(raw), style="bold"), Text("")]
    if raw["pick"] is None:
        shown += notes("What would have to give", pick_text.smallest_lines(raw))
    else:
        shown += _pick(raw, screen)
    if raw["frontier"]:
        titles, right = pick_text.FRONTIER_TITLES, pick_text.FRONTIER_RIGHT
        shown += [
            Text("Frontier of score, memory and time", style="bold"),
            _table(titles, pick_text.frontier_rows(raw), right, screen, _STYLES),
            *(Padding(Text(each), _INDENT) for each in pick_text.frontier_notes(raw)),
            Text(""),
        ]
    shown += notes("Proofs that failed", pick_text.failed_proofs(raw))
    shown += notes("Ruled out", pick_text.ruled_out(raw))
    shown += notes("Bear in mind", raw["notes"])
    shown += notes("Spent", [pick_text.spent(raw)])
    if raw["frontier"]:
        shown += notes("How to read this", pick_text.READING)
    shown += notes("Files", [f"{what}: {path}" for what, path in files.items()])
    return text_of(shown, screen)


def _pick(raw: Mapping[str, Any], screen: Screen) -> list[RenderableType]:
    point = raw["pick"]["point"]
    rows = pick_text.verdict_rows(raw)
    shown: list[RenderableType] = [
        Padding(Text(pick_text.chosen(raw), style="bold green"), _INDENT),
        Padding(Text(pick_text.numbers(point["numbers"])), _INDENT),
        Text(""),
        _table(("", "foreseen", "verified"), rows, (False, False, False), screen, {}),
        Text(""),
    ]
    if raw["snippet"] is None:
        return shown
    fit = raw["snippet"].rstrip().split("\n\n")[-1]
    return [
        *shown,
        Text("In Python (the file has how X and y are read)", style="bold"),
        Padding(Text(fit), _INDENT),
        Text(""),
    ]


def _table(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    screen: Screen,
    styles: Mapping[str, str],
) -> RenderableType:
    table = Table(
        box=box.SIMPLE_HEAD if screen.rules else None,
        show_edge=False,
        pad_edge=False,
        padding=(0, 2 - screen.rules, 0, 0),
        header_style="",
    )
    for title, to_right in zip(titles, right, strict=True):
        table.add_column(title, justify="right" if to_right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row), style=styles.get(row[0]))
    return Padding(table, _INDENT)
