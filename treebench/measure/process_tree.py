"""A process and all that it started, and the memory they hold together.

Plain reads of /proc: it runs in small processes beside the measured ones, which must start fast.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class ProcessTree:
    """The tree below `root`. Who has once been seen in it stays in it, also when its parent ends
    and the kernel gives it another."""

    def __init__(self, root: int, proc: Path = Path("/proc")) -> None:
        self._root = root
        self._proc = proc
        self._started: dict[int, str] = {}
        self._see(root)

    def members(self) -> list[int]:
        """The processes alive now, the root first while it lives."""
        for pid in list(self._started):
            if self._start_of(pid) != self._started[pid]:
                del self._started[pid]
        waiting = list(self._started)
        while waiting:
            children = self._children(waiting.pop())
            waiting += [one for one in children if one not in self._started and self._see(one)]
        return list(self._started)

    def rss_bytes(self) -> int:
        """Sum of resident memory: cheap, and never below `pss_bytes` but for the kernel's own
        rounding, since a shared page counts in each process."""
        return sum(self._rss(pid) for pid in self.members())

    def known_rss_bytes(self) -> int:
        """The same over the members last found, without a look for new ones, which takes most of
        the time: a list is read for every thread of every process."""
        return sum(self._rss(pid) for pid in self._started)

    def pss_bytes(self) -> int:
        """Sum of proportional set sizes: shared pages once. The kernel walks every page table for
        it and holds the process's memory map meanwhile, so it disturbs."""
        return sum(self._pss(pid) for pid in self.members())

    def kill(self) -> None:
        """Kill every process of the tree, until no new one is found."""
        while members := self.members():
            for pid in members:
                _kill(pid)

    def _see(self, pid: int) -> bool:
        start = self._start_of(pid)
        if start is None:
            return False
        self._started[pid] = start
        return True

    def _start_of(self, pid: int) -> str | None:
        """When the process started, in ticks since boot: an id may come again, this may not.
        None once it has ended, though nobody may have waited for it yet."""
        text = self._text(pid, "stat")
        # The name stands in brackets and may itself hold any character.
        words = text.rpartition(")")[2].split()
        return None if not words or words[0] in "ZX" else words[19]

    def _children(self, pid: int) -> list[int]:
        """Each thread has a list of its own."""
        try:
            threads = os.listdir(self._proc / str(pid) / "task")
        except OSError:
            return []
        lists = (self._text(pid, f"task/{thread}/children") for thread in threads)
        return [int(child) for listed in lists for child in listed.split()]

    def _rss(self, pid: int) -> int:
        words = self._text(pid, "statm").split()
        return int(words[1]) * _PAGE_BYTES if words else 0

    def _pss(self, pid: int) -> int:
        for line in self._text(pid, "smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
        return 0

    def _text(self, pid: int, name: str) -> str:
        """Empty where there is no such process any more."""
        try:
            return (self._proc / str(pid) / name).read_text()
        except OSError:
            return ""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
