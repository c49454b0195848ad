"""The page of a picking: one file with everything in it, which asks nothing of any network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.report import pick_text
from treebench.report.blocks import Code, Section, items
from treebench.report.html.document import plain_document
from treebench.report.pick_blocks import frontier_blocks, pick_blocks, pictures
from treebench.written.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.report.blocks import Block
    from treebench.report.frame import Framed


def page(raw: Mapping[str, Any], chart: Framed | None) -> str:
    """The page as HTML."""
    every: list[tuple[str, str, list[Block]]] = [
        ("pick", "The pick", pick_blocks(raw)),
        ("frontier", "Frontier of score, memory and time", frontier_blocks(raw)),
        ("failed", "Proofs that failed", items(pick_text.failed_proofs(raw))),
        ("ruled-out", "Ruled out", items(pick_text.ruled_out(raw))),
        ("python", "In Python", _code(raw["snippet"])),
        ("cell", "As a treebench cell", _code(_cell(raw))),
        ("bear-in-mind", "Bear in mind", items(raw["notes"])),
        ("spent", "Spent", items([pick_text.spent(raw)])),
        ("reading", "How to read the figures", items(pick_text.READING)),
    ]
    parts = [Section(name, title, tuple(blocks)) for name, title, blocks in every if blocks]
    return plain_document(pick_text.title(raw), parts, pictures(chart), "")


def _code(text: str | None) -> list[Block]:
    return [] if text is None else [Code(text)]


def _cell(raw: Mapping[str, Any]) -> str | None:
    return None if raw["config"] is None else yaml_text(dict(raw["config"]))
