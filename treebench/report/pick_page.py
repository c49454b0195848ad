"""The page of a picking: one file with everything in it, which asks nothing of any network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.report import pick_text
from treebench.report.blocks import Code, Section, Words, items, table
from treebench.report.charts import Picture
from treebench.report.html.document import plain_document
from treebench.written.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.report.blocks import Block
    from treebench.report.frame import Framed

_CAPTION = "Score against peak memory of each candidate, as foreseen; the budget is the dashed line"


def page(raw: Mapping[str, Any], chart: Framed | None) -> str:
    """The page as HTML."""
    every: list[tuple[str, str, list[Block]]] = [
        ("pick", "The pick", _pick(raw)),
        ("frontier", "Frontier of score, memory and time", _frontier(raw)),
        ("failed", "Proofs that failed", items(pick_text.failed_proofs(raw))),
        ("ruled-out", "Never run", items(pick_text.ruled_out(raw))),
        ("python", "In Python", _code(raw["snippet"])),
        ("cell", "As a treebench cell", _code(_cell(raw))),
        ("bear-in-mind", "Bear in mind", items(raw["notes"])),
        ("spent", "Spent", items([pick_text.spent(raw)])),
        ("reading", "How to read the figures", items(pick_text.READING)),
    ]
    parts = [Section(name, title, tuple(blocks)) for name, title, blocks in every if blocks]
    pictures = [] if chart is None else [Picture("frontier", _CAPTION, chart)]
    return plain_document(pick_text.title(raw), parts, pictures, "")


def _pick(raw: Mapping[str, Any]) -> list[Block]:
    if raw["pick"] is None:
        return [Words("What would have to give:"), *items(pick_text.smallest_lines(raw))]
    point = raw["pick"]["point"]
    rows = pick_text.verdict_rows(raw)
    return [
        Words("", pick_text.chosen(raw), f": {pick_text.numbers(point['numbers'])}"),
        table(("", "foreseen", "verified"), rows, (False, False, False)),
    ]


def _frontier(raw: Mapping[str, Any]) -> list[Block]:
    if not raw["frontier"]:
        return []
    titles, right = pick_text.FRONTIER_TITLES, pick_text.FRONTIER_RIGHT
    shown = table(titles, pick_text.frontier_rows(raw), right)
    return [shown, *items(pick_text.frontier_notes(raw))]


def _code(text: str | None) -> list[Block]:
    return [] if text is None else [Code(text)]


def _cell(raw: Mapping[str, Any]) -> str | None:
    return None if raw["config"] is None else yaml_text(dict(raw["config"]))
