"""What a picking answered, as parts of a page: its own, and the report of its samples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treebench.errors import RunFolderError
from treebench.report import pick_text
from treebench.report.blocks import Words, items, table
from treebench.report.charts import Picture

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.report.blocks import Block
    from treebench.report.frame import Framed

FILE_NAME = "pick.json"
_CAPTION = "Score against peak memory of each candidate, as foreseen; the budget is the dashed line"


def pick_answer(run_folder: Path) -> dict[str, Any] | None:
    """The last answer of the picking whose samples lie in this folder; None where there is none.

    Raises:
        RunFolderError: the file is there and cannot be read.
    """
    path = run_folder / FILE_NAME
    if not path.is_file():
        return None
    try:
        answer: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8"))["outcome"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            f"{path} cannot be read ({error}); take it away, or make it anew: treebench pick"
        ) from None
    return answer


def answer_blocks(raw: Mapping[str, Any]) -> list[Block]:
    """The pick with its frontier, for the report of all its samples."""
    return [*pick_blocks(raw), *frontier_blocks(raw), *items(raw["notes"])]


def pictures(chart: Framed | None) -> list[Picture]:
    """The frontier, where some candidate was scored."""
    return [] if chart is None else [Picture("frontier", _CAPTION, chart)]


def pick_blocks(raw: Mapping[str, Any]) -> list[Block]:
    """The configuration, foreseen and verified; or what would have to give."""
    if raw["pick"] is None:
        return [Words("What would have to give:"), *items(pick_text.smallest_lines(raw))]
    point = raw["pick"]["point"]
    rows = pick_text.verdict_rows(raw)
    return [
        Words("", pick_text.chosen(raw), f": {pick_text.numbers(point['numbers'])}"),
        table(("", "foreseen", "verified"), rows, (False, False, False)),
    ]


def frontier_blocks(raw: Mapping[str, Any]) -> list[Block]:
    """The candidates by score, memory and time; nothing where none was scored."""
    if not raw["frontier"]:
        return []
    titles, right = pick_text.FRONTIER_TITLES, pick_text.FRONTIER_RIGHT
    shown = table(titles, pick_text.frontier_rows(raw), right)
    return [shown, *items(pick_text.frontier_notes(raw))]
