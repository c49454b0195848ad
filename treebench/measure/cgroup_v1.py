"""A memory cgroup of version 1: a hierarchy of its own for memory, often writable in containers."""

from __future__ import annotations

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

_PROC = Path("/proc/self")


class CgroupV1(Cgroup):
    """`memory.max_usage_in_bytes` and its kin; writing to it sets the peak back."""

    source: ClassVar[str] = "cgroup v1"

    def reset_peak(self) -> str | None:
        """Write 0 to the peak; the kernel sets it to the present use."""
        try:
            (self.folder / "memory.max_usage_in_bytes").write_text("0\n")
        except OSError as error:
            return f"the peak of {self.folder} cannot be set back: {error.strerror}"
        return None

    def peak_bytes(self) -> int:
        """Most that was used since the peak was set back."""
        return self._number("memory.max_usage_in_bytes")

    def used_bytes(self) -> int:
        """What is used now."""
        return self._number("memory.usage_in_bytes")

    def composition(self) -> Composition:
        """The hierarchy's totals; in version 1, `cache` includes shmem."""
        stat = self._table("memory.stat")
        shmem = stat.get("total_shmem", 0)
        return Composition(stat["total_rss"], stat["total_cache"] - shmem, shmem)

    def oom_kills(self) -> int:
        """Kills counted in memory.oom_control (Linux 4.13 and later)."""
        return self._table("memory.oom_control").get("oom_kill", 0)

    def set_limit(self, limit_bytes: int) -> None:
        """Limit memory, and memory with swap where the kernel counts swap, else forbid swap."""
        (self.folder / "memory.limit_in_bytes").write_text(f"{limit_bytes}\n")
        with_swap = self.folder / "memory.memsw.limit_in_bytes"
        if with_swap.exists():
            with_swap.write_text(f"{limit_bytes}\n")
        else:
            (self.folder / "memory.swappiness").write_text("0\n")


def sample_parent_v1(proc: Path = _PROC) -> Path | Unavailable:
    """Where the cgroups of samples are made: in this process's own, or why there is none."""
    path = own_path(kernel_text(proc / "cgroup"), "memory")
    mounts = mount_points(kernel_text(proc / "mounts"), "cgroup", "memory")
    if path is None or not mounts:
        return Unavailable("there is no memory hierarchy of cgroup v1")
    # In a container the path is that of the host, and the mount already shows our own part.
    parents = [parent for mount in mounts for parent in (mount / path.lstrip("/"), mount)]
    return next((candidate for candidate in parents if candidate.is_dir()), mounts[0])


def open_cgroup_v1(proc: Path = _PROC) -> CgroupV1 | Unavailable:
    """A new cgroup below this process's own, or why there can be none."""
    parent = sample_parent_v1(proc)
    if isinstance(parent, Unavailable):
        return parent
    folder = parent / new_name()
    try:
        folder.mkdir()
    except OSError as error:
        return Unavailable(f"{parent} is not ours to write in ({error.strerror})")
    return CgroupV1(folder)
