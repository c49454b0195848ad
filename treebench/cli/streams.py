"""The three standard streams, so that every verb finds them open and able to take any text."""

from __future__ import annotations

import io
import os
import select
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STDOUT = 1


def open_streams() -> None:
    """Put the null device where a stream is closed, and let none fail for want of a letter.

    A closed stream's number would go to the next file that is opened, a pipe to a worker say,
    and be closed again in the worker, which expects a stream there.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - it lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):  # stderr is born so
        sys.stdout.reconfigure(errors="replace")


def has_reader(number: int) -> bool:
    """Whether what is written to a stream can still be read; only of a pipe is it known."""
    watched = select.poll()
    watched.register(number, 0)
    return not any(events & select.POLLERR for _, events in watched.poll(0))


def forget(number: int) -> None:
    """Send what is still to be written to a stream, by its number, to the null device: writing
    it has failed already, and would fail again when the interpreter ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """What is written to stdout inside may find no reader (`| head`): the rest of it is dropped,
    and the verb goes on to its own exit code."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        if has_reader(STDOUT):
            raise
        forget(STDOUT)
