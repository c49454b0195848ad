"""A worker must not outlive its supervisor, however that ends: `kill -9` runs no handler."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with(supervisor_pid: int, by: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to end this process when its parent ends (prctl(2), Linux only).

    A parent that ended before the call sends no signal any more, so it is looked for afterwards.
    Elsewhere than on Linux a worker ends when it next reads from the closed pipe.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, by)
    if os.getppid() != supervisor_pid:
        os.kill(os.getpid(), by)
