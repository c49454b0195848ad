"""The folder of one run: `run.json` (what was asked for) and `samples.jsonl` (what was seen)."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.drafts import ROOM_OR_OUT, write_whole
from treebench.errors import RunFolderError
from treebench.store.journal import latest, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.store.row import SampleRow

FACTS_NAME = "run.json"
JOURNAL_NAME = "samples.jsonl"
FACTS_SCHEMA = 1

PUT_BACK = "put a whole copy of it back, or measure anew: treebench run CONFIG --fresh"
"""What helps whoever only reads a run."""

START_ANEW = "add --fresh, which keeps what is there aside and starts anew"
"""What helps whoever runs a sweep."""


@dataclass(frozen=True)
class Run:
    """A run as read from its folder. `rows` holds the last row of each sample."""

    folder: Path
    facts: dict[str, Any]
    rows: list[SampleRow]

    @property
    def name(self) -> str:
        """The run's name."""
        return str(self.facts["run"])


def find_run(name_or_path: str) -> Path:
    """The folder of a run given as a path, or by its name in `results/`.

    Raises:
        RunFolderError: there is no such run.
    """
    for folder in (Path(name_or_path), Path("results") / name_or_path):
        if _holds_facts(folder):
            return folder
    known = sorted(path.parent.name for path in Path("results").glob(f"*/{FACTS_NAME}"))
    remedy = (
        f"in results/ there are: {', '.join(known)}"
        if known
        else "make one: treebench run quickstart"
    )
    raise RunFolderError(f"no run in {name_or_path} nor in results/{name_or_path}; {remedy}")


def _holds_facts(folder: Path) -> bool:
    try:
        return (folder / FACTS_NAME).is_file()
    except OSError:  # a name longer than any file's
        return False


def open_run(folder: Path) -> Run:
    """Read a run.

    Raises:
        RunFolderError: the folder holds no run, or one that cannot be read.
    """
    return Run(folder, read_facts(folder), latest(read_rows(folder / JOURNAL_NAME)))


def read_facts(folder: Path, remedy: str = PUT_BACK) -> dict[str, Any]:
    """The contents of `run.json`; a config that is not kept there is empty. `remedy` is what a
    person can do about a damaged one.

    Raises:
        RunFolderError: it is missing, is no JSON, lacks something, or a newer treebench wrote it.
    """
    path = folder / FACTS_NAME
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunFolderError(f"{folder} holds no run ({FACTS_NAME} is missing)") from None
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read ({error.strerror}); mend its rights") from None
    except (ValueError, RecursionError) as error:
        raise RunFolderError(f"{path} is damaged ({error}); {remedy}") from None
    version = facts.get("schema") if isinstance(facts, dict) else None
    if type(version) is not int or version < 1:
        raise RunFolderError(f"{path} is damaged (it has no schema number); {remedy}")
    if version > FACTS_SCHEMA:
        raise RunFolderError(
            f"{path} has schema {version}, this treebench reads up to {FACTS_SCHEMA}; upgrade "
            f"treebench to read this run"
        )
    from treebench.store.facts import problem_of

    problem = problem_of(facts)
    if problem:
        raise RunFolderError(f"{path} is damaged ({problem}); {remedy}")
    return {**facts, "config": facts.get("config") or {}}


def write_facts(folder: Path, facts: dict[str, Any]) -> None:
    """Write `run.json` whole or not at all. Call it with the folder locked."""
    content = (json.dumps(facts, indent=1, allow_nan=False) + "\n").encode()
    write_whole(folder / FACTS_NAME, content, RunFolderError, ROOM_OR_OUT)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for one writing process; the lock goes with the process, however it ends.

    Raises:
        RunFolderError: another process is writing this run, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("a")
    except OSError as error:
        raise RunFolderError(
            f"cannot write in {folder} ({error.strerror}); choose another folder with --out"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunFolderError(
                f"another treebench is running in {folder}; wait for it or choose --out"
            ) from None
        yield


def set_aside(folder: Path) -> Path | None:
    """Move an earlier run out of the way, keeping it; None if there was none."""
    if not (folder / FACTS_NAME).exists() and not (folder / JOURNAL_NAME).exists():
        return None
    number = 1
    # A link to nothing is a name that is taken, too.
    while os.path.lexists(aside := folder.with_name(f"{folder.name}.old{number}")):
        number += 1
    folder.rename(aside)
    return aside
