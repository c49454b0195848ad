"""What on this machine makes times unsteady or hard to compare, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treebench.measure.hardware import Hardware

_IDLE_LOAD = 0.5
_SLOW_GOVERNORS = ("powersave", "ondemand", "conservative", "schedutil")
_HUGE_CACHE_BYTES = 2**28


@dataclass(frozen=True)
class Disturbance:
    """What is so, and what to do about it or to keep in mind."""

    what: str
    advice: str


def disturbances(
    hardware: Hardware, load_average_1m: float, quota: float | None
) -> list[Disturbance]:
    """Those of this machine at this moment; `quota` is the CPUs' worth its cgroup allows."""
    last = hardware.last_level_bytes
    found = [
        (
            load_average_1m >= _IDLE_LOAD,
            f"something else is running (load {load_average_1m:.1f})",
            "wait for it to end, or mistrust small differences in time",
        ),
        (
            hardware.virtual,
            "this is a virtual machine",
            "its neighbours take time from it unseen; watch the control cell's spread in `show`",
        ),
        (
            hardware.governor in _SLOW_GOVERNORS,
            f"the governor is {hardware.governor}",
            "as root: cpupower frequency-set --governor performance",
        ),
        (
            hardware.boost is True,
            "the clock may rise while the CPU is cool",
            "switch boost (turbo) off for differences of a few percent",
        ),
        (
            hardware.smt is True,
            "cores run two threads each",
            "keep `threads: physical`, the default",
        ),
        (
            quota is not None and quota != int(quota),
            f"the cgroup allows {quota} CPUs",
            "a whole number, or threads are stopped in the middle of a fit",
        ),
        (
            (hardware.numa_nodes or 1) > 1,
            f"memory lies on {hardware.numa_nodes} NUMA nodes",
            "bind to one: numactl --cpunodebind=0 --membind=0 treebench run ...",
        ),
        (
            hardware.transparent_hugepages == "always",
            "the kernel hands out huge pages unasked",
            "peaks come in steps of 2 MiB; echo madvise > "
            "/sys/kernel/mm/transparent_hugepage/enabled",
        ),
        (
            hardware.virtual and last is not None and last > _HUGE_CACHE_BYTES,
            f"the last cache is said to hold {(last or 0) // 2**20} MiB",
            "a virtual machine can claim any; simulated misses state a geometry of their own",
        ),
    ]
    return [Disturbance(what, advice) for so, what, advice in found if so]
