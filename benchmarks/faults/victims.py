"""The processes of a sweep, told apart from all others by a mark in their environment."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

MARK_VARIABLE = "TREEBENCH_FAULTS"

SUPERVISOR, WORKER, CARETAKER = "supervisor", "worker", "caretaker"
BOTH = "supervisor and caretaker"
LOKY, DASK, SCHEDULER = "loky worker", "Dask worker", "Dask scheduler"
TRACKER, STOPPED = "resource tracker", "worker, SIGSTOP"

_PROC = Path("/proc")
_SHARED_MEMORY = "/dev/shm/"  # noqa: S108 - only read
_KINDS = (
    ("caretaker_process.py", CARETAKER),
    ("resource_tracker", TRACKER),
    ("popen_loky", LOKY),
    ("spawn_main", DASK),
    ("treebench.worker", WORKER),
)


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    command: str
    environment: bytes

    @property
    def kind(self) -> str | None:
        return next((kind for word, kind in _KINDS if word in self.command), None)


def marked(mark: str) -> dict[int, Process]:
    """Every process that has the mark, by id; those that have ended have none."""
    found = (_read(name) for name in os.listdir(_PROC) if name.isdecimal())
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    return {one.pid: one for one in found if one and wanted in one.environment.split(b"\0")}


def below(processes: dict[int, Process], supervisor: int) -> dict[str, list[Process]]:
    """The descendants of a supervisor that is alive, by what they are. Dask's scheduler lives in
    the measured worker."""
    found = defaultdict(list)
    for one in processes.values():
        if one.kind and _descends(one, supervisor, processes):
            found[one.kind].append(one)
    found[STOPPED] = found[WORKER]
    if found[DASK]:
        found[SCHEDULER] = found.pop(WORKER)
    return {kind: those for kind, those in found.items() if those}


def shared_files(processes: dict[int, Process]) -> set[str]:
    """Files of /dev/shm that they have mapped: data, and semaphores by whatever name."""
    paths: set[str] = set()
    for pid in processes:
        try:
            lines = (_PROC / str(pid) / "maps").read_text(errors="replace").splitlines()
        except OSError:
            continue
        paths.update(
            line[at:].removesuffix(" (deleted)")
            for line in lines
            if (at := line.find(_SHARED_MEMORY)) >= 0
        )
    return paths


def strike(process: Process, number: signal.Signals) -> bool:
    """Send the signal to that very process, whoever has its id by now; False if it is gone."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    try:
        if _environment(process.pid) != process.environment:
            return False
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


def _descends(one: Process, supervisor: int, processes: dict[int, Process]) -> bool:
    seen: Process | None = one
    while seen is not None:
        if seen.parent == supervisor:
            return True
        seen = processes.get(seen.parent)
    return False


def _read(pid: str) -> Process | None:
    try:
        stat = (_PROC / pid / "stat").read_text(errors="replace")
        command = (_PROC / pid / "cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return None
    parent = int(stat.rpartition(")")[2].split()[1])
    return Process(int(pid), parent, command.decode(errors="replace"), _environment(int(pid)))


def _environment(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return b""
