"""What `perf script` prints of a recording, read: call stacks by event.

One block of lines per sample: a head (command, pid/tid, period, event), then a line per frame
(address, symbol, file in brackets), innermost first, then an empty line. perf-script(1) has the
fields; which are printed is asked for with `-F`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treebench.measure.function_names import short_name
from treebench.measure.stacks import CUT, Stacks, folded, frame, library_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FIELDS = "comm,pid,tid,period,event,ip,sym,dso"

_HEAD = re.compile(r"^\S.*?\s+(?P<pid>\d+)/(?P<tid>\d+)\s+(?P<period>\d+)\s+(?P<event>\S+):\s*$")
_FRAME = re.compile(r"^\s+[0-9a-f]+\s+(?P<symbol>.*)\s\((?P<file>[^()]*(?:\([^()]*\))?[^()]*)\)$")
_LOST = re.compile(r"(?P<kind>PERF_RECORD_LOST(?:_SAMPLES)?)\s+lost(?: samples)?\s+(?P<count>\d+)")
_HYBRID = re.compile(r"^\w+/([^/]+)/\w*$")
_NAMELESS = "[unknown]"

# The functions that a process or a thread begins with.
_OUTERMOST = frozenset({"_start", "clone", "clone3", "__clone", "__clone3", "start_thread"})
_BEFORE_MAIN = _OUTERMOST | {"__libc_start_call_main", "__libc_start_main"}


@dataclass
class Recorded:
    """A recording: stacks by event (without modifiers), and how many samples perf lost."""

    by_event: dict[str, Stacks] = field(default_factory=dict)
    n_lost: int = 0


@dataclass
class _Sample:
    pid: int
    tid: int
    period: int
    event: str
    frames: list[tuple[str, str]] = field(default_factory=list)
    """Symbol and file of each, innermost first."""


def parse(lines: Iterable[str], worker_pid: int) -> Recorded:
    """The stacks of a recording of the process `worker_pid`, its threads and children.

    A clock's samples weigh 1 each; those of any other event weigh their period, since perf
    changes it as it goes to keep to its frequency.

    What was lost is told by the buffer as it happens, and by newer perfs once more at the end, from
    the counters' own count (PERF_FORMAT_LOST, Linux 6.0): the larger of the two is taken.

    Raises:
        ValueError: a line is none that perf prints with these fields.
    """
    recorded, current = Recorded(), None
    lost: Counter[str] = Counter()
    for line in lines:
        text = line.rstrip("\n")
        if not text.strip():
            _close(recorded, current, worker_pid)
            current = None
        elif told := _LOST.search(text):
            lost[told["kind"]] += int(told["count"])
        elif current is None:
            current = _head(text)
        else:
            current.frames.append(_place(text))
    _close(recorded, current, worker_pid)
    recorded.n_lost = max(lost.values(), default=0)
    return recorded


def event_name(event: str) -> str:
    """`cycles` of `cycles:u` and of `cpu_core/cycles/u`."""
    hybrid = _HYBRID.match(event)
    return hybrid[1] if hybrid else event.partition(":")[0]


def _head(text: str) -> _Sample:
    match = _HEAD.match(text)
    if match is None:
        raise ValueError(f"perf script printed {text!r} where a sample begins")
    pid, tid, period = int(match["pid"]), int(match["tid"]), int(match["period"])
    return _Sample(pid, tid, period, event_name(match["event"]))


def _place(text: str) -> tuple[str, str]:
    match = _FRAME.match(text)
    if match is None:
        raise ValueError(f"perf script printed {text!r} where a frame belongs")
    return match["symbol"], match["file"]


def _close(recorded: Recorded, sample: _Sample | None, worker_pid: int) -> None:
    if sample is None:
        return
    outermost = sample.frames[-1][0] if sample.frames else ""
    cut = _plain(outermost) not in _OUTERMOST
    inner = folded(_drawn(sample.frames))
    root = _root(sample, worker_pid)
    stacks = recorded.by_event.setdefault(sample.event, Stacks())
    weight = 1 if sample.event in {"cpu-clock", "task-clock"} else sample.period
    stacks.add([root, *([CUT] if cut else []), *inner], weight, cut=cut)


def _drawn(frames: Sequence[tuple[str, str]]) -> list[str]:
    """Outermost first, without what runs before a program's or a thread's own first function."""
    outward = list(frames)
    while outward and _plain(outward[-1][0]) in _BEFORE_MAIN:
        outward.pop()
    return [_frame(symbol, file) for symbol, file in reversed(outward)]


def _frame(symbol: str, file: str) -> str:
    library = "" if file == _NAMELESS else library_name(file)
    return frame(None if symbol == _NAMELESS else short_name(symbol), library)


def _plain(symbol: str) -> str:
    """A symbol without its version, `@@GLIBC_2.34`."""
    return symbol.partition("@")[0]


def _root(sample: _Sample, worker_pid: int) -> str:
    if sample.pid != worker_pid:
        return "child processes"
    return "main thread" if sample.tid == worker_pid else "other threads"
