"""Names for what exists only for the time of a sample, by which a later start can tell with
certainty that its maker is gone: a pid alone says little, since pids are given out again.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

NAME_PREFIX = "treebench-"
_PROC = Path("/proc")
_OWNED = re.compile(rf"{NAME_PREFIX}(?:[a-z]+-)?(\d+)-(\d+)-([0-9a-f]{{8}})(?:-\w+)?")


def owned_name(kind: str = "", number: int | str = "", proc: Path = _PROC) -> str:
    """A name with this process in it: `treebench-KIND-PID-START-PLACE-NUMBER`.

    START is when the process began, in clock ticks since boot; PLACE a hash of the boot and of
    the pid namespace, where alone the other two mean anything.
    """
    pid = os.getpid()
    parts = (kind, pid, _start_ticks(proc, pid) or 0, _place(proc) or "0" * 8, number)
    return NAME_PREFIX + "-".join(str(part) for part in parts if part != "")


def has_dead_owner(name: str, proc: Path = _PROC) -> bool:
    """Whether `name` was given by a process that has ended. False wherever that is not certain:
    for other names, and for those from another machine, boot or container."""
    owned = _OWNED.fullmatch(name)
    if owned is None or owned[3] != _place(proc):
        return False
    return _start_ticks(proc, int(owned[1])) != int(owned[2])


def _start_ticks(proc: Path, pid: int) -> int | None:
    """When a process began, None if there is none of that pid; field 22 of proc(5)'s stat."""
    try:
        text = (proc / str(pid) / "stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field, the command in brackets, may hold spaces and brackets itself.
    return int(text.rpartition(")")[2].split()[19])


def _place(proc: Path) -> str | None:
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text().strip()
        namespace = os.readlink(proc / "self/ns/pid")
    except OSError:
        return None
    return hashlib.sha256(f"{boot} {namespace}".encode()).hexdigest()[:8]
