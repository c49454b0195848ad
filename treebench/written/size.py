"""Sizes of memory as people write them: `512MiB`, `2GiB`, `1.5 GB`."""

from __future__ import annotations

import re

_BYTES = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
_FORM = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|KiB|MiB|GiB|TiB)?\s*$")
# Below this not even an interpreter starts; above it, there is no such machine.
_LEAST_BYTES = 16 * 2**20
_MOST_BYTES = 2**50


def size_bytes(value: object) -> int:
    """Bytes in a size; a number alone is bytes.

    Raises:
        ValueError: it is no size of at least 16 MiB; the message says what is allowed.
    """
    match = None if isinstance(value, bool) else _FORM.match(str(value))
    if match is None:
        raise ValueError("it must be a size with its unit, such as 512MiB, 2GiB or 1.5GB")
    amount = round(float(match[1]) * _BYTES[match[2] or ""])
    if not _LEAST_BYTES <= amount <= _MOST_BYTES:
        raise ValueError("it must be a size of at least 16MiB and at most 1024TiB")
    return amount


def spelled(amount: int) -> str:
    """A size in the largest unit that gives it in full: `size_bytes` reads it back."""
    for unit in ("GiB", "GB", "MiB", "MB", "KiB", "kB"):
        whole = amount / _BYTES[unit]
        text = f"{whole:.3f}".rstrip("0").rstrip(".")
        if whole >= 1 and round(float(text) * _BYTES[unit]) == amount:
            return f"{text}{unit}"
    return f"{amount}B"
