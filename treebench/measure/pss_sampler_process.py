"""Reads the PSS of a process tree again and again: `python -m ... PID INTERVAL_NS`.

Says a line of JSON with its source when it is ready. Every line on its standard input asks for a
reading at once; the answer is all readings since the last question, as [end_ns, pss_bytes] by the
monotonic clock. It ends when its input does.

Readings are by memory_profiler where it is installed, attached to the running process, else by
reads of its own. Reading PSS disturbs the process read, so it takes a fifth of the time at most.
"""

from __future__ import annotations

import json
import select
import sys
import time
from typing import TYPE_CHECKING

from treebench.measure.process_tree import ProcessTree

if TYPE_CHECKING:
    from collections.abc import Callable

# So much longer than a reading took is the pause after it, at least.
_PAUSE_TO_READING = 4


def main(pid: int, interval_ns: int) -> None:
    """Read and answer until the input ends."""
    source, read = reader_of(pid)
    _say({"source": source})
    readings: list[tuple[int, int]] = []
    pause_ns = 0
    while (asked := _asked(pause_ns)) is not None:
        began_ns = time.monotonic_ns()
        pss = read()
        ended_ns = time.monotonic_ns()
        if pss is not None:
            readings.append((ended_ns, pss))
        pause_ns = max(interval_ns, _PAUSE_TO_READING * (ended_ns - began_ns))
        if asked:
            _say(readings)
            readings = []


def reader_of(pid: int) -> tuple[str, Callable[[], int | None]]:
    """Where readings come from, and a reading: bytes, or None once the process has ended."""
    try:
        import memory_profiler
        import psutil

        psutil.boot_time()  # by which it tells whose child is whose; a bare /proc does not say it
    except (ImportError, OSError):
        tree = ProcessTree(pid)
        return "smaps_rollup", lambda: tree.pss_bytes() or None
    return f"memory_profiler {memory_profiler.__version__}", lambda: by_memory_profiler(pid)


def by_memory_profiler(pid: int) -> int | None:
    """One reading of a running process and its children. Not `multiprocess=True`: that lists the
    children's RSS, whatever the backend."""
    import memory_profiler
    import psutil

    try:
        [mebibytes] = memory_profiler.memory_usage(
            pid, interval=0, include_children=True, backend="psutil_pss"
        )
    except psutil.NoSuchProcess:
        return None
    return None if mebibytes is None else round(mebibytes * 2**20) or None


def _asked(timeout_ns: int) -> bool | None:
    """Whether a question came within the time; None once none will come any more."""
    readable, _, _ = select.select([sys.stdin], [], [], timeout_ns / 1e9)
    if not readable:
        return False
    return True if sys.stdin.readline() else None


def _say(message: object) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
