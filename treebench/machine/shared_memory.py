"""Whether files fit into shared memory, or must lie on disk."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from treebench.machine.memory import available_memory_bytes

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the kernel's own place for it, and as safe as /tmp


@dataclass(frozen=True)
class Place:
    """Where files of `needed_bytes` are put. `free_bytes` is what was free there, and
    `shared_free_bytes` in shared memory; None where it is not known, or there is none."""

    folder: Path
    needed_bytes: int
    free_bytes: int | None
    shared_free_bytes: int | None

    @property
    def is_shared_memory(self) -> bool:
        """Whether the files are memory, and of no disk."""
        return self.folder == SHARED_MEMORY

    @property
    def fits(self) -> bool:
        """Whether they fit even there; unknown counts as yes."""
        return self.free_bytes is None or self.needed_bytes <= self.free_bytes


def place_for(needed_bytes: int) -> Place:
    """Shared memory if the files fit there, else where temporary files go."""
    shared = shared_free_bytes()
    if shared is not None and needed_bytes <= shared:
        return Place(SHARED_MEMORY, needed_bytes, shared, shared)
    disk = Path(tempfile.gettempdir())
    return Place(disk, needed_bytes, _free_bytes(disk), shared)


def shared_free_bytes() -> int | None:
    """Bytes that can be put into shared memory: what is free there, and no more than there is
    free memory, since the one may promise more than the other has."""
    if not os.access(SHARED_MEMORY, os.W_OK | os.X_OK):
        return None
    rooms = [_free_bytes(SHARED_MEMORY), available_memory_bytes()]
    return min((room for room in rooms if room is not None), default=None)


def _free_bytes(folder: Path) -> int | None:
    try:
        room = os.statvfs(folder)
    except OSError:
        return None
    return room.f_bavail * room.f_frsize
