"""Shifts that people have accepted: a YAML file beside the history, to be reviewed like code."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from treebench.errors import RunFolderError
from treebench.history.night import is_name
from treebench.written.mistakes import mistakes
from treebench.written.yaml_text import read_yaml, yaml_text

if TYPE_CHECKING:
    from collections.abc import Sequence
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
        first = next(mistakes(error, _File, raw))
        raise RunFolderError(
            f"{path}: {first.key or 'the file'}: {first.detail['msg'].lower()}; mend that entry or "
            f"remove it"
        ) from None
    for each in found.acknowledged:
        for night in (each.since, each.seen):
            if not is_name(night):
                raise RunFolderError(
                    f"{path}: {night!r} is no night; write it as 2026-01-31T01-00-00Z"
                )
    return tuple(Acknowledged(**dict(each)) for each in found.acknowledged)


def acknowledge(folder: Path, entry: Acknowledged) -> Path:
    """Add an entry, and give the file's path.

    Raises:
        RunFolderError: the file there is damaged, or cannot be written.
    """
    kept = [each for each in read_acknowledged(folder) if not _same(each, entry)]
    path = folder / NAME
    draft = path.with_name(f".{NAME}.{os.getpid()}.part")
    try:
        draft.write_text(_text([*kept, entry]), encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise RunFolderError(
            f"cannot write {path} ({error.strerror}); make room or fix its rights"
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return path


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
