"""The notebook of runs on the terminal: a line for each, and below it what was expected."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from treebench.report.expected_text import sentence
from treebench.report.terminal import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from treebench.analysis.notebook import Entry
    from treebench.report.terminal import Screen

_STYLES = {"holds": "green", "fails": "red", "cannot tell": "yellow"}
_INDENT = (0, 0, 0, 2)


def notebook_screen(entries: Sequence[Entry], screen: Screen) -> str:
    """The runs in the order given."""
    newest = next((each for each in reversed(entries) if each.problem is None), None)
    shown = [line for each in entries for line in _lines(each)]
    if newest is not None:
        shown += [Text(""), Text(f"next: treebench show {shlex.quote(str(newest.folder))}")]
    return text_of(shown, screen)


def _lines(entry: Entry) -> list[RenderableType]:
    if entry.problem is not None:
        return [Text(f"{entry.folder}: {entry.problem}", style="yellow")]
    date = entry.started_at[:16].replace("T", " ")
    head = Text(f"{date}  {entry.name}", style="bold")
    head.append(f"  {_samples(entry)}, in {entry.folder}", style="not bold")
    lines: list[RenderableType] = [head]
    if entry.note:
        lines.append(Padding(Text(f"note: {entry.note}"), _INDENT))
    if entry.expected is not None:
        text = f"expected {sentence(entry.expected)}"
        lines.append(Padding(Text(text, style=_STYLES[entry.expected.outcome]), _INDENT))
    return lines


def _samples(entry: Entry) -> str:
    if entry.samples == entry.ended:
        return f"{entry.samples} samples"
    return f"{entry.samples} of {entry.ended} samples ended well"
