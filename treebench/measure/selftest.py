"""Proves the probes on known truths: a process does a known thing, and the probe must see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treebench.machine.memory import available_memory_bytes
from treebench.measure.callgrind import why_absent
from treebench.measure.callgrind_walk import EXPECTED_RATIO, Watch, simulate_walks, unwatched
from treebench.measure.cgroup import Cgroup, Unavailable
from treebench.measure.perf_stat import PerfStatProbe
from treebench.measure.process_tree import ProcessTree
from treebench.measure.resident import ResidentProbe, parse_status
from treebench.measure.tree_memory import TreeMemoryProbe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from treebench.measure.probe import Probe, Reading

MIB, GIB = 2**20, 2**30
_COMMAND = (sys.executable, "-P", "-m", "treebench.measure.known_truth")
_SHM = Path("/dev/shm")  # noqa: S108
_ROLLUP = Path("/proc/self/smaps_rollup")
_TOUCHED = 64 * MIB
_SHARERS = 3
_HOLD_MS = 20
_FAT = 256 * MIB
_PAGES = 4096
_SLACK = 4 * MIB
"""What a process may use beside what it was told to: Python's own small change."""


@dataclass(frozen=True)
class Check:
    """A truth, the probe that was to see it, and what it saw.

    `low` and `high` bound what passes, in `unit`. `seen` is None where the probe could not be
    tried (`skipped` says why) or broke (`failed` says how). `note` is what another way of
    looking would have said.
    """

    truth: str
    probe: str
    unit: Literal["bytes", "faults", "times"]
    low: float
    high: float
    seen: float | None = None
    note: str = ""
    skipped: str | None = None
    failed: str | None = None

    @property
    def outcome(self) -> Literal["pass", "fail", "skip"]:
        """How it went."""
        if self.skipped is not None:
            return "skip"
        inside = self.seen is not None and self.low <= self.seen <= self.high
        return "pass" if inside and self.failed is None else "fail"


class KnownTruth(AbstractContextManager["KnownTruth"]):
    """A process that waits to be told, and is gone at the end with all that it started."""

    def __init__(self, cgroup: Cgroup | Unavailable, *program: str | int) -> None:
        command: Sequence[str] = [*_COMMAND, *map(str, program)]
        if isinstance(cgroup, Cgroup):
            command = cgroup.entering(command)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.pid = self._process.pid
        self._line()

    def act(self) -> dict[str, Any]:
        """Let it do its thing; what it says of it.

        Raises:
            OSError: it died.
        """
        if self._process.stdin is None:
            raise OSError("the process has no pipe")
        self._process.stdin.write(b"go\n")
        self._process.stdin.flush()
        said: dict[str, Any] = json.loads(self._line())
        return said

    def _line(self) -> bytes:
        line = b"" if self._process.stdout is None else self._process.stdout.readline()
        if not line:
            raise OSError(f"the process died with exit code {self._process.wait()}")
        return line

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """It ends, and its children with it, when its input does; waited for until its output
        has no writer left."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.read()
            self._process.stdout.close()
        self._process.wait()


def selftest(
    make_cgroup: Callable[[], AbstractContextManager[Cgroup | Unavailable]],
    *,
    spike_bytes: int = GIB,
    watched: Watch = unwatched,
) -> Iterator[Check]:
    """Every check, as it is done; a machine that lacks a probe skips it and says so. `watched`
    looks after the folder that outlives a check which is killed."""
    tests: list[Callable[[Cgroup | Unavailable], list[Check]]] = [
        touched,
        lambda cgroup: spike(cgroup, spike_bytes),
        shared,
        fat_parent,
        faults,
        lambda cgroup: walks(cgroup, watched),
    ]
    for test in tests:
        with make_cgroup() as cgroup:
            found = test(cgroup)
        yield from found


def touched(cgroup: Cgroup | Unavailable) -> list[Check]:
    """64 MiB touched and kept."""
    resident, tree = _growth(cgroup, "touch", _TOUCHED)
    bounds = (_TOUCHED - MIB, _TOUCHED + _SLACK)
    return _both("64 MiB touched", bounds, cgroup, resident, tree)


def spike(cgroup: Cgroup | Unavailable, n_bytes: int) -> list[Check]:
    """1 GiB held for 20 ms and given back: sampling would have to look at the right moment."""
    size = f"{n_bytes // GIB} GiB" if n_bytes >= GIB else f"{n_bytes // MIB} MiB"
    truth = f"{size} held for {_HOLD_MS} ms"
    bounds = (n_bytes - MIB, n_bytes + _SLACK)
    available = available_memory_bytes()
    if available is not None and available < 2 * n_bytes:
        reason = f"only {available // MIB:,} MiB are free"
        return [Check(truth, "VmHWM", "bytes", *bounds, skipped=reason)]
    resident, tree = _growth(cgroup, "spike", n_bytes, _HOLD_MS)
    left = resident.figures.get("end_rss_bytes", 0)
    note = f"{int(left) // MIB:,} MiB in all once it was over"
    return _both(truth, bounds, cgroup, resident, tree, note)


def shared(cgroup: Cgroup | Unavailable) -> list[Check]:
    """One memmap in three processes: three times in the sum of RSS, once in truth."""
    truth = f"64 MiB shared by {_SHARERS}"
    bounds = (_TOUCHED - MIB, _TOUCHED + 3 * _SLACK)
    if not os.access(_SHM, os.W_OK):
        reason = f"{_SHM} cannot be written"
        return [Check(truth, "PSS", "bytes", *bounds, skipped=reason)]
    with KnownTruth(cgroup, "share", str(_SHM), _TOUCHED, _SHARERS) as process:
        tree_of = ProcessTree(process.pid)
        pss_before, rss_before = tree_of.pss_bytes(), _rss(process.pid)
        probe = TreeMemoryProbe(cgroup)
        probe.begin("selftest")
        pids = process.act()["pids"]
        tree = probe.end("selftest")
        rss = sum(map(_rss, pids)) - len(pids) * rss_before
        pss = tree_of.pss_bytes() - pss_before
    note = f"the sum of RSS grew by {rss // MIB:,} MiB"
    no_pss = None if _ROLLUP.exists() else f"there is no {_ROLLUP}"
    return [
        Check(truth, "PSS", "bytes", *bounds, seen=pss, note=note, skipped=no_pss),
        _tree_check(truth, bounds, cgroup, tree),
    ]


def fat_parent(cgroup: Cgroup | Unavailable) -> list[Check]:
    """A small child of a large parent: getrusage hands the parent's peak down, VmHWM does not."""
    truth = f"child of a {_FAT // MIB} MiB parent"
    with KnownTruth(cgroup, "fat", _FAT) as process:
        child = process.act()
        status = Path("/proc", str(child["pid"]), "status").read_text()
    note = f"ru_maxrss says {child['ru_maxrss_bytes'] // MIB:,} MiB"
    seen = parse_status(status).get("VmHWM")
    return [Check(truth, "VmHWM", "bytes", MIB, 64 * MIB, seen=seen, note=note)]


