"""Processes that a test starts: they end with the test, whatever becomes of it.

What a failed assertion leaves behind is found by other tests, which then fail without a reason.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psutil

PATIENCE_S = 120.0
"""Ends what hangs, also on a slow and busy machine; it judges no time."""


@contextmanager
def started(command: Sequence[str], **how: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process that is killed and waited for when the block ends, its pipes closed."""
    with subprocess.Popen(command, **how) as process:
        try:
            yield process
        finally:
            process.kill()


def runs(process: psutil.Process) -> bool:
    """Whether it has not ended yet. An orphan that has ended stays a zombie until the machine's
    first process reads it, which in a container may be never."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pid: int, patience_s: float = PATIENCE_S) -> bool:
    """Whether a process ends in time; it must be one that would run for longer by itself."""
    try:
        process = psutil.Process(pid)
    except psutil.NoSuchProcess:
        return True
    return until(lambda: not runs(process), patience_s)


def until(condition: Callable[[], object], patience_s: float = PATIENCE_S) -> bool:
    """Wait for a condition; whether it came to hold in time."""
    ends_at = time.monotonic() + patience_s
    while not (holds := condition()) and time.monotonic() < ends_at:
        time.sleep(0.02)
    return bool(holds)
