"""Shares as a table has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Rate:
    """So many of so many, with the interval of Clopper and Pearson."""

    n: int
    of: int

    def __str__(self) -> str:
        if not self.of:
            return "-"
        found = stats.binomtest(self.n, self.of).proportion_ci(0.95, method="exact")
        return f"{percent(self.n / self.of)} ({percent(found.low)} to {percent(found.high)})"


def percent(share: float) -> str:
    """Two digits of a small share, one behind the point of a large one."""
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.1f} %"


def head(titles: Sequence[str]) -> str:
    """The head of a table in Markdown."""
    return f"{line(titles)}\n{line([':--'] * len(titles))}"


def line(cells: Sequence[str]) -> str:
    """A line of it."""
    return f"| {' | '.join(cells)} |"
