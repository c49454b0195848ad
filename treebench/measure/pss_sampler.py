"""Memory of a process tree over time, with shared pages once: PSS, sampled by another process.

Sampling misses what is shorter than its gaps, and every reading holds the sampled process's memory
map. So it has a run of its own, and is never the headline where the kernel keeps a peak.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.measure.probe import Probe, Reading

if TYPE_CHECKING:
    from types import TracebackType

SOURCE = "PSS sampling"
INTERVAL_NS = 50_000_000

_PROCESS = (sys.executable, "-P", "-m", "treebench.measure.pss_sampler_process")
_PATIENCE_S = 15.0
_APART = ("tree_anon_bytes", "tree_file_bytes", "tree_shmem_bytes")
_NOT_APART = "PSS does not tell them apart"
_ENDED = "the PSS sampler had no reading: the process, or the sampler, had ended"


class PssProbe(Probe):
    """Baseline and largest sampled PSS of the tree in each phase, and the whole timeline. A
    context manager: the sampler ends with it."""

    name: ClassVar[str] = "PSS"

    def __init__(self, interval_ns: int = INTERVAL_NS) -> None:
        self._interval_ns = interval_ns
        self._process: subprocess.Popen[str] | None = None
        self._source: str | None = None
        self._start_ns = 0
        self._baseline: int | None = None
        self._points: list[tuple[int, int, str | None]] = []

    def attach(self, pid: int) -> None:
        """Start the sampler, and wait until it is ready to be asked."""
        self._process = subprocess.Popen(
            [*_PROCESS, str(pid), str(self._interval_ns)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        self._start_ns = time.monotonic_ns()
        ready = self._answer()
        self._source = None if ready is None else ready["source"]

    def begin(self, phase: str) -> None:
        """Take the baseline; what was read since the last phase belongs to none."""
        before = self._ask()
        self._keep(before[:-1], None)
        self._keep(before[-1:], phase)
        self._baseline = before[-1][1] if before else None

    def end(self, phase: str) -> Reading:
        """The largest reading from the phase's start to its end, both included."""
        read = self._ask()
        self._keep(read, phase)
        missing = dict.fromkeys(_APART, _NOT_APART)
        seen = [pss for _, pss in read]
        if self._baseline is None:
            absent = ("tree_baseline_bytes", "tree_peak_bytes", "tree_peak_source")
            return Reading({}, {**missing, **dict.fromkeys(absent, _ENDED)})
        figures: dict[str, int | str] = {
            "tree_baseline_bytes": self._baseline,
            "tree_peak_bytes": max(self._baseline, *seen) if seen else self._baseline,
            "tree_peak_source": SOURCE,
        }
        return Reading(figures, missing)

    def timeline(self) -> dict[str, Any] | None:
        """All readings, `t_ns` since the sampler was started; None if there is none."""
        if not self._points:
            return None
        times = [time_ns - self._start_ns for time_ns, _, _ in self._points]
        return {
            "source": self._source,
            "interval_ns": self._interval_ns,
            "ticks": len(times),
            "largest_gap_ns": max((late - early for early, late in pairwise(times)), default=None),
            "t_ns": times,
            "pss_bytes": [pss for _, pss, _ in self._points],
            "phase": [phase for _, _, phase in self._points],
        }

    def __enter__(self) -> PssProbe:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is None:
            return
        try:
            self._process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:  # it hangs on the sampled process
            self._process.kill()
            self._process.communicate()

    def _keep(self, readings: list[list[int]], phase: str | None) -> None:
        self._points += [(time_ns, pss, phase) for time_ns, pss in readings]

    def _ask(self) -> list[list[int]]:
        """All readings since the last question, the last of them taken just now."""
        if self._process is None or self._process.stdin is None:
            return []
        try:
            self._process.stdin.write("now\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return []
        return self._answer() or []

    def _answer(self) -> Any:
        """The next line of the sampler's; None once it has ended."""
        if self._process is None or self._process.stdout is None:
            return None
        ready, _, _ = select.select([self._process.stdout], [], [], _PATIENCE_S)
        if not ready:
            # It hangs on the sampled process. A late answer would be taken for a later one's.
            self._process.kill()
        line = self._process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else None
