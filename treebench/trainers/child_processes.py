"""What the processes that a trainer starts tell of themselves, and what is known of them after."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource

_ALLOCATOR_PREFIXES = ("MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD", "ARROW_DEFAULT_MEMORY_POOL")


def allocator_settings() -> dict[str, str]:
    """Every setting of an allocator in this process's environment, by name."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(_ALLOCATOR_PREFIXES)
    }


def announce(log: str) -> None:
    """Add this process to the pool's log; runs in each of its workers as it starts."""
    line = json.dumps({"pid": os.getpid(), "allocator": allocator_settings()}) + "\n"
    # One write to a file opened for appending is whole, however many processes write.
    fd = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(fd, line.encode())
    finally:
        os.close(fd)


class WorkerLostError(Exception):
    """A process of a pool is gone, and its trees with it."""


def children_cpu_ns() -> int:
    """CPU time of all children that have ended and been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((used.ru_utime + used.ru_stime) * 1e9)


def check_semaphores() -> None:
    """Processes wait for each other by semaphores, which glibc keeps in /dev/shm.

    Raises:
        OSError: it cannot; says what to mend.
    """
    # Those of a fork are unlinked at once, so that nothing can stay behind.
    try:
        multiprocessing.get_context("fork").Lock()
    except OSError as error:
        raise OSError(
            f"processes can share no semaphore here ({error.strerror}); /dev/shm must be a place "
            f"that can be written to: mount a tmpfs there"
        ) from error
