"""How long the rest of a sweep will take, from what its samples have taken so far."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


class Estimate:
    """Remaining seconds: each missing sample costs what its like has cost; what was not seen yet
    costs what was seen so far cost on average. What is alike has one key: a cell's samples of
    one kind."""

    def __init__(self) -> None:
        self._seconds: dict[Hashable, list[float]] = {}

    def saw(self, key: Hashable, seconds: float) -> None:
        """A sample of `key` took that long, from start to end."""
        self._seconds.setdefault(key, []).append(seconds)

    def remaining_s(self, missing: Iterable[Hashable]) -> float | None:
        """Seconds for the missing samples, given by their keys; None before anything was seen."""
        if not self._seconds:
            return None
        per_key = {key: fmean(seen) for key, seen in self._seconds.items()}
        elsewhere = fmean(per_key.values())
        return sum(per_key.get(key, elsewhere) for key in missing)
