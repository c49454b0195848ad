"""The files of a picking: the page with its chart, the script to paste, the cell as a config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.drafts import ROOM_OR_OUT, write_files
from treebench.errors import RunFolderError
from treebench.written.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PAGE, SCRIPT, CONFIG, CHART = "pick.html", "pick.py", "pick.yaml", "pick-frontier"


def write_pick(folder: Path, raw: Mapping[str, Any]) -> dict[str, str]:
    """Write them, each whole or not at all, and take away those of an earlier answer that this one
    does not have. Returns their paths by what they are.

    Raises:
        RunFolderError: they cannot be written.
    """
    from treebench.report.pick_chart import frontier_chart
    from treebench.report.pick_page import page
    from treebench.report.render import png, svg

    chart = frontier_chart(raw)
    files: dict[str, tuple[str, bytes | None]] = {
        PAGE: ("page", page(raw, chart).encode()),
        f"{CHART}.png": ("chart", None if chart is None else png(chart)),
        f"{CHART}.svg": ("", None if chart is None else svg(chart).encode()),
        SCRIPT: ("Python", _encoded(raw["snippet"])),
        CONFIG: ("treebench cell", None if raw["config"] is None else _config(raw)),
    }
    contents = {name: content for name, (_, content) in files.items()}
    write_files(folder, contents, RunFolderError, ROOM_OR_OUT)
    written = {what: name for name, (what, content) in files.items() if what and content}
    return {what: str(folder / name) for what, name in written.items()}


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _config(raw: Mapping[str, Any]) -> bytes:
    head = "# The pick as a cell: `treebench run` takes this file.\n"
    return (head + yaml_text(dict(raw["config"]))).encode()
