"""How long the rest of a sweep will take, from what its samples have taken so far."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Estimate:
    """Remaining seconds: each missing sample costs what its cell has cost; a cell not seen yet
    costs what the cells seen so far cost on average."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[float]] = {}

    def saw(self, cell: str, seconds: float) -> None:
        """A sample of `cell` took that long, from start to end."""
        self._seconds.setdefault(cell, []).append(seconds)

    def remaining_s(self, missing: Iterable[str]) -> float | None:
        """Seconds for the missing samples, given by their cells; None before anything was seen."""
        if not self._seconds:
            return None
        per_cell = {cell: fmean(seen) for cell, seen in self._seconds.items()}
        elsewhere = fmean(per_cell.values())
        return sum(per_cell.get(cell, elsewhere) for cell in missing)
