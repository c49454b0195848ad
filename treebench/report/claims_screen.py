"""Claims on the terminal: claimed, measured, verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from treebench.report import claims_text
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from treebench.analysis.claims import ClaimOutcome
    from treebench.report.terminal import Screen

_INDENT = (0, 0, 0, 2)
STYLES = {
    "holds": "green",
    "fails": "red",
    "holds in part": "yellow",
    "cannot tell here": "yellow",
}


def claims_screen(outcomes: Sequence[ClaimOutcome], screen: Screen) -> str:
    """A table for each claim, then one line on all of them."""
    blocks = [block for each in outcomes for block in _claim(each, screen)]
    return text_of(
        [
            *blocks,
            *notes("How to read this", claims_text.READING),
            Text(claims_text.tally(outcomes), style="bold"),
        ],
        screen,
    )


def _claim(outcome: ClaimOutcome, screen: Screen) -> list[RenderableType]:
    claim = outcome.claim
    head = Text(f"{claim.id}  {claim.title}: ", style="bold")
    head.append(claims_text.verdict_words(outcome), style=STYLES[outcome.verdict])
    claimed, *said = (
        Padding(Text(each), _INDENT)
        for each in (f"claimed: {claim.claim}", *claims_text.remarks(outcome))
    )
    return [head, claimed, _table(outcome, screen), *said, Text("")]


def _table(outcome: ClaimOutcome, screen: Screen) -> Table:
    table = Table(box=box.SIMPLE_HEAD if screen.rules else None, show_edge=False, pad_edge=False)
    for title, right in zip(claims_text.TITLES, claims_text.RIGHT, strict=True):
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    for each in outcome.checks:
        *cells, verdict = claims_text.check_row(each)
        table.add_row(*cells, Text(verdict, style=STYLES[each.verdict]))
    return table
