"""How far the making of a data set is, in lines for a person."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

REPORT_EVERY_SECONDS = 2.0


@dataclass
class Progress:
    """Says how far the writing is, every few seconds."""

    name: str
    rows: int
    report: Callable[[str], None]
    done: int = 0
    last: float = field(default_factory=time.monotonic)

    def add(self, rows: int) -> None:
        """Count rows that were written."""
        self.done += rows
        if time.monotonic() - self.last >= REPORT_EVERY_SECONDS:
            self.last = time.monotonic()
            self.report(f"{self.name}: {self.done:,} of {self.rows:,} rows")
