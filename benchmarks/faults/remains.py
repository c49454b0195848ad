"""What a sweep has left on the machine once it ended."""

from __future__ import annotations

import fcntl
import os
import re
import time
from pathlib import Path

from benchmarks.faults.victims import marked

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - only read
_CGROUPS = Path("/sys/fs/cgroup")
_PATIENCE_S = 40.0


def remains(mark: str, pids: set[int], mapped: set[str], folder: Path) -> list[str]:
    """Everything that is still there, after the patience that the cleaning up is given.

    Args:
        mark: what our processes have in their environment.
        pids: every process that was seen.
        mapped: files of /dev/shm that they had mapped.
        folder: where the sweeps ran; its `tmp` was their folder for temporary files.
    """
    ends_at = time.monotonic() + _PATIENCE_S
    while (left := _left(mark, pids, mapped, folder)) and time.monotonic() < ends_at:
        time.sleep(0.5)
    return left


def _left(mark: str, pids: set[int], mapped: set[str], folder: Path) -> list[str]:
    return [
        *(f"process {one.pid}: {one.command[:160]}" for one in marked(mark).values()),
        *(f"cgroup {path}" for path in _cgroups(pids)),
        *(f"shared {path}" for path in sorted(_shared(pids, mapped))),
        *(f"temporary {path}" for path in sorted((folder / "tmp").iterdir())),
        *(f"draft {path}" for path in _drafts(folder)),
        *(f"held {path}" for path in folder.rglob(".lock") if _is_held(path)),
    ]


def _cgroups(pids: set[int]) -> list[str]:
    return [
        where
        for where, _, _ in os.walk(_CGROUPS)
        if (named := re.match(r"treebench-(\d+)-", os.path.basename(where)))
        and int(named[1]) in pids
    ]


def _shared(pids: set[int], mapped: set[str]) -> set[str]:
    there = {str(path) for path in _SHARED_MEMORY.iterdir()}
    ours = {
        path
        for path in there
        if {*map(int, re.findall(r"\d+", path))} & pids
        and ("treebench" in path or "loky" in path or "joblib" in path)
    }
    return ours | {path for path in mapped if os.path.exists(path)}


def _drafts(folder: Path) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if path.suffix == ".part" or (path.name.startswith(".") and path.name != ".lock")
    ]


def _is_held(lock: Path) -> bool:
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
