"""How many cores this process may use. `os.cpu_count()` answers another question."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.machine.cgroups import control_groups, lines

if TYPE_CHECKING:
    from treebench.machine.cgroups import ControlGroup

_CPU_FOLDER = Path("/sys/devices/system/cpu")


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


def cgroup_quota(root: Path = Path("/")) -> float | None:
    """CPUs' worth of time that the tightest cgroup above the process allows (v1 or v2), or None
    without a limit. `root` is where `proc` and `sys` are found."""
    quotas = map(_quota, control_groups("cpu", root))
    return min((quota for quota in quotas if quota is not None), default=None)


def _quota(group: ControlGroup) -> float | None:
    names = ("cpu.max",) if group.version == 2 else ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    words = [word for name in names for word in _words(group.folder / name)]
    # "max", and -1 in version 1, are no limit.
    if len(words) != 2 or not words[0].isdigit():
        return None
    return int(words[0]) / int(words[1])


def _affinity() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def _core_of(cpu: int) -> str:
    """The name of the physical core: its set of sibling threads, else the CPU itself."""
    siblings = _words(_CPU_FOLDER / f"cpu{cpu}" / "topology" / "thread_siblings_list")
    return siblings[0] if siblings else str(cpu)


def _words(path: Path) -> list[str]:
    return " ".join(lines(path)).split()
