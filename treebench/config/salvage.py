"""What is left of a config without its mistakes.

A person who mends a config wants to see all that is wrong with it, and some of that shows only
once it is held against the data and the machine; so what can be used of it is planned too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

    from treebench.config.model import SweepConfig

_GONE = object()
_ANY_NAME = "unnamed"


def without_mistakes(raw: dict[str, Any], error: ValidationError) -> SweepConfig | None:
    """The sweep in `raw` without all that `error` names; None where too little is left."""
    from pydantic import ValidationError

    from treebench.config.model import SweepConfig
    from treebench.written.mistakes import mistakes

    left = _copied(raw)
    for mistake in mistakes(error, SweepConfig, raw):
        keys = mistake.keys[:-1] if mistake.detail["type"] == "missing" else mistake.keys
        _mark(left, keys)
    left = {"name": _ANY_NAME, **_pruned(left)}
    try:
        return SweepConfig.model_validate(left)
    except ValidationError:
        return None


def stated_sets(raw: dict[str, Any]) -> tuple[str, ...]:
    """The data sets that a config names, as far as it can be told, each once; none whose name
    could lead out of the folder of cards."""
    from treebench.config.model import NAME_PATTERN

    entries = _listed(raw.get("data"))
    names = [
        name for entry in entries if isinstance(entry, dict) for name in _listed(entry.get("set"))
    ]
    known = [name for name in names if isinstance(name, str) and re.fullmatch(NAME_PATTERN, name)]
    return tuple(dict.fromkeys(known))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _copied(value: Any) -> Any:
    """A copy in which nothing is shared, as YAML's aliases share it."""
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def _mark(place: Any, keys: tuple[str, ...]) -> None:
    """Mark what stands at `keys` as gone; nothing at all where no key is named."""
    for number, step in enumerate(keys):
        key: Any = int(step) if isinstance(place, list) else step
        if number == len(keys) - 1:
            place[key] = _GONE
        else:
            place = place[key]
            if place is _GONE:
                return


def _pruned(value: Any) -> Any:
    """Without what is gone, and without lists that nothing is left of."""
    if isinstance(value, dict):
        kept = {key: _pruned(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each is not _GONE}
    if isinstance(value, list) and value:
        left = [each for each in map(_pruned, value) if each is not _GONE]
        return left or _GONE
    return value
