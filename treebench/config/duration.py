"""Durations as people write them: `90`, `45s`, `10m`, `1.5h`."""

from __future__ import annotations

import re

_SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
# The kernel's timers count milliseconds in 31 bits, which is not quite 25 days.
_LONGEST_S = 20 * 24 * 3600
_FORM = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*(s|min|m|h)?\s*$")


def seconds(value: object) -> float:
    """Seconds in a duration, at most 20 days.

    Raises:
        ValueError: it is no duration above 0, or a longer one; the message says what is allowed.
    """
    match = None if isinstance(value, bool) else _FORM.match(str(value))
    amount = float(match[1]) * _SECONDS[match[2] or ""] if match else 0.0
    if amount <= 0:
        raise ValueError("it must be a time above 0, such as 90, 45s, 10m or 1.5h")
    if amount > _LONGEST_S:
        raise ValueError("it must be a time of at most 20 days, which is 480h")
    return amount
