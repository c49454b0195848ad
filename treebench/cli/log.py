"""`treebench log`: the runs of a folder by date, what was expected of them, and what came of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treebench.cli.options import JsonOption
from treebench.errors import RunFolderError

if TYPE_CHECKING:
    from treebench.analysis.notebook import Entry


def log(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the runs lie.", show_default=True)
    ] = Path("results"),
    as_json: JsonOption = False,
) -> None:
    """List runs by date, with notes and what came of expectations."""
    from treebench.analysis.notebook import entries
    from treebench.report.notebook_screen import notebook_screen
    from treebench.report.terminal import screen_of

    listed = entries(folder)
    if not listed:
        raise RunFolderError(f"no run in {folder}; make one: treebench run quickstart")
    if as_json:
        sys.stdout.write(json.dumps([_raw(each) for each in listed], indent=1) + "\n")
        return
    sys.stdout.write(notebook_screen(listed, screen_of(sys.stdout)))


def _raw(entry: Entry) -> dict[str, Any]:
    from treebench.report.expected_text import raw

    if entry.problem is not None:
        return {"folder": str(entry.folder), "problem": entry.problem}
    return {
        "folder": str(entry.folder),
        "run": entry.name,
        "started_at": entry.started_at,
        "samples_ok": entry.samples,
        "samples_ended": entry.ended,
        "note": entry.note,
        "expected": None if entry.expected is None else raw(entry.expected),
    }
