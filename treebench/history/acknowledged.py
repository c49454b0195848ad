"""Shifts that people have accepted: a YAML file beside the history, to be reviewed like code."""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treebench.drafts import ROOM_OR_RIGHTS, draft_of
from treebench.errors import RunFolderError
from treebench.history.night import is_name
from treebench.written.refusals import refusals
from treebench.written.yaml_text import read_yaml, yaml_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

NAME = "acknowledged.yaml"
_HEAD = (
    "# Shifts that were accepted: from the night `since` on, the level that the figure had by the\n"
    "# night `seen` is what later nights are judged by. Written by `treebench nightly "
    "--acknowledge`;\n# remove an entry to take it back.\n"
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Entry(_Strict):
    machine: str
    cell: str
    figure: str
    since: str
    seen: str
    reason: str = Field(min_length=1)
    place: str | None = None


class _File(_Strict):
    acknowledged: list[_Entry] = []


@dataclass(frozen=True)
class Acknowledged:
    """A shift of a figure of a cell on one machine (its fingerprint), since one night and up to the
    one by which it was seen; `place` says in words which cell that is."""

    machine: str
    cell: str
    figure: str
    since: str
    seen: str
    reason: str
    place: str | None = None


def read_acknowledged(folder: Path) -> tuple[Acknowledged, ...]:
    """Those in the file of a history's folder; none where there is no such file.

    Raises:
        RunFolderError: it is not such a file; the line says what to mend.
    """
    path = folder / NAME
    if not path.exists():
        return ()
    try:
        raw = read_yaml(path, RunFolderError) or {}
        found = _File.model_validate(raw)
    except ValidationError as error:
        lines = refusals(error, _File, raw, {})
        raise RunFolderError(*(f"{path}: {line}" for line in lines)) from None
    wrong = [
        f"{path}: acknowledged.{at}.{key} is {night!r}; write a night as 2026-01-31T01-00-00Z"
        for at, each in enumerate(found.acknowledged)
        for key, night in (("since", each.since), ("seen", each.seen))
        if not is_name(night)
    ]
    if wrong:
        raise RunFolderError(*wrong)
    return tuple(Acknowledged(**dict(each)) for each in found.acknowledged)


def acknowledge(folder: Path, entry: Acknowledged) -> Path:
    """Add an entry, and give the file's path. Of two at once, each adds its own: the second one
    waits.

    Raises:
        RunFolderError: the file there is damaged, or cannot be written.
    """
    path = folder / NAME
    try:
        with _held(folder):
            kept = [each for each in read_acknowledged(folder) if not _same(each, entry)]
            with draft_of(path) as draft:
                draft.write_text(_text([*kept, entry]), encoding="utf-8")
    except OSError as error:
        raise RunFolderError(f"cannot write {path} ({error.strerror}); {ROOM_OR_RIGHTS}") from error
    return path


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keep all others from changing the file meanwhile; the kernel lets go however it ends."""
    with (folder / f".{NAME}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _same(first: Acknowledged, second: Acknowledged) -> bool:
    return (first.machine, first.cell, first.figure, first.since) == (
        second.machine,
        second.cell,
        second.figure,
        second.since,
    )


def _text(entries: Sequence[Acknowledged]) -> str:
    listed = [
        {
            "machine": each.machine,
            "cell": each.cell,
            **({"place": each.place} if each.place else {}),
            "figure": each.figure,
            "since": each.since,
            "seen": each.seen,
            "reason": each.reason,
        }
        for each in entries
    ]
    return _HEAD + yaml_text({"acknowledged": listed})
