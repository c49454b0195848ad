"""How many cores this process may use. `os.cpu_count()` answers another question."""

from __future__ import annotations

import math
import os
from pathlib import Path

_CPU_FOLDER = Path("/sys/devices/system/cpu")
_CGROUP_FOLDER = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Logical cores by affinity, cut to the cgroup's CPU quota (v1 or v2), at least 1."""
    cores = len(_affinity())
    quota = cgroup_quota()
    return cores if quota is None else max(1, min(cores, math.floor(quota)))


def physical_cores() -> int:
    """Physical cores among the usable ones: hyper-threads of one core count once."""
    allowed = _affinity()
    cores = {_core_of(cpu) for cpu in allowed}
    return min(usable_cores(), len(cores))


def cgroup_quota(root: Path = _CGROUP_FOLDER) -> float | None:
    """CPUs' worth of time the cgroup allows, or None without a limit."""
    v2 = _words(root / "cpu.max")
    if len(v2) == 2 and v2[0] != "max":
        return int(v2[0]) / int(v2[1])
    quota = _words(root / "cpu" / "cpu.cfs_quota_us")
    period = _words(root / "cpu" / "cpu.cfs_period_us")
    if quota and period and int(quota[0]) > 0:
        return int(quota[0]) / int(period[0])
    return None


def _affinity() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def _core_of(cpu: int) -> str:
    """The name of the physical core: its set of sibling threads, else the CPU itself."""
    siblings = _words(_CPU_FOLDER / f"cpu{cpu}" / "topology" / "thread_siblings_list")
    return siblings[0] if siblings else str(cpu)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text().split()
    except OSError:
        return []
