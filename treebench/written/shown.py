"""How a value out of a person's file is quoted back: as YAML writes it, not as Python does."""

from __future__ import annotations

import datetime
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 60
_DEEPEST = 5
_PLAIN_KEY = re.compile(r"[\w-]{1,60}")
_WORDS = {None: "null", True: "true", False: "false"}
_ENDLESS = {math.inf: ".inf", -math.inf: "-.inf"}


def shown(value: Any) -> str:
    """A value as it is quoted to a person, in one line, cut where it is long."""
    text = _written(value, 0)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def path_of(keys: Iterable[str]) -> str:
    """Keys as one path, as in `source.rows`; those that would not be seen to be one in quotes."""
    return ".".join(key if _PLAIN_KEY.fullmatch(key) else shown(key) for key in keys)


def _written(value: Any, depth: int) -> str:
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, float) and not math.isfinite(value):
        return _ENDLESS.get(value, ".nan")
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if depth > _DEEPEST and isinstance(value, dict | list | tuple | set):
        return "..."
    if isinstance(value, dict):
        inner = (f"{_key(key)}: {_written(each, depth + 1)}" for key, each in value.items())
        return f"{{{', '.join(inner)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(each, depth + 1) for each in value)}]"
    return repr(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) and key.isidentifier() else _written(key, _DEEPEST)
