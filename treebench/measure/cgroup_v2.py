"""A memory cgroup of version 2: one hierarchy, of which a part must be delegated to the person."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from treebench.measure.cgroup import (
    Cgroup,
    Composition,
    Unavailable,
    kernel_text,
    mount_points,
    new_name,
    own_path,
)
from treebench.measure.owner import NAME_PREFIX, owned_name

_PROC = Path("/proc/self")
_LEAF_KIND = "supervisor"
_LEAF_PREFIX = f"{NAME_PREFIX}{_LEAF_KIND}-"
_DELEGATE = "start it under `systemd-run --user --scope -p Delegate=yes`"


class CgroupV2(Cgroup):
    """`memory.peak` and its kin. Since Linux 6.12 a write to it sets the peak back, for the reader
    that holds the same descriptor only."""

    source: ClassVar[str] = "cgroup v2"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._peak_fd: int | None = None

    def reset_peak(self) -> str | None:
        """Write to the descriptor that the peak will be read from."""
        path = self.folder / "memory.peak"
        try:
            if self._peak_fd is None:
                self._peak_fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            os.pwrite(self._peak_fd, b"reset\n", 0)
        except OSError as error:
            self._close_peak()
            return f"{path} cannot be set back ({error.strerror}); Linux 6.12 and later can"
        return None

    def peak_bytes(self) -> int:
        """Most that was used since the peak was set back, else since the cgroup was made."""
        if self._peak_fd is None:
            return self._number("memory.peak")
        return int(os.pread(self._peak_fd, 64, 0))

    def used_bytes(self) -> int:
        """What is used now."""
        return self._number("memory.current")

    def composition(self) -> Composition:
        """From memory.stat; in version 2, `file` includes shmem."""
        stat = self._table("memory.stat")
        return Composition(stat["anon"], stat["file"] - stat["shmem"], stat["shmem"])

    def oom_kills(self) -> int:
        """Kills counted in memory.events."""
        return self._table("memory.events").get("oom_kill", 0)

    def set_limit(self, limit_bytes: int) -> None:
        """Limit memory, allow no swap, and let a kill take the whole tree."""
        (self.folder / "memory.max").write_text(f"{limit_bytes}\n")
        for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            if (self.folder / name).exists():
                (self.folder / name).write_text(f"{value}\n")

    def remove(self) -> None:
        """Remove the cgroup; its processes must be gone."""
        self._close_peak()
        super().remove()

    def _close_peak(self) -> None:
        if self._peak_fd is not None:
            os.close(self._peak_fd)
            self._peak_fd = None


def sample_parent_v2(proc: Path = _PROC) -> Path | Unavailable:
    """Where the cgroups of samples are made: in this process's own, or why there is none."""
    path = own_path(kernel_text(proc / "cgroup"), "")
    mounts = mount_points(kernel_text(proc / "mounts"), "cgroup2")
    if path is None or not mounts:
        return Unavailable("there is no cgroup v2")
    parent = mounts[0] / path.lstrip("/")
    # An earlier sample may have moved this process aside already.
    return parent.parent if parent.name.startswith(_LEAF_PREFIX) else parent


def open_cgroup_v2(proc: Path = _PROC) -> CgroupV2 | Unavailable:
    """A new cgroup below this process's own, or why there can be none."""
    parent = sample_parent_v2(proc)
    if isinstance(parent, Unavailable):
        return parent
    if "memory" not in _words(parent / "cgroup.controllers"):
        return Unavailable(f"cgroup v2 has no memory controller in {parent}; {_DELEGATE}")
    try:
        _enable_memory(parent)
        folder = parent / new_name()
        folder.mkdir()
    except OSError as error:
        return Unavailable(f"{parent} is not delegated to us ({error.strerror}); {_DELEGATE}")
    return CgroupV2(folder)


def _enable_memory(parent: Path) -> None:
    """Give children of `parent` the memory controller. A cgroup that does so may hold no process
    itself (but for the root), so this process steps into a leaf of its own first."""
    if "memory" in _words(parent / "cgroup.subtree_control"):
        return
    leaf = parent / owned_name(_LEAF_KIND)
    leaf.mkdir(exist_ok=True)
    (leaf / "cgroup.procs").write_text(f"{os.getpid()}\n")
    (parent / "cgroup.subtree_control").write_text("+memory\n")


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []
