"""Settings drawn at random from a space: the same for the same seed, on any machine."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.config.comparisons import Range

_DIGITS = 3
"""Significant ones: more would make no difference to a model, and long names of cells."""


def drawn_settings(
    space: Mapping[str, Range], n: int, seed: int, library: str
) -> list[dict[str, float]]:
    """`n` settings from a space. Fewer are the beginning of more, and each library has a stream of
    its own, so that a search made smaller tries a part of the whole one."""
    draw = random.Random(f"{seed} {library}")  # noqa: S311 - nothing is kept secret
    return [{name: _value(one, draw.random()) for name, one in space.items()} for _ in range(n)]


def _value(one: Range, place: float) -> float:
    """The value at a place from 0 to 1 of a range."""
    if one.log:
        value = math.exp(math.log(one.low) + place * (math.log(one.high) - math.log(one.low)))
    else:
        value = one.low + place * (one.high - one.low)
    if one.whole:
        return round(value)
    return min(one.high, max(one.low, float(f"{value:.{_DIGITS}g}")))
