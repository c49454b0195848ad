"""A folder's runs as a notebook: when, what for, what was expected, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.expected import expected_of
from treebench.errors import RunFolderError
from treebench.store.run_folder import FACTS_NAME, open_run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from treebench.analysis.expected import Expected
    from treebench.store.run_folder import Run

_PLACES = (f"*/{FACTS_NAME}", f"*/*/{FACTS_NAME}")
"""Runs of one's own, and those of claims, whose folder is one deeper."""


@dataclass(frozen=True)
class Entry:
    """A run. `samples` ended well, of those that have an outcome, `ended`; the control cell is
    not counted. `problem` is set, and nothing else but the folder, where it cannot be read."""

    folder: Path
    name: str = ""
    started_at: str = ""
    samples: int = 0
    ended: int = 0
    note: str | None = None
    expected: Expected | None = None
    problem: str | None = None


def entries(folder: Path) -> list[Entry]:
    """The runs in a folder, or that folder's own, oldest first; unreadable ones come last."""
    found = sorted({path.parent for place in (FACTS_NAME, *_PLACES) for path in folder.glob(place)})
    listed = map(_entry, sorted(_once(found)))
    return sorted(listed, key=lambda each: (bool(each.problem), each.started_at))


def _once(folders: Iterable[Path]) -> Iterable[Path]:
    """Each folder under one name, the shortest and one without a link where it has several: a
    link to a folder above it leads to all runs again."""
    ordered = sorted(folders, key=lambda path: (len(path.parts), path.is_symlink(), path))
    names: dict[Path, Path] = {}
    for path in ordered:
        names.setdefault(path.resolve(), path)
    return names.values()


def _entry(folder: Path) -> Entry:
    try:
        return _read(open_run(folder))
    except RunFolderError as error:
        return Entry(folder, problem="; ".join(error.problems))


def _read(run: Run) -> Entry:
    planned = {cell["id"] for cell in run.facts["plan"]["cells"]}
    own = [row for row in run.rows if row.cell in planned and row.status != "interrupted"]
    return Entry(
        folder=run.folder,
        name=run.name,
        started_at=run.facts["started_at"],
        samples=sum(row.status == "ok" for row in own),
        ended=len(own),
        note=run.facts.get("note"),
        expected=expected_of(run.facts, run.rows),
    )
