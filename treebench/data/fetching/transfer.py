"""How far a download is, and what bounds it."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treebench.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

SPARE_BYTES = 64 << 20
"""Left free on a disk that something is written to."""
MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What ends a download: its size, silence, and how often a broken one is taken up again."""

    most_bytes: int
    connect_s: float = 20.0
    silent_s: float = 60.0
    tries: int = 5


@dataclass
class Transfer:
    """A file on its way: `resumed` bytes were there before, `done` are there now, of `total` (None
    if the server does not say)."""

    file: str
    resumed: int = 0
    done: int = 0
    total: int | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the pace since the beginning; None while nothing tells it."""
        came = self.done - self.resumed
        spent = time.monotonic() - self.began
        if self.total is None or came <= 0 or spent <= 0:
            return None
        return (self.total - self.done) * spent / came


def require_space(folder: Path, wanted: int, what: str) -> None:
    """Make sure that a disk has room before it is filled.

    Raises:
        DataError: `folder`'s disk has less than `wanted` bytes and some to spare.
    """
    existing = folder
    while not existing.exists():
        existing = existing.parent
    free = shutil.disk_usage(existing).free
    if free < wanted + SPARE_BYTES:
        raise DataError(
            f"{what} needs {wanted / MIB:,.0f} MiB in {folder}, where {free / MIB:,.0f} MiB are "
            f"free; free space there, or name another folder (`--to`, or TREEBENCH_CACHE)"
        )
