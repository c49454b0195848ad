"""Figures from a few samples: median, MAD, and an interval that assumes no distribution.

Pure Python, for the few samples a cell has. All functions take samples in any order and unit,
and answer in the same unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WANTED_LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """An interval for the median, and the level that it really has.

    `level` is the probability that such an interval holds the median: exact for a continuous
    distribution, a lower bound where values can tie.
    """

    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Estimate:
    """What is known of one figure from its samples.

    `values` are in the order measured. `mad` is the unscaled median absolute deviation.
    """

    values: tuple[float, ...]
    median: float
    mad: float
    interval: Interval | None

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.values)

    @property
    def spread_percent(self) -> float | None:
        """The range of the samples, in percent of the median; see `spread_percent`."""
        return spread_percent(self.values)


def estimate(values: Sequence[float]) -> Estimate:
    """Median, MAD and interval of at least one value.

    Raises:
        ValueError: there are no values.
    """
    ordered = sorted(values)
    centre = _middle(ordered)
    spread = _middle(sorted([abs(value - centre) for value in ordered]))
    return Estimate(tuple(values), centre, spread, _interval(ordered, WANTED_LEVEL))


def median(values: Sequence[float]) -> float:
    """The middle value; the mean of the two middle ones when their number is even.

    Raises:
        ValueError: there are no values.
    """
    return _middle(sorted(values))


def _middle(ordered: Sequence[float]) -> float:
    if not ordered:
        raise ValueError("the median of no values does not exist")
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    low, high = ordered[middle - 1], ordered[middle]
    # Not (low + high) / 2, which leaves [low, high] where the sum overflows or is subnormal.
    return low if low == high else low + (high - low) / 2


def mad(values: Sequence[float]) -> float:
    """The median absolute deviation from the median, unscaled.

    Multiply by 1.4826 for an estimate of a normal distribution's standard deviation.
    """
    centre = median(values)
    return median([abs(value - centre) for value in values])


def spread_percent(values: Sequence[float]) -> float | None:
    """The range (largest minus smallest) in percent of the median.

    None for fewer than two values, which show no spread, and for a median of zero.
    """
    centre = median(values)
    if len(values) < 2 or centre == 0:
        return None
    return 100 * (max(values) - min(values)) / abs(centre)


def interval_level(n: int, rank: int) -> float:
    """The level of the interval from the `rank`-th smallest to the `rank`-th largest of `n`.

    The median is missed when fewer than `rank` samples fall on one side of it, each side being
    a fair coin: 1 - 2 P(Binomial(n, 1/2) < rank). See H. A. David and H. N. Nagaraja, *Order
    Statistics*, 3rd edition (2003), section 7.1.
    """
    missed = 2 * sum(comb(n, k) for k in range(rank))
    level: float = (2**n - missed) / 2**n
    return level


def median_interval(values: Sequence[float], wanted: float = WANTED_LEVEL) -> Interval | None:
    """The shortest symmetric order-statistic interval of at least the wanted level.

    With few samples that level cannot be had: from five, the whole range has 93.75 %, from
    three 75 %, from two 50 %. Then the whole range is given, with the level it does have. One
    sample has no interval.
    """
    return _interval(sorted(values), wanted)


def _interval(ordered: Sequence[float], wanted: float) -> Interval | None:
    n = len(ordered)
    if n < 2:
        return None
    rank, level = _rank(n, wanted)
    return Interval(ordered[rank - 1], ordered[n - rank], level)


@cache
def _rank(n: int, wanted: float) -> tuple[int, float]:
    """The rank of the interval's ends for `n` samples, and its level."""
    rank = 1
    while rank < n // 2 and interval_level(n, rank + 1) >= wanted:
        rank += 1
    return rank, interval_level(n, rank)


def theil_sen_slope(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """The median of the slopes between all pairs of points with different x.

    One wild sample cannot turn it, unlike least squares. See P. K. Sen, "Estimates of the
    regression coefficient based on Kendall's tau", JASA 63 (1968). None without such a pair.
    """
    slopes = [
        (y2 - y1) / (x2 - x1)
        for (x1, y1), (x2, y2) in combinations(zip(xs, ys, strict=True), 2)
        if x1 != x2
    ]
    return median(slopes) if slopes else None
