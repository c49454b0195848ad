"""A night on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from treebench.report import nightly_text
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from treebench.history.morning import Morning
    from treebench.report.terminal import Screen


def nightly_screen(morning: Morning, page: str, next_step: str, screen: Screen) -> str:
    """The night as text."""
    shown = [
        Text(nightly_text.head(morning), style="bold red" if morning.regressions else "bold"),
        *map(Text, nightly_text.circumstances(morning)),
        Text(""),
    ]
    said = [each for title, lines in nightly_text.parts(morning) for each in notes(title, lines)]
    return text_of([*shown, *said, Text(f"page: {page}"), Text(f"next: {next_step}")], screen)
