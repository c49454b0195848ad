"""A process that does nothing but work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.processes import started

PROGRAM = """
def spin():
    print(flush=True)
    while True:
        sorted(range(1000))
spin()
"""


@contextmanager
def busy_python() -> Iterator[int]:
    """The pid of a Python that spins in a function of that name."""
    with started([sys.executable, "-S", "-c", PROGRAM], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
