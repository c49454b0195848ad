"""Holding a sample to its memory limit: by the kernel where it can, else by a watchdog."""

from __future__ import annotations

import json
import subprocess
import sys
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.errors import TreebenchError
from treebench.measure.cgroup import Cgroup
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.measure.cgroup import Unavailable

_WATCHDOG = (sys.executable, "-P", "-m", "treebench.measure.pss_watchdog_process")
_PATIENCE_S = 15.0


@dataclass(frozen=True)
class LimitKill:
    """The limit has killed. `peak_bytes` is what the tree held by then, where the guard alone
    knows it; a cgroup's own peak is read by its probe."""

    message: str
    peak_bytes: int | None = None


class Guard(ABC):
    """Holds one sample's process tree to a limit."""

    by: str

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes

    def attach(self, pid: int) -> None:  # noqa: B027 - the kernel need not be told
        """The worker runs as `pid`."""

    @abstractmethod
    def kill_seen(self) -> LimitKill | None:
        """Whether the limit has killed, to be asked once the worker has ended."""

    def close(self) -> None:  # noqa: B027 - the kernel needs no goodbye
        """The sample is over."""

    def to_json(self) -> dict[str, Any]:
        """The limit as it stands in a row."""
        return {"bytes": self.limit_bytes, "by": self.by}

    def _message(self) -> str:
        return f"it needed more than its memory limit of {spelled(self.limit_bytes)} ({self.by})"


class CgroupGuard(Guard):
    """The kernel's own limit: exact, and in force before the worker's first page."""

    def __init__(self, limit_bytes: int, cgroup: Cgroup) -> None:
        super().__init__(limit_bytes)
        self.by = cgroup.source
        self._cgroup = cgroup
        cgroup.set_limit(limit_bytes)

    def kill_seen(self) -> LimitKill | None:
        """By the cgroup's own count of kills. Newer kernels do not say in version 1 whether the
        limit was hit, so a machine that ran out of memory at that very time looks the same."""
        return LimitKill(self._message()) if self._cgroup.oom_kills() > 0 else None


class WatchdogGuard(Guard):
    """A process that reads the tree's PSS and kills the tree above the limit. It sees a limit
    passed after the fact, so that a peak may be a little above it."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(limit_bytes)
        self.by = "PSS watchdog"
        self._process: subprocess.Popen[str] | None = None

    def attach(self, pid: int) -> None:
        """Start watching, and wait until it does.

        Raises:
            TreebenchError: this kernel does not tell PSS.
        """
        self._process = subprocess.Popen(
            [*_WATCHDOG, str(pid), str(self.limit_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        assert self._process.stdout is not None  # noqa: S101 - PIPE was asked for
        if not self._process.stdout.readline():
            raise TreebenchError(
                "memory_limit cannot be held here: there is no cgroup, and no PSS in "
                "/proc/PID/smaps_rollup (Linux 4.14 and later); take memory_limit away"
            )

    def kill_seen(self) -> LimitKill | None:
        """What the watchdog said; it ends by itself once it has killed.

        Raises:
            TreebenchError: it hung, so that nobody knows whether the limit was kept to.
        """
        if self._process is None:
            return None
        process, self._process = self._process, None
        try:
            said, _ = process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise TreebenchError(
                "what watches the memory limit hung, and was ended; the samples so far are kept: "
                "type the command again"
            ) from None
        if not said.strip():
            return None
        return LimitKill(self._message(), int(json.loads(said)["pss_bytes"]))

    def close(self) -> None:
        """End the watchdog, which kills what is left of the tree."""
        self.kill_seen()


@contextmanager
def memory_guard(limit_bytes: int | None, cgroup: Cgroup | Unavailable) -> Iterator[Guard | None]:
    """What holds a sample to its limit; None without a limit."""
    if limit_bytes is None:
        yield None
        return
    guard = _guard(limit_bytes, cgroup)
    try:
        yield guard
    finally:
        guard.close()


def _guard(limit_bytes: int, cgroup: Cgroup | Unavailable) -> Guard:
    if isinstance(cgroup, Cgroup):
        try:
            return CgroupGuard(limit_bytes, cgroup)
        except OSError:
            # The row says what held the limit, so nobody takes one for the other.
            return WatchdogGuard(limit_bytes)
    return WatchdogGuard(limit_bytes)