def faults(cgroup: Cgroup | Unavailable) -> list[Check]:
    """A known number of pages, each touched once."""
    truth = f"{_PAGES:,} pages touched"
    bounds = (_PAGES, _PAGES * 1.05)
    with (
        PerfStatProbe((("page-faults",),), ("selftest",)) as perf,
        KnownTruth(cgroup, "pages", _PAGES) as process,
    ):
        perf.attach(process.pid)
        perf.begin("selftest")
        before = minor_faults(process.pid)
        process.act()
        seen = minor_faults(process.pid) - before
        perf.end("selftest")
        counted = perf.counted["selftest"]
    by_perf = counted.values.get("page-faults")
    reason = counted.missing.get("page-faults")
    return [
        Check(truth, "/proc faults", "faults", *bounds, seen=seen),
        Check(truth, "perf faults", "faults", *bounds, seen=by_perf, skipped=reason),
    ]


def walks(_: Cgroup | Unavailable, watched: Watch = unwatched) -> list[Check]:
    """As many reads in order and at random, over an array larger than the simulated last cache."""
    bounds = (EXPECTED_RATIO * 0.97, EXPECTED_RATIO * 1.03)
    check = Check("random against sequential", "callgrind", "times", *bounds)
    if (absent := why_absent()) is not None:
        return [replace(check, skipped=absent)]
    misses = simulate_walks(watched)
    if isinstance(misses, str):
        return [replace(check, failed=misses)]
    note = f"{misses.random:,} misses against {misses.sequential:,}"
    return [replace(check, seen=misses.ratio, note=note)]


def minor_faults(pid: int) -> int:
    """Field 10 of /proc/PID/stat; the name before it, in brackets, may hold blanks."""
    text = Path("/proc", str(pid), "stat").read_text()
    return int(text.rpartition(")")[2].split()[7])


def _growth(cgroup: Cgroup | Unavailable, *program: str | int) -> tuple[Reading, Reading]:
    """What both memory probes read of a phase in which a process acts."""
    probes: list[Probe] = [ResidentProbe(), TreeMemoryProbe(cgroup)]
    with KnownTruth(cgroup, *program) as process:
        for probe in probes:
            probe.attach(process.pid)
            probe.begin("selftest")
        process.act()
        resident, tree = (probe.end("selftest") for probe in probes)
    return resident, tree


def _both(
    truth: str,
    bounds: tuple[float, float],
    cgroup: Cgroup | Unavailable,
    resident: Reading,
    tree: Reading,
    note: str = "",
) -> list[Check]:
    problem = resident.missing.get("peak_rss_bytes")
    seen = _difference(resident, "peak_rss_bytes", "baseline_rss_bytes")
    own = Check(truth, "VmHWM", "bytes", *bounds, seen=seen, note=note, failed=problem)
    return [own, _tree_check(truth, bounds, cgroup, tree)]


def _tree_check(
    truth: str, bounds: tuple[float, float], cgroup: Cgroup | Unavailable, tree: Reading
) -> Check:
    if isinstance(cgroup, Unavailable):
        return Check(truth, "cgroup", "bytes", *bounds, skipped=cgroup.reason)
    seen = _difference(tree, "tree_peak_bytes", "tree_baseline_bytes")
    problem = tree.missing.get("tree_peak_bytes")
    return Check(truth, cgroup.source, "bytes", *bounds, seen=seen, failed=problem)


def _difference(reading: Reading, peak: str, baseline: str) -> float | None:
    if peak not in reading.figures or baseline not in reading.figures:
        return None
    return int(reading.figures[peak]) - int(reading.figures[baseline])


def _rss(pid: int) -> int:
    return parse_status(Path("/proc", str(pid), "status").read_text())["VmRSS"]
