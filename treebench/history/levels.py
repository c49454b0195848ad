"""Where a figure stood, night by night: stretches of one level, parted by change points.

The change points are those of the penalised least-squares segmentation (R. Killick, P. Fearnhead
and I. A. Eckley, "Optimal detection of changepoints with a linear computational cost", JASA 107
(2012)), as ruptures computes it; a change of library versions parts two levels in any case.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from ruptures import KernelCPD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

PERSISTENCE = 2
"""Nights that a level must last: one alone may be a bad night. Of figures that repeat exactly, and
after a change of versions, one will do."""

_PENALTY = 1.25
"""Times the variance and the logarithm of the number of nights: what a change point must save.
Low, since a re-run decides, and a suspect costs but that."""

_NORMAL_MAD = 1.4826
_LEAST_DIFFERENCES = 4
_WILD = 3.0
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Level:
    """Places `start` to before `stop` of a series, and their median. `after_versions`: other
    versions of libraries begin with it."""

    start: int
    stop: int
    centre: float
    after_versions: bool = False

    def __len__(self) -> int:
        return self.stop - self.start


def noise_of(medians: NDArray[np.float64], errors: NDArray[np.float64]) -> float | None:
    """The standard deviation of a night's median around its level, in the figure's unit.

    By the differences between one night and the next, which a few steps and bad nights do not
    touch; never less than what the spread within the nights leads one to expect. None where
    neither is known, 0 where the figure repeats exactly.
    """
    differences = np.abs(np.diff(medians))
    known = errors[~np.isnan(errors)]
    within = float(np.median(known)) if len(known) else None
    between = None
    if len(differences) >= _LEAST_DIFFERENCES:
        between = _NORMAL_MAD * float(np.median(differences)) / math.sqrt(2)
    found = [each for each in (within, between) if each is not None]
    return max(found) if found else None


def levels_of(
    medians: NDArray[np.float64], noise: float | None, boundaries: Iterable[int] = ()
) -> list[Level]:
    """The levels of a series, in order. `noise` is that of `noise_of`; `boundaries` are places at
    which other versions begin."""
    edges = sorted({0, len(medians), *boundaries})
    versions = set(boundaries)
    return [
        Level(first, last, float(np.median(medians[first:last])), first in versions)
        for start, stop in pairwise(edges)
        for first, last in pairwise([start, *_change_points(medians, noise, start, stop), stop])
    ]


def _change_points(
    medians: NDArray[np.float64], noise: float | None, start: int, stop: int
) -> list[int]:
    """Places between `start` and `stop`, without these, at which a level begins."""
    values = medians[start:stop]
    if noise is None or not len(values):
        return []
    if noise <= _ROUNDING * float(np.median(np.abs(values))):
        return [start + at for at in range(1, len(values)) if values[at] != values[at - 1]]
    if len(values) < 2 * PERSISTENCE:
        return []
    scaled = (tamed(values, noise) - float(np.median(values))) / noise
    penalty = _PENALTY * math.log(len(medians))
    found = KernelCPD(kernel="linear", min_size=PERSISTENCE).fit(scaled[:, None])
    places: Sequence[int] = found.predict(pen=penalty)
    return [start + int(at) for at in places[:-1]]


def tamed(values: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    """With nights that stand out from both their neighbours pulled in: one such night is no level,
    and its square would buy a change point."""
    padded = np.r_[values[:1], values, values[-1:]]
    beside = np.median(np.stack([padded[:-2], padded[1:-1], padded[2:]]), axis=0)
    return np.clip(values, beside - _WILD * noise, beside + _WILD * noise)
