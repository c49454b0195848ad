"""What of the machine and the software must agree before two samples may be compared."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.machine import cpus
from treebench.machine.memory import available_memory_bytes
from treebench.measure.kernel_text import chosen_word, cpu_field, setting

if TYPE_CHECKING:
    from collections.abc import Mapping

ALLOCATOR_VARIABLES = (
    "MALLOC_ARENA_MAX",
    "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TOP_PAD_",
    "GLIBC_TUNABLES",
    "LD_PRELOAD",
    "ARROW_DEFAULT_MEMORY_POOL",
)

# OMP_PROC_BIND, OMP_WAIT_POLICY, GOMP_CPU_AFFINITY and their kin move times by more than a library.
_THREAD_PREFIXES = ("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_", "BLIS_", "NUMEXPR_", "LOKY_")

_CPUINFO = Path("/proc/cpuinfo")
_HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")


def machine() -> dict[str, Any]:
    """The machine's lasting facts, and `fingerprint`: a hash of them."""
    facts: dict[str, Any] = {
        "system": platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpu": _cpu_model(),
        "cores_usable": cpus.usable_cores(),
        "cores_physical": cpus.physical_cores(),
        "cgroup_cpu_quota": "unlimited" if (quota := cpus.cgroup_quota()) is None else quota,
        "memory_bytes": _memory_total(),
        "transparent_hugepages": chosen_word(setting(_HUGE_PAGES)),
    }
    # The kernel reports a little more or less memory from boot to boot: whole GiB identify.
    memory = facts["memory_bytes"]
    identity = {**facts, "memory_bytes": None if memory is None else round(memory / 2**30)}
    return {**facts, "fingerprint": _short_hash(identity)}


def versions(distributions: tuple[str, ...]) -> dict[str, str | None]:
    """Installed versions by distribution, and Python's; None where one is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in distributions:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def allocator() -> dict[str, str]:
    """The C library and every allocator setting in the environment."""
    library = " ".join(platform.libc_ver()).strip() or "unknown"
    settings = {name: os.environ[name] for name in ALLOCATOR_VARIABLES if name in os.environ}
    return {"libc": library, **settings}


def thread_settings(variables: Mapping[str, str]) -> dict[str, str]:
    """Those of the environment's variables that steer threads, by name."""
    return {
        name: value
        for name, value in sorted(variables.items())
        if name.startswith(_THREAD_PREFIXES)
    }


def state() -> dict[str, Any]:
    """What informs but need not agree: load and governor at this moment."""
    return {
        "load_average_1m": os.getloadavg()[0],
        "governor": setting(_GOVERNOR),
        "memory_available_bytes": available_memory_bytes(),
    }


def _memory_total() -> int | None:
    for line in (setting(Path("/proc/meminfo")) or "").splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    return None


def _cpu_model() -> str | None:
    return cpu_field(setting(_CPUINFO), "model name") or platform.processor() or None


def _short_hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
