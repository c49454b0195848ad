"""What earlier runs left that were killed whole, supervisor and caretaker alike."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.measure.cgroup import Unavailable
from treebench.measure.cgroup_v1 import sample_parent_v1
from treebench.measure.cgroup_v2 import sample_parent_v2
from treebench.measure.owner import NAME_PREFIX, has_dead_owner
from treebench.runner.caretaker_process import remove_shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - only read, and what is removed there is our own


def remove_leftovers() -> None:
    """Remove the empty cgroups and the temporary folders whose maker is certainly gone."""
    remove_empty_cgroups(_cgroup_parents())
    remove_folders((Path(tempfile.gettempdir()), _SHARED_MEMORY))


def remove_empty_cgroups(parents: Iterable[Path]) -> None:
    """Remove those below `parents` that a process made which has ended. The kernel keeps one that
    a process is in, and so do we."""
    for folder in _left_in(parents):
        with contextlib.suppress(OSError):
            folder.rmdir()


def remove_folders(parents: Iterable[Path]) -> None:
    """Remove those in `parents` that a process of this person made which has ended."""
    for folder in _left_in(parents):
        # One that cannot be removed in full stays, and takes nothing from this run.
        remove_shared(str(folder))


def _left_in(parents: Iterable[Path]) -> Iterator[Path]:
    for parent in parents:
        with contextlib.suppress(OSError):  # not there, or not ours to read: nothing of ours
            yield from (Path(entry.path) for entry in list(os.scandir(parent)) if _is_left(entry))


def _is_left(entry: os.DirEntry[str]) -> bool:
    return (
        entry.name.startswith(NAME_PREFIX)
        and has_dead_owner(entry.name)
        and entry.is_dir(follow_symlinks=False)
        and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    )


def _cgroup_parents() -> list[Path]:
    """Where this process would make the cgroups of its samples."""
    found = []
    for parent_of in (sample_parent_v2, sample_parent_v1):
        with contextlib.suppress(OSError):  # no /proc: no cgroups either
            parent = parent_of()
            if not isinstance(parent, Unavailable):
                found.append(parent)
    return found
