"""The one place where numbers become text for people.

Everything else keeps raw values with units in their names. Three significant digits, so that a
figure never looks finer than it is; a value that rounds up to the next unit is written in it.
Unknown is a dash, never 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.statistics import Interval
    from treebench.analysis.summary import Figure

DASH = "\u2013"
MINUS = "\u2212"

# (size in the base unit, name, from how much of it the next unit is used)
_TIMES = ((1, "ns", 1000), (1_000, "\u00b5s", 1000), (1_000_000, "ms", 1000), (10**9, "s", 60))
_SIZES = tuple(
    (1024**power, name, 1024) for power, name in enumerate(("B", "KiB", "MiB", "GiB", "TiB"))
)
_COUNTS = tuple((1000**power, name, 1000) for power, name in enumerate(("", "k", "M", "G", "T")))
_RATES = tuple((scale, f"{name}B/s", limit) for scale, name, limit in _COUNTS)
_MINUTE = 60
_HOUR = 3600


def duration(ns: float | None) -> str:
    """Nanoseconds as "184 ms", "2.31 s", "1 min 05 s" or "1 h 02 min"."""
    if ns is None:
        return DASH
    if ns == 0:
        return "0 s"
    return _signed(ns, _unsigned_duration)


def time_left(seconds: float) -> str:
    """An estimate, without digits that it does not have: "about 40 s", "about 3 min"."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 100:
        return f"about {round(seconds, -1):.0f} s"
    if seconds < 100 * _MINUTE:
        return f"about {seconds / _MINUTE:.0f} min"
    return f"about {seconds / _HOUR:.1f} h"


def size(n_bytes: float | None) -> str:
    """Bytes as "512 B", "31.2 MiB", "1.46 GiB"."""
    if n_bytes is None:
        return DASH
    return _signed(n_bytes, lambda value: " ".join(_scaled(value, _SIZES)))


def mebibytes(n_bytes: float | None) -> str:
    """Bytes in MiB to a tenth, whatever their size, for figures that are compared by digits."""
    return DASH if n_bytes is None else f"{n_bytes / 2**20:,.1f} MiB".replace("-", MINUS)


def sizes(values: Sequence[float | None]) -> str:
    """Several sizes in one unit, that of the largest: "31.2 | 62.1 | 105 MiB"."""
    known = [abs(value) for value in values if value is not None]
    if not known:
        return " | ".join(DASH for _ in values)
    _, unit = _scaled(max(known), _SIZES)
    scale = next(scale for scale, name, _ in _SIZES if name == unit)
    texts = [
        DASH if value is None else _signed(value, lambda v: _in_shared_unit(v, scale))
        for value in values
    ]
    return f"{' | '.join(texts)} {unit}"


def duration_interval(interval: Interval | None) -> str:
    """An interval of nanoseconds, the unit said once where both ends have the same."""
    if interval is None:
        return DASH
    low, high = duration(interval.low), duration(interval.high)
    if low == high:
        return low
    if low.count(" ") == high.count(" ") == 1 and low.split()[1] == high.split()[1]:
        low = low.split()[0]
    return f"{low}{DASH}{high}"


def ratio(value: float | None) -> str:
    """A ratio as "4.13x"."""
    return DASH if value is None else f"{_three_digits(value)}x"


def percent(value: float | None, *, signed: bool = False) -> str:
    """A percentage as "1.8 %", or with its sign as "+0.4 %"."""
    if value is None:
        return DASH
    text = f"{abs(value):.1f}" if abs(value) < 100 else f"{abs(value):,.0f}"
    sign = "" if float(text.replace(",", "")) == 0 else MINUS if value < 0 else "+" * signed
    return f"{sign}{text} %"


def hours(ns: float) -> float:
    """Nanoseconds in hours."""
    return ns / (_HOUR * 1e9)


def cost(value: float | None) -> str:
    """An amount of money, in the currency that it was given in: "0.00123", "12.30", "1,230"."""
    if value is None:
        return DASH
    if 0 < value < 0.0995:
        return f"{value:.{2 - math.floor(math.log10(value))}f}"
    return f"{value:,.2f}" if value < 999.5 else count(value)


def level(share: float) -> str:
    """A level of confidence as "93.75 %", without digits that are not there."""
    # Rounded down: 99.997 % must not be written as the certainty of 100 %.
    return f"{math.floor(share * 10_000 + 1e-9) / 100:g} %"


def count(value: float | None) -> str:
    """A whole number as "327,346"."""
    return DASH if value is None else f"{value:,.0f}"


def rounded_count(value: float | None) -> str:
    """A count that was computed, to three significant digits: "1,230,000", "0.0056"."""
    if value is None:
        return DASH
    if 0 < value < 0.0995:
        # Two digits of however little: it is not 0.
        return f"{value:.{1 - math.floor(math.log10(value))}f}"
    # Below 100 there are digits after the point.
    if value < 99.95:
        return _three_digits(value)
    return count(round(value, 2 - math.floor(math.log10(value))))


def scaled_count(value: float | None) -> str:
    """A large count to three significant digits: "24.9 M"; below a thousand in full."""
    if value is None:
        return DASH
    return " ".join(_scaled(value, _COUNTS)).rstrip()


def rate(bytes_per_s: float | None) -> str:
    """Bytes per second in decimal units, as bandwidths are given: "9.58 GB/s"."""
    return DASH if bytes_per_s is None else " ".join(_scaled(bytes_per_s, _RATES))


def short_count(value: float) -> str:
    """A round number as "20k" or "1.5M", exact; any other in full, as "327,346"."""
    for scale, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= scale and value * 100 % scale == 0:
            return f"{value / scale:g}{letter}"
    return number(value)


def number(value: float | None) -> str:
    """A parameter's value: whole ones with separators, others as written."""
    if value is None:
        return DASH
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def score(value: float | None) -> str:
    """A score to four decimals, or to four digits where it is above 1."""
    if value is None:
        return DASH
    if abs(value) < 1:
        return f"{value:.4f}".replace("-", MINUS)
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}".replace("-", MINUS)


def of_figure(figure: Figure | None, text: Callable[[float | None], str]) -> str:
    """The median of a figure as `text` writes it."""
    return text(None if figure is None else figure.median)


def _signed(value: float, text: Callable[[float], str]) -> str:
    return f"{MINUS}{text(-value)}" if value < 0 else text(value)


def _unsigned_duration(ns: float) -> str:
    seconds = round(ns / 1e9)
    if ns < 59.95e9:
        return " ".join(_scaled(ns, _TIMES))
    if seconds < _HOUR:
        minutes, rest = divmod(seconds, _MINUTE)
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(round(ns / 60e9), _MINUTE)
    return f"{count(hours)} h {minutes:02d} min"


def _scaled(value: float, units: tuple[tuple[int, str, int], ...]) -> tuple[str, str]:
    for scale, unit, limit in units:
        # The base unit is not divided: "5 B", never "5.00 B".
        whole = scale == 1 and value == int(value)
        text = f"{value:,.0f}" if whole else _three_digits(value / scale)
        if float(text.replace(",", "")) < limit:
            return text, unit
    return text, units[-1][1]


def _three_digits(value: float) -> str:
    """Three significant digits, none after the point from 100 on."""
    for limit, decimals in ((9.995, 2), (99.95, 1)):
        if value < limit:
            return f"{value:.{decimals}f}"
    return f"{value:,.0f}"


def _in_shared_unit(value: float, scale: int) -> str:
    if value == 0:
        return "0"
    return "<0.01" if value / scale < 0.005 else _three_digits(value / scale)
