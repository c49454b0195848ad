"""Which running machine this is: two hosts of a cluster may be one."""

from __future__ import annotations

import socket
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id(path: Path = _BOOT_ID) -> str:
    """The kernel's name for this boot, equal in every container on it; where the kernel has none,
    the host's name."""
    try:
        return path.read_text().strip()
    except OSError:
        return socket.gethostname()
