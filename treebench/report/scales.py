"""Axes that a person can read: where ticks stand, and what is written at them.

Vega would write 20,000 as "2e+4" and 256 MiB as "268,435,456"; here ticks are round numbers of
the unit shown, and their text comes from `units` like all other text.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MIB = 2**20
_ROOM = 1.12
"""A bar's text stands beyond its end."""
_LEAST_RATIO = 1.5
"""A log axis spans at least this, or a difference of a percent would fill the picture."""
_LOG_FROM = 4
"""A log axis needs a range of at least this ratio to be worth it."""


@dataclass(frozen=True)
class Ticks:
    """Where an axis begins and ends, its ticks, and their text."""

    low: float
    high: float
    values: tuple[float, ...]
    texts: tuple[str, ...]
    log: bool

    @property
    def label_expression(self) -> str:
        """The Vega expression that gives a tick its text."""
        texts = {_key(value): text for value, text in zip(self.values, self.texts, strict=True)}
        return f"{json.dumps(texts)}[toString(datum.value)]"

    def moved(self, value: float, share: float) -> float:
        """The value that lies this share of the axis to the right of another."""
        if self.log:
            return float(value * (self.high / self.low) ** share)
        return value + (self.high - self.low) * share


def at_values(values: Sequence[float], *, log: bool | None = None) -> Ticks:
    """Ticks at the values themselves: the sizes that were measured.

    Where they crowd on the axis, some are left out, the largest kept.
    """
    known = sorted(set(values))
    as_log = worth_log(known) if log is None else log
    position: Callable[[float], float] = math.log if as_log else float
    places = {value: position(value) for value in known}
    room = (max(places.values()) - min(places.values())) / 9
    shown: list[float] = []
    for value in reversed(known):
        if not shown or places[shown[-1]] - places[value] >= room:
            shown.append(value)
    low, high = _padded(known[0], known[-1], 0.06, log=as_log)
    ticks = tuple(reversed(shown))
    return Ticks(low, high, ticks, tuple(units.short_count(value) for value in ticks), as_log)


def duration_log(values: Sequence[float], sparse_from: float = 500) -> Ticks:
    """A log axis of nanoseconds with ticks at round numbers: the fewer, the longer the axis.

    From a ratio of `sparse_from` on, only powers of ten have one.
    """
    low, high = _padded(min(values), max(values), 0.06, log=True)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ratio = high / low
    steps = (1, 1.5, 2, 3, 4, 6, 8) if ratio < 8 else (1, 2, 5) if ratio < sparse_from else (1,)
    ticks = [step * 10**power for power in range(first, last + 1) for step in steps]
    return _log_ticks(low, high, ticks, _short_duration)


def size_log(values: Sequence[float]) -> Ticks:
    """A log axis of bytes with ticks at powers of two, of four where those crowd."""
    low, high = _padded(min(values), max(values), 0.06, log=True)
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    step = 1 if last - first <= 8 else 2 if last - first <= 16 else 4
    factors = (1, 1.25, 1.5, 1.75) if high / low < 4 else (1,)
    powers = [power for power in range(first, last + 1) if power % step == 0]
    ticks = [factor * 2.0**power for power in powers for factor in factors]
    return _log_ticks(low, high, ticks, _short_size)


def number_log(values: Sequence[float]) -> Ticks:
    """A log axis of plain numbers with ticks at 1, 2 and 5 of each power of ten; at the powers
    alone where those crowd."""
    low, high = _padded(min(values), max(values), 0.06, log=True)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return _log_ticks(low, high, ticks, lambda value: units.short_count(float(f"{value:g}")))


def duration_linear(values: Sequence[float]) -> Ticks:
    """An axis of nanoseconds from 0, as lengths of bars must be."""
    top = max(values) or 1
    scale = next((s for s in (10**9, 10**6, 10**3) if top >= s), 1)
    return _linear(top, scale, _short_duration)


def size_linear(values: Sequence[float]) -> Ticks:
    """An axis of bytes from 0."""
    top = max(values) or 1
    return _linear(top, 2**30 if top >= 2**30 else _MIB, _short_size)


def score_linear(values: Sequence[float]) -> Ticks:
    """An axis for scores: as near as the values are, never nearer than 0.01 from end to end."""
    low, high = min(values), max(values)
    room = max(high - low, 0.01 if abs(high) <= 1 else 0.01 * abs(high))
    middle = (low + high) / 2
    start, end = middle - 0.62 * room, middle + 0.62 * room
    step = _round_step((end - start) / 5)
    decimals = max(0, -math.floor(math.log10(step)))
    first = math.ceil(start / step)
    ticks = tuple(round(i * step, decimals) for i in range(first, math.floor(end / step) + 1))
    texts = tuple(f"{tick:,.{decimals}f}".replace("-", units.MINUS) for tick in ticks)
    return Ticks(start, end, ticks, texts, log=False)


def worth_log(values: Sequence[float]) -> bool:
    """Whether values spread enough for a log axis."""
    return min(values) > 0 and max(values) / min(values) >= _LOG_FROM


def _log_ticks(
    low: float, high: float, ticks: Sequence[float], text: Callable[[float], str]
) -> Ticks:
    # At least two ticks, or nothing says what the scale is.
    inside = [tick for tick in ticks if low <= tick <= high]
    if len(inside) < 2:
        low, high = min(low, max(t for t in ticks if t <= low)), max(high, _next(ticks, high))
        inside = [tick for tick in ticks if low <= tick <= high]
    return Ticks(low, high, tuple(inside), tuple(map(text, inside)), log=True)


def _next(ticks: Sequence[float], value: float) -> float:
    return min(tick for tick in ticks if tick >= value)


def _linear(top: float, scale: float, text: Callable[[float], str]) -> Ticks:
    step = _round_step(top / scale / 6.5) * scale
    ticks = tuple(i * step for i in range(math.floor(top * _ROOM / step) + 1))
    return Ticks(
        0, top * _ROOM, ticks, tuple(text(tick) if tick else "0" for tick in ticks), log=False
    )


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * 0.999)


def _padded(low: float, high: float, share: float, *, log: bool) -> tuple[float, float]:
    if not log:
        room = (high - low or abs(high) or 1) * share
        return low - room, high + room
    room = max((high / low) ** share, 1.05, (_LEAST_RATIO * low / high) ** 0.5)
    return low / room, high * room


def _short_duration(ns: float) -> str:
    for scale, name in ((10**9, "s"), (10**6, "ms"), (10**3, "\u00b5s")):
        if ns >= scale:
            return f"{round(ns / scale, 6):,g} {name}"
    return f"{ns:g} ns"


def _short_size(n_bytes: float) -> str:
    for scale, name in ((2**40, "TiB"), (2**30, "GiB"), (_MIB, "MiB"), (2**10, "KiB")):
        if n_bytes >= scale:
            return f"{round(n_bytes / scale, 6):,g} {name}"
    return f"{n_bytes:g} B"


def _key(value: float) -> str:
    """The number as Vega's toString writes it."""
    return str(int(value)) if value == int(value) else repr(value)
