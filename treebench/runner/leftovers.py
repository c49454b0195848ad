"""What earlier runs left that were killed whole, supervisor and caretaker alike."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.measure.cgroup import Unavailable
from treebench.measure.cgroup_v1 import sample_parent_v1
from treebench.measure.cgroup_v2 import sample_parent_v2
from treebench.measure.owner import NAME_PREFIX, has_dead_owner
from treebench.runner.caretaker_process import kill_those_with, remove_shared
from treebench.trainers.scratch import SCRATCH_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SCRATCH = SCRATCH_VARIABLE.encode()
_PATIENCE_S = 1.0
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - only read, and what is removed there is our own


def remove_leftovers() -> None:
    """End the processes, and remove the empty cgroups and the temporary folders, of samples whose
    supervisor is certainly gone."""
    kill_those_with(_of_a_dead_supervisor)
    remove_empty_cgroups(_cgroup_parents())
    remove_folders((Path(tempfile.gettempdir()), _SHARED_MEMORY))


def _of_a_dead_supervisor(entry: bytes) -> bool:
    """Whether an entry of an environment names the folder of a sample whose supervisor has ended:
    pools and their trackers outlive a worker that is killed."""
    name, _, folder = entry.partition(b"=")
    return name == _SCRATCH and has_dead_owner(os.path.basename(os.fsdecode(folder)))


def remove_empty_cgroups(parents: Iterable[Path]) -> None:
    """Remove those below `parents` that a process made which has ended. The kernel keeps one that
    a process is in, and so do we."""
    for folder in _left_in(parents):
        with contextlib.suppress(OSError):
            _remove_empty(folder)


def _remove_empty(folder: Path) -> None:
    """The kernel takes a moment over processes that were just killed, which are listed no more."""
    ends_at = time.monotonic() + _PATIENCE_S
    while not (folder / "cgroup.procs").read_text() and time.monotonic() < ends_at:
        with contextlib.suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.01)


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
