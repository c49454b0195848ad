"""The time as each iteration of a fit ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class IterationClock:
    """Takes the time as each iteration of a fit ends."""

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self._clock = clock
        self._start_ns = 0
        self._ends_ns: list[int] = []

    def start(self) -> None:
        """The fit begins."""
        self._start_ns = self._clock()

    def __call__(self) -> None:
        """An iteration ended."""
        self._ends_ns.append(self._clock())

    @property
    def walls_ns(self) -> list[int]:
        """By iteration, nanoseconds from the start of the fit to its end."""
        return [end - self._start_ns for end in self._ends_ns]
