"""Comparing the parameters that were asked for with those a trained model says it had."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# XGBoost keeps its numbers as float32 and LightGBM writes six digits of them.
_RELATIVE_TOLERANCE = 1e-5

_WORDS = {"true": 1, "false": 0, "none": None, "null": None, "": None}


def differences(
    requested: Mapping[str, Any], effective: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """The names whose values differ, each with (requested, effective).

    Whole numbers must be equal; other numbers agree to five digits. True, 1 and "1" are one
    value, as are None, "" and an empty list, and as are a list, however nested, and its text. A
    name that the model tells nothing about is left out: nothing is known of it.
    """
    return {
        name: (value, effective[name])
        for name, value in requested.items()
        if name in effective and not _same(_plain(value), _plain(effective[name]))
    }


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=_RELATIVE_TOLERANCE)
    return bool(one == other)


def _plain(value: Any) -> Any:
    """One form for what libraries write in several: a number, None, text, or a flat list of two
    or more of them."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, (list, tuple)):
        return _from_text(",".join(map(str, value)))
    return value


def _from_text(text: str) -> Any:
    items = [_scalar(item.strip(" []()'")) for item in text.split(",")]
    return items if len(items) > 1 else items[0]


def _scalar(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
