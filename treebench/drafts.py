"""Files that are there whole or not at all: a draft is written beside the place, synced and
renamed into it.

A draft's name is hidden and bears this process's number, so that two processes never write the
same one, and what a killed one left is known by its end.
"""

from __future__ import annotations

import contextlib
import glob
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from treebench.errors import TreebenchError

ROOM_OR_OUT = "make room, or choose --out"
ROOM_OR_RIGHTS = "make room or fix its rights"


@contextlib.contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A name to write `path` under: the file takes its place when the block ends well, and is
    removed when it does not.

    Raises:
        OSError: it cannot be written.
    """
    _sweep(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield draft
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):  # what is told is why it could not be written
            draft.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes, error: type[TreebenchError], remedy: str) -> None:
    """Put `content` in place of the file.

    Raises:
        TreebenchError: `error`, with the `remedy`, where it cannot be written.
    """
    try:
        with draft_of(path) as draft:
            draft.write_bytes(content)
    except OSError as problem:
        raise error(f"cannot write {path} ({problem.strerror}); {remedy}") from problem


def write_files(
    folder: Path, files: Mapping[str, bytes | None], error: type[TreebenchError], remedy: str
) -> None:
    """Put `files` into the folder, which is made if need be: by their names, which may hold
    folders, each whole or not at all. What is None is taken away if it is there.

    Raises:
        TreebenchError: `error`, with the `remedy`, where one cannot be written; those before it
            are in place then.
    """
    try:
        for name, content in files.items():
            _put(folder / name, content)
    except OSError as problem:
        raise error(f"cannot write {folder} ({problem.strerror}); {remedy}") from problem


def has_ended(pid: int) -> bool:
    """Whether no process of this number runs on this host."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False  # it runs, as somebody else's
    return False


def _put(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path) as draft:
        draft.write_bytes(content)


def _sweep(path: Path) -> None:
    """Take away what a process that was killed in the middle of this has left."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        owner = left.name.split(".")[-2]
        if owner.isdecimal() and has_ended(int(owner)):
            left.unlink(missing_ok=True)
