"""Cleans up after a supervisor that can no longer do so: `python caretaker_process.py < pipe`.

The supervisor writes a line for each thing it makes and each it removed again. When the pipe ends,
however that came about, what is left is removed. Imports nothing of treebench: it must start fast.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time

_PATIENCE_S = 10.0


def main() -> None:
    """Read until the pipe ends, then remove what is left."""
    # Ctrl-C and a closed terminal are the supervisor's to answer; this process answers its end.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    left: dict[str, str] = {}
    for line in sys.stdin:
        word, _, path = line.rstrip("\n").partition(" ")
        if word == "gone":
            left.pop(path, None)
        else:
            left[path] = word
    for path, kind in left.items():
        remove_cgroup(path) if kind == "cgroup" else shutil.rmtree(path, ignore_errors=True)


def remove_cgroup(path: str) -> None:
    """Kill what is in a cgroup and remove it; try until it is gone or patience ends."""
    ends_at = time.monotonic() + _PATIENCE_S
    while os.path.isdir(path) and time.monotonic() < ends_at:
        _kill_all(os.path.join(path, "cgroup.procs"))
        try:
            os.rmdir(path)
        except OSError:
            time.sleep(0.01)  # the kernel is still taking the killed processes apart


def _kill_all(procs: str) -> None:
    try:
        with open(procs) as file:
            pids = [int(line) for line in file]
    except OSError:
        return
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    main()
