"""What can and cannot be measured on this machine, why, and what would change that."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.measure import perf_record, py_spy
from treebench.measure.cgroup import Cgroup, Unavailable
from treebench.measure.counters import choose
from treebench.measure.profilers import CLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.measure.counters import Tier

_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
_SIMULATED = "callgrind, at reduced rows and trees, on one thread"


@dataclass(frozen=True)
class Capability:
    """One thing to measure: whether it can be had, how (or why not), and the remedy if not."""

    name: str
    possible: bool
    how: str
    remedy: str | None = None


def capabilities(cgroup: Cgroup | Unavailable) -> list[Capability]:
    """Everything, from what always works to what needs rights. `cgroup` is one made for the
    purpose, or why none can be made."""
    hardware = counters("hardware", "perf counts what the CPU counts", "hardware counters")
    return [
        Capability("time per phase", True, "the worker's own clocks"),
        peak_rss(),
        tree_memory(cgroup),
        pss(),
        memory_limit(cgroup),
        hardware,
        compute_or_memory_bound(hardware),
        counters("simulated", _SIMULATED, "simulated cache misses"),
        counters("software", "perf counts page faults and the like", "software counters"),
        time_by_function(),
    ]


def peak_rss(proc: Path = Path("/proc")) -> Capability:
    """The kernel's high-water mark, which must be set back for every phase."""
    name = "peak RSS per phase"
    path = proc / "self" / "clear_refs"
    try:
        path.write_text("5\n")
    except OSError as error:
        return Capability(
            name,
            False,
            f"{path} cannot be written ({error.strerror}), so a peak is known only where a phase "
            f"raises it",
            "use a kernel with CONFIG_PROC_PAGE_MONITOR, or a container that shows /proc writable",
        )
    return Capability(name, True, "VmHWM, set back at the start of each phase")


def tree_memory(cgroup: Cgroup | Unavailable) -> Capability:
    """Memory of the worker with its children, shared pages once."""
    name = "peak of a process tree"
    if isinstance(cgroup, Unavailable):
        return Capability(name, False, f"no cgroup: {cgroup.reason}", _cgroup_remedy(cgroup))
    problem = cgroup.reset_peak()
    if problem is not None:
        return Capability(
            name, True, f"{cgroup.source}, but only for phases that raise the peak: {problem}"
        )
    return Capability(name, True, f"{cgroup.source}, set back at the start of each phase")


def pss(proc: Path = Path("/proc")) -> Capability:
    """Shared pages divided among those who share them, by reading."""
    name = "PSS of a process tree"
    path = proc / "self" / "smaps_rollup"
    if path.is_file():
        return Capability(name, True, f"{path.name}, read at intervals, so that spikes are missed")
    return Capability(name, False, f"there is no {path}", "use Linux 4.14 or later")


def memory_limit(cgroup: Cgroup | Unavailable) -> Capability:
    """A limit that the kernel keeps."""
    name = "memory limit by the kernel"
    if isinstance(cgroup, Unavailable):
        return Capability(name, False, f"no cgroup: {cgroup.reason}", _cgroup_remedy(cgroup))
    return Capability(name, True, f"{cgroup.source}; the kernel kills what uses more")


def counters(tier: Tier, how: str, name: str) -> Capability:
    """Counters of one tier, present or absent for the same reasons that a run would give."""
    reason = choose(tier).absent.get(tier)
    return Capability(name, reason is None, how if reason is None else reason)


def compute_or_memory_bound(hardware: Capability) -> Capability:
    """Whether a fit waits for memory: instructions per cycle, and its share of the bandwidth."""
    name = "compute- or memory-bound"
    if hardware.possible:
        return Capability(name, True, "instructions per cycle, and misses against copy bandwidth")
    return Capability(
        name,
        False,
        "it needs hardware counters; without, thread scaling and misses per cell only hint at it",
    )


def time_by_function(
    clock: Callable[[], str | None] = lambda: perf_record.refused(CLOCK),
    spy: Callable[[], str | None] = py_spy.refused,
) -> Capability:
    """Where in a library the time is spent, sampled by a clock that needs no counter of the CPU;
    by what `treebench profile` would take, found in the same way."""
    name = "time by function"
    reason = clock()
    if reason is None:
        return Capability(name, True, f"perf samples by {CLOCK}")
    no_spy = spy()
    if no_spy is None:
        return Capability(name, True, f"py-spy --native ({reason})")
    return Capability(name, False, f"{reason}; {no_spy}")


def perf_event_paranoid(path: Path = _PARANOID) -> int | None:
    """How far the kernel keeps counters from people; None where it has none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _cgroup_remedy(cgroup: Unavailable) -> str | None:
    """The remedy stands in the reason where there is one of its own."""
    return None if "systemd-run" in cgroup.reason else "run where a memory cgroup can be made"
