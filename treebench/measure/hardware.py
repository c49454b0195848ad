"""What the machine is made of, as the kernel tells it: caches, clock, hyper-threads, NUMA nodes.

Everything is read below a root folder, so that the machines of others can be put before it.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from treebench.measure.kernel_text import chosen_word, cpu_field, setting

_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}
_ROOT = Path("/")


@dataclass(frozen=True)
class Cache:
    """One cache as the first CPU sees it; `shared_by` logical CPUs use the same one."""

    level: int
    kind: str
    size_bytes: int
    shared_by: int


@dataclass(frozen=True)
class Hardware:
    """Facts of the machine. None means that the kernel does not say.

    `clock_mhz` is that of the first CPU at this moment, `clock_max_mhz` its highest.
    """

    cpu: str | None
    virtual: bool
    clock_mhz: float | None
    clock_max_mhz: float | None
    clock_source: str | None
    governor: str | None
    boost: bool | None
    smt: bool | None
    numa_nodes: int | None
    caches: tuple[Cache, ...]
    transparent_hugepages: str | None
    shm_bytes: int | None
    shm_free_bytes: int | None

    @property
    def last_level_bytes(self) -> int | None:
        """Size of the largest cache; None where none is known."""
        return max((cache.size_bytes for cache in self.caches), default=None)


def hardware(root: Path = _ROOT) -> Hardware:
    """The facts of this machine, or of the one whose /proc and /sys lie below `root`."""
    cpu0 = root / "sys/devices/system/cpu/cpu0"
    cpuinfo = setting(root / "proc/cpuinfo")
    frequency = cpu0 / "cpufreq"
    shm = _disk(root / "dev/shm")
    return Hardware(
        cpu=cpu_field(cpuinfo, "model name"),
        virtual="hypervisor" in (cpu_field(cpuinfo, "flags") or "").split(),
        clock_mhz=_mhz(frequency / "scaling_cur_freq") or _number(cpu_field(cpuinfo, "cpu MHz")),
        clock_max_mhz=_mhz(frequency / "cpuinfo_max_freq"),
        clock_source=setting(
            root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
        ),
        governor=setting(frequency / "scaling_governor"),
        boost=_boost(root),
        smt=_flag(setting(root / "sys/devices/system/cpu/smt/active")),
        numa_nodes=_numa_nodes(root / "sys/devices/system/node"),
        caches=_caches(cpu0 / "cache"),
        transparent_hugepages=chosen_word(
            setting(root / "sys/kernel/mm/transparent_hugepage/enabled")
        ),
        shm_bytes=None if shm is None else shm[0],
        shm_free_bytes=None if shm is None else shm[1],
    )


def cpu_list_length(text: str) -> int:
    """How many CPUs a kernel list such as `0-3,8` names."""
    ends = (part.split("-") for part in text.split(",") if part)
    return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)


def _caches(folder: Path) -> tuple[Cache, ...]:
    found = []
    for index in sorted(folder.glob("index*")):
        size = re.fullmatch(r"(\d+)([KMG])", setting(index / "size") or "")
        level, kind = setting(index / "level"), setting(index / "type")
        if size and level and kind:
            shared = cpu_list_length(setting(index / "shared_cpu_list") or "0")
            found.append(Cache(int(level), kind, int(size[1]) * _UNITS[size[2]], shared))
    return tuple(found)


def _numa_nodes(folder: Path) -> int | None:
    return len(list(folder.glob("node[0-9]*"))) or None


def _boost(root: Path) -> bool | None:
    """Whether the clock may rise above its nominal rate."""
    cpu = root / "sys/devices/system/cpu"
    said = _flag(setting(cpu / "cpufreq/boost"))
    no_turbo = _flag(setting(cpu / "intel_pstate/no_turbo"))
    return said if no_turbo is None else not no_turbo


def _flag(text: str | None) -> bool | None:
    return None if text not in ("0", "1") else text == "1"


def _mhz(path: Path) -> float | None:
    khz = _number(setting(path))
    return None if khz is None else khz / 1000


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _disk(path: Path) -> tuple[int, int] | None:
    if not os.path.ismount(path):
        return None
    usage = shutil.disk_usage(path)
    return usage.total, usage.free
