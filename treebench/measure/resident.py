"""Resident memory of the worker: the kernel's own high-water mark, reset for every phase.

`ru_maxrss` would show the parent's peak in a child that was forked from it, and sampling misses
short spikes. VmHWM does neither: it belongs to the address space, which exec makes new, and the
kernel keeps it. Writing 5 to `/proc/PID/clear_refs` sets it back to the present RSS (proc(5)).
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from treebench.measure.probe import Probe, Reading

_RESET_PEAK = "5\n"


class ResidentProbe(Probe):
    """Baseline, peak and end of the worker's RSS in each phase, in bytes."""

    name: ClassVar[str] = "resident"

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._folder = proc
        self._baseline: int | None = None
        self._peak_before: int | None = None
        self._reset_problem: str | None = None

    def attach(self, pid: int) -> None:
        """The worker runs as `pid`."""
        self._folder = self._proc / str(pid)

    def begin(self, phase: str) -> None:
        """Reset the peak and note the baseline."""
        self._reset_problem = self._reset_peak()
        memory = self._read()
        self._baseline = memory.get("VmRSS")
        self._peak_before = memory.get("VmHWM")

    def end(self, phase: str) -> Reading:
        """Peak and end of the phase; the peak only where it is known to be this phase's."""
        memory = self._read()
        figures: dict[str, int | str] = {}
        missing: dict[str, str] = {}
        wanted = {
            "baseline_rss_bytes": self._baseline,
            "peak_rss_bytes": self._phase_peak(memory.get("VmHWM")),
            "end_rss_bytes": memory.get("VmRSS"),
        }
        for name, value in wanted.items():
            if value is None:
                missing[name] = self._reason(name)
            else:
                figures[name] = value
        return Reading(figures, missing)

    def _phase_peak(self, peak: int | None) -> int | None:
        """Without a reset the mark is the phase's own only if the phase raised it."""
        if self._reset_problem is None:
            return peak
        raised = peak is not None and self._peak_before is not None and peak > self._peak_before
        return peak if raised else None

    def _reason(self, name: str) -> str:
        if name == "peak_rss_bytes" and self._reset_problem is not None:
            return self._reset_problem
        return f"{self._folder / 'status'} could not be read"

    def _reset_peak(self) -> str | None:
        path = self._folder / "clear_refs"
        try:
            path.write_text(_RESET_PEAK)
        except OSError as error:
            return f"the peak cannot be reset per phase: {path}: {error.strerror}"
        return None

    def _read(self) -> dict[str, int]:
        """VmRSS and VmHWM in bytes; empty where there is no such process or no /proc."""
        try:
            text = (self._folder / "status").read_text()
        except OSError:
            return {}
        return parse_status(text)


def parse_status(text: str) -> dict[str, int]:
    """The memory lines of `/proc/PID/status` (given in kB, meaning KiB), in bytes."""
    fields = (line.split() for line in text.splitlines() if line.startswith("Vm"))
    return {field[0].rstrip(":"): int(field[1]) * 1024 for field in fields}
