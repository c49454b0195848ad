"""Cleans up after a supervisor that can no longer do so: `python caretaker_process.py < pipe`.

The supervisor writes a line for each thing it makes and each it removed again: a JSON list of a
word and a path, each byte of it as the letter of that number. When the pipe ends, however that
came about, what is left is removed. Imports nothing of treebench: it must start fast.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MARK_VARIABLE = "TREEBENCH_SAMPLE"
"""Where the mark of a sample stands in the environment of its processes."""

_PATIENCE_S = 10.0
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - where glibc keeps named semaphores
_POOL_FOLDER = re.compile(r"pool-(\d+)-")


def main() -> None:
    """Read until the pipe ends, then remove what is left."""
    # Ctrl-C and a closed terminal are the supervisor's to answer; this process answers its end.
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    left: dict[str, str] = {}
    for line in sys.stdin:
        word, letters = json.loads(line)
        path = os.fsdecode(letters.encode("latin-1"))
        if word == "gone":
            left.pop(path, None)
        else:
            left[path] = word
    for what, kind in left.items():
        _REMOVERS[kind](what)


def kill_marked(mark: str) -> None:
    """Kill every process that has `mark` in its environment, until there is none or patience
    ends. A child has it from its parent, and keeps it when the parent has ended."""
    marked = f"{MARK_VARIABLE}={mark}".encode()
    kill_those_with(lambda entry: entry == marked)


def kill_those_with(wanted: Callable[[bytes], bool]) -> None:
    """Kill every process with an entry in its environment, `NAME=value`, that is wanted, until
    there is none or patience ends."""
    ends_at = time.monotonic() + _PATIENCE_S
    while (pids := _having(wanted)) and time.monotonic() < ends_at:
        _kill_each(pids)
        time.sleep(0.002)


def remove_cgroup(path: str) -> None:
    """Kill what is in a cgroup and remove it; try until it is gone or patience ends."""
    ends_at = time.monotonic() + _PATIENCE_S
    while os.path.isdir(path) and time.monotonic() < ends_at:
        _kill_each(_listed(os.path.join(path, "cgroup.procs")))
        try:
            os.rmdir(path)
        except OSError:
            time.sleep(0.01)  # the kernel is still taking the killed processes apart


def remove_shared(path: str) -> None:
    """Remove a folder of files that processes share, and the semaphores of those who shared.

    loky names its semaphores after the process that started the pool, and one that is killed
    leaves them; that process has named a folder in here after itself (`trainers.process_pool`).
    """
    for pid in _pool_owners(path):
        if not _may_run(pid):
            _remove_semaphores(f"sem.loky-{pid}-")
    shutil.rmtree(path, ignore_errors=True)


def _may_run(pid: str) -> bool:
    """Whether a process may still use what it made. One that has ended has no environment left,
    though its id lingers until its memory is freed and its parent has heard of it."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return bool(file.read(1))
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return True  # another person's


def _pool_owners(path: str) -> list[str]:
    try:
        names = os.listdir(path)
    except OSError:
        return []
    return [owned[1] for owned in map(_POOL_FOLDER.match, names) if owned]


def _remove_semaphores(prefix: str) -> None:
    try:
        names = os.listdir(_SHARED_MEMORY)
    except OSError:
        return  # there is no such place, and so nothing in it
    for name in names:
        if name.startswith(prefix):
            try:
                os.unlink(os.path.join(_SHARED_MEMORY, name))
            except OSError:
                continue  # loky's own tracker was faster, or it is another person's


def _listed(procs: str) -> list[int]:
    try:
        with open(procs) as file:
            return [int(line) for line in file]
    except OSError:
        return []


def _having(wanted: Callable[[bytes], bool]) -> list[int]:
    return [
        int(name)
        for name in os.listdir("/proc")
        if name.isdecimal() and int(name) != os.getpid() and any(map(wanted, _environment(name)))
    ]


def _environment(pid: str) -> list[bytes]:
    """Empty for a process that has ended, or is another person's."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def _kill_each(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


_REMOVERS: dict[str, Callable[[str], object]] = {
    "cgroup": remove_cgroup,
    "folder": lambda path: shutil.rmtree(path, ignore_errors=True),
    "mark": kill_marked,
    "shared": remove_shared,
}


if __name__ == "__main__":
    main()
