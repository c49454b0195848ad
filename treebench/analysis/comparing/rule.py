"""When a change counts: the band and the floor of each figure, and the verdict on two sets.

*Worse* needs three things: evidence that chance is not enough, a relative change beyond the band,
and an absolute change beyond the floor. *Same* needs evidence too: an interval inside the band.
What is neither is *unclear*, and said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median, variance
from typing import TYPE_CHECKING, Literal

from treebench.analysis.comparing import ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.comparing.ranks import RatioInterval
    from treebench.analysis.figures import NamedFigure

Verdict = Literal["worse", "better", "same", "unclear", "not comparable"]

FALSE_DISCOVERIES = 0.05
"""Share of the changes called worse or better that may be chance."""
_LEAST_SAMPLES = 3
_MS, _MIB = 10**6, 2**20


@dataclass(frozen=True)
class Bounds:
    """What a change must exceed: `band` relative to the first set, `floor` in the figure's unit."""

    band: float
    floor: float


_BY_UNIT = {
    "ns": Bounds(0.05, 50 * _MS),
    "bytes": Bounds(0.03, 16 * _MIB),
    "count": Bounds(0.02, 0.0),
    # A score is compared by its difference: half a percent of an error rate may be much.
    "score": Bounds(0.0, 0.002),
    "share": Bounds(0.05, 0.02),
}
_OF_LATENCY = Bounds(0.10, 20_000.0)
_OF_MODEL = Bounds(0.03, 1024.0)


def bounds_of(figure: NamedFigure) -> Bounds:
    """The bounds of a figure, by its unit; a latency is far below the floor of a phase, and a
    model below that of a process."""
    if figure.name.startswith("latency:"):
        return _OF_LATENCY
    return _OF_MODEL if figure.name == "model_size" else _BY_UNIT[figure.unit]


@dataclass(frozen=True)
class Change:
    """One figure in two sets: medians `before` and `after`, the ratio with its interval (None
    where a value is not above zero), and how likely chance is. `apart`: the two sets lie further
    from each other than either is wide. `deterministic`: no sample differs from its fellows.
    `furthest` is the largest difference between a sample of one set and one of the other.
    `log_spread` is the standard deviation of the logarithms within the sets, pooled; None where it
    is not known."""

    before: float
    after: float
    interval: RatioInterval | None
    chance: float
    n_before: int
    n_after: int
    apart: bool
    deterministic: bool
    furthest: float = float("inf")
    log_spread: float | None = None

    @property
    def difference(self) -> float:
        """After minus before."""
        return self.after - self.before


def change_of(
    before: Sequence[float], after: Sequence[float], *, repeatable: bool = False
) -> Change:
    """What two sets of samples, neither empty, say of a figure. `repeatable`: it is simulated, so
    that one sample is as good as many."""
    positive = min(*before, *after) > 0
    deterministic = len(set(before)) == 1 and len(set(after)) == 1
    return Change(
        median(before),
        median(after),
        ranks.ratio_interval(before, after) if positive else None,
        ranks.chance(before, after),
        len(before),
        len(after),
        _apart(before, after),
        deterministic and (repeatable or min(len(before), len(after)) > 1),
        max(max(after) - min(before), max(before) - min(after)),
        _log_spread(before, after) if positive else None,
    )


def _log_spread(before: Sequence[float], after: Sequence[float]) -> float | None:
    sets = [[math.log(value) for value in values] for values in (before, after)]
    freedom = sum(len(values) - 1 for values in sets)
    squares = sum((len(values) - 1) * variance(values) for values in sets if len(values) > 1)
    return math.sqrt(squares / freedom) if freedom else None


def verdict(
    change: Change,
    figure: NamedFigure,
    adjusted: float,
    tests: int = 1,
    bounds: Bounds | None = None,
) -> Verdict:
    """The verdict on one change, `adjusted` being its chance with all `tests` allowed for; by
    the figure's usual bounds unless others are given. A figure of which neither way is the wrong
    one is never called better or worse."""
    bounds = bounds or bounds_of(figure)
    if figure.worse == "neither":
        return "same" if _within(change, bounds) else "unclear"
    if _counts(change, bounds) and _evident(change, adjusted, tests):
        went_up = change.difference > 0
        return "worse" if went_up == (figure.worse == "more") else "better"
    return "same" if _within(change, bounds) else "unclear"


def _counts(change: Change, bounds: Bounds) -> bool:
    """Whether the change is beyond the band and the floor."""
    relative = abs(change.difference) / abs(change.before) if change.before else float("inf")
    return abs(change.difference) > bounds.floor and relative > bounds.band


def _evident(change: Change, adjusted: float, tests: int) -> bool:
    """Whether chance is not enough: by the rank test; where sets of these sizes cannot convince it
    among so many tests, by sets that lie far apart. Of normal samples, three against three, chance
    alone does that in 0.7 % of pairs, and five against five in 0.01 % (by simulation)."""
    if change.deterministic:
        return change.before != change.after
    reachable = ranks.least_chance(change.n_before, change.n_after) * tests <= FALSE_DISCOVERIES
    return adjusted <= FALSE_DISCOVERIES or (not reachable and change.apart)


def _apart(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether the gap between the sets is wider than either of them; of three samples at least."""
    if min(len(before), len(after)) < _LEAST_SAMPLES:
        return False
    gap = max(min(after) - max(before), min(before) - max(after))
    return gap > max(max(before) - min(before), max(after) - min(after))


def _within(change: Change, bounds: Bounds) -> bool:
    """Whether no change that would count is left in the interval."""
    if change.deterministic and change.before == change.after:
        return True
    if not change.deterministic and min(change.n_before, change.n_after) < _LEAST_SAMPLES:
        return False
    if change.interval is None:
        return change.furthest <= bounds.floor
    low, high = change.interval.low - 1, change.interval.high - 1
    furthest = max(abs(low), abs(high))
    return furthest <= bounds.band or furthest * abs(change.before) <= bounds.floor
