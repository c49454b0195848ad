"""A memory cgroup around one worker: the kernel's own account of a process tree, each page once.

The kernel charges a page to the cgroup that first touched it, whoever shares it later; so the peak
of a cgroup is the peak of the tree with shared pages once. It counts page cache and tmpfs too, so
what was anonymous, file-backed and shared memory is read beside it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from treebench.measure.owner import owned_name

if TYPE_CHECKING:
    from collections.abc import Sequence

_numbers = itertools.count()


@dataclass(frozen=True)
class Composition:
    """What a cgroup holds at a moment, in bytes. `shmem` is tmpfs and shared anonymous memory, a
    memmap in /dev/shm among it; `file` is page cache without it."""

    anon_bytes: int
    file_bytes: int
    shmem_bytes: int


@dataclass(frozen=True)
class Unavailable:
    """Why no cgroup can be made here, and what would change that."""

    reason: str


class Cgroup(ABC):
    """One cgroup, made by `open_cgroup` and removed by `remove`."""

    source: ClassVar[str]
    """How a figure says where it came from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def reset_peak(self) -> str | None:
        """Set the peak back to the present use; why it cannot be, or None."""

    @abstractmethod
    def peak_bytes(self) -> int:
        """Most that was used since the peak was last set back, else since the cgroup was made."""

    @abstractmethod
    def used_bytes(self) -> int:
        """What is used now, page cache included."""

    @abstractmethod
    def composition(self) -> Composition:
        """What that is made of."""

    @abstractmethod
    def oom_kills(self) -> int:
        """Processes in it that the kernel killed for memory."""

    @abstractmethod
    def set_limit(self, limit_bytes: int) -> None:
        """Let the kernel kill what would use more. Swap counts as well."""

    def entering(self, command: Sequence[str]) -> list[str]:
        """A command that joins the cgroup before it becomes `command`, so that every page of it is
        charged here: one moved in later leaves its first pages with the supervisor."""
        joins = 'echo $$ > "$0" && exec "$@"'
        return ["/bin/sh", "-c", joins, str(self.folder / "cgroup.procs"), *command]

    def processes(self) -> list[int]:
        """The processes in it, threads not counted apart."""
        return [int(line) for line in (self.folder / "cgroup.procs").read_text().split()]

    def kill_all(self) -> None:
        """Kill every process in it, those whose parent has ended among them. One that is started
        meanwhile may be missed: call it until `processes` finds none."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def remove(self) -> None:
        """Remove the cgroup; its processes must be gone.

        Raises:
            OSError: a process is still in it.
        """
        self.folder.rmdir()

    def _number(self, name: str) -> int:
        return int((self.folder / name).read_text())

    def _table(self, name: str) -> dict[str, int]:
        lines = (line.split() for line in (self.folder / name).read_text().splitlines())
        return {words[0]: int(words[1]) for words in lines if len(words) == 2}


def new_name() -> str:
    """A name that tells whose it is, so that what a killed supervisor left can be told apart."""
    return owned_name(number=next(_numbers))


def kernel_text(path: Path) -> str:
    """The text of a file of the kernel's, which holds paths of any bytes; empty where it is not
    there, as on a kernel without cgroups."""
    try:
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""


def own_path(self_cgroup: str, controller: str) -> str | None:
    """The path of this process in the hierarchy of `controller` ("" for v2), from the text of
    /proc/self/cgroup; None if it is in none."""
    for line in self_cgroup.splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    return None


def mount_points(mounts: str, kind: str, option: str | None = None) -> list[Path]:
    """Where file systems of a kind are mounted, from the text of /proc/self/mounts."""
    lines = (line.split() for line in mounts.splitlines())
    return [
        Path(words[1].replace("\\040", " "))
        for words in lines
        if words[2] == kind and (option is None or option in words[3].split(","))
    ]
