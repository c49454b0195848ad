"""What a process's connections have carried, by the kernel's own count."""

from __future__ import annotations

import os
import socket
import struct
from contextlib import suppress

_BYTES_ACKED_AT = 120
_INFO_BYTES = 136


def connection_bytes() -> int | None:
    """Bytes that this process's open TCP connections have sent and received so far; None where
    the kernel does not count them.

    From `tcpi_bytes_acked` and `tcpi_bytes_received` of tcp(7)'s TCP_INFO (Linux from 4.1 on).
    """
    if not hasattr(socket, "TCP_INFO") or not os.path.isdir("/proc/self/fd"):
        return None
    total = 0
    for name in os.listdir("/proc/self/fd"):
        # One that was closed since it was listed, and one that is no TCP connection, has none.
        with suppress(OSError):
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):
                total += _carried(int(name))
    return total


def carried_between(before: int | None, now: int | None) -> int | None:
    """Bytes from one count to the next; None where either is not known, or where connections that
    were closed in between took more with them than the others carried."""
    if before is None or now is None or now < before:
        return None
    return now - before


def _carried(fd: int) -> int:
    with socket.socket(fileno=os.dup(fd)) as one:
        info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
    if len(info) < _INFO_BYTES:
        return 0
    acked, received = struct.unpack_from("QQ", info, _BYTES_ACKED_AT)
    return int(acked + received)
