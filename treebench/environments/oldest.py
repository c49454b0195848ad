"""The oldest releases that the worker was seen to run with.

Found by trying: the worker took samples of every trainer of a library on all its layouts, release
by release, with Python 3.11 (see docs/AB.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST: dict[str, str] = {
    "python": "3.11",
    "numpy": "1.26",
    "scipy": "1.11",
    "pyarrow": "17.0",
    "threadpoolctl": "3.1",
    "scikit-learn": "1.3",
    "xgboost": "1.7",
    "lightgbm": "4.0",
}


def too_old(versions: Mapping[str, str | None]) -> str | None:
    """The first distribution whose version is below the oldest that works, said in words; None
    where there is none."""
    for name, oldest in OLDEST.items():
        version = versions.get(name)
        if version is not None and _numbers(version) < _numbers(oldest):
            return f"{name} {version} is too old for the worker; the oldest that works is {oldest}"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, zeros at their end left out, since 4 is 4.0 (PEP 440):
    2.0.3rc1 counts as 2.0.3."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    parts = [int(part) for part in found.group().split(".")] if found else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
