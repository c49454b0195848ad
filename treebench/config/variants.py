"""`reference` and `variants`: checking their keys, and turning their lists into products."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.config import model
from treebench.trainers.parameters import PARAMETERS
from treebench.written.refusals import nearest
from treebench.written.shown import path_of, shown
from treebench.written.size import size_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.config.model import SweepConfig

_OWN_KEYS = ("trainer", "layout", "threads", "memory_limit", "extra")
ALLOWED_KEYS = (*_OWN_KEYS, *PARAMETERS)


@dataclass(frozen=True)
class Setting:
    """One trainer with one value for each parameter stated. `layout`, `threads` and
    `memory_limit_bytes` are None where the sweep's own axis applies."""

    trainer: str
    params: dict[str, Any]
    extra: dict[str, Any]
    layout: str | None
    threads: int | str | None
    memory_limit_bytes: int | None = None


def problems(config: SweepConfig, trainers: tuple[str, ...]) -> Iterator[str]:
    """What is wrong in `reference` and `variants`, one line each."""
    if "trainer" not in config.reference:
        yield f"reference.trainer is missing; add it: {_one_of(trainers)}"
    for place, stated in _places(config):
        for key, value in stated.items():
            told = (_problem(key, item, trainers) for item in _items(value, key))
            # Once, however many values an unknown key has.
            for problem in dict.fromkeys(filter(None, told)):
                yield f"{path_of((*place, key))} {problem}"
            if isinstance(value, list) and not value:
                yield f"{path_of((*place, key))} is an empty list; give it a value or leave it out"


def without_mistakes(config: SweepConfig, trainers: tuple[str, ...]) -> SweepConfig | None:
    """The config without what `problems` lists; None where its reference has no trainer."""
    reference = _usable(config.reference, trainers)
    if "trainer" not in reference:
        return None
    kept = [
        usable
        for stated in config.variants
        if ("trainer" in (usable := _usable(stated, trainers))) == ("trainer" in stated)
    ]
    return config.model_copy(update={"reference": reference, "variants": tuple(kept)})


def _usable(stated: dict[str, Any], trainers: tuple[str, ...]) -> dict[str, Any]:
    """What of a setting is without problems."""
    found: dict[str, Any] = {}
    for key, value in stated.items():
        items = [each for each in _items(value, key) if _problem(key, each, trainers) is None]
        if items:
            found[key] = items if isinstance(value, list) and key != "extra" else items[0]
    return found


def settings(config: SweepConfig) -> list[Setting]:
    """The reference, then every variant on top of it, each list multiplied out, in order."""
    return [setting for one in _whole(config) for setting in _product(one)]


def axis_lengths(config: SweepConfig) -> list[dict[str, int]]:
    """For the reference and every variant, how many values each of its keys has."""
    return [{key: len(_items(value, key)) for key, value in one.items()} for one in _whole(config)]


def _whole(config: SweepConfig) -> list[dict[str, Any]]:
    """The reference, and every variant with all that it takes from the reference."""
    return [config.reference, *({**config.reference, **v} for v in config.variants)]


def _product(stated: dict[str, Any]) -> Iterator[Setting]:
    axes = {key: _items(value, key) for key, value in stated.items()}
    for combination in itertools.product(*axes.values()):
        values = dict(zip(axes, combination, strict=True))
        yield Setting(
            trainer=values.pop("trainer"),
            extra=values.pop("extra", None) or {},
            layout=values.pop("layout", None),
            threads=values.pop("threads", None),
            memory_limit_bytes=_limit(values.pop("memory_limit", None)),
            params={key: value for key, value in values.items() if value is not None},
        )


def _limit(value: Any) -> int | None:
    return None if value is None else size_bytes(value)


def _places(config: SweepConfig) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    yield ("reference",), config.reference
    for number, variant in enumerate(config.variants):
        yield ("variants", str(number)), variant


def _items(value: Any, key: str) -> list[Any]:
    """The values of an axis. `extra` is one mapping, whose own lists belong to the library."""
    return list(value) if isinstance(value, list) and key != "extra" else [value]


def _problem(key: str, value: Any, trainers: tuple[str, ...]) -> str | None:
    if key not in ALLOWED_KEYS:
        near = nearest(key, ALLOWED_KEYS)
        listed = "" if near else f"allowed: {', '.join(ALLOWED_KEYS)}; "
        return f"is no key here{near}; {listed}a library's own name goes under extra"
    parameter = PARAMETERS.get(key)
    rule = parameter.problem(value) if parameter else _own_rule(key, value, trainers)
    return None if rule is None else f"is {shown(value)}; {rule}"


def _own_rule(key: str, value: Any, trainers: tuple[str, ...]) -> str | None:
    """What the value of one of our own keys must be, or None where it is that."""
    if key == "trainer" and value not in trainers:
        return f"it must be {_one_of(trainers)}"
    if key == "layout" and value is not None and value not in model.LAYOUTS:
        return f"it must be {_one_of(model.LAYOUTS)}"
    if key == "threads" and not _is_thread_count(value):
        return "it must be physical or all, or be a whole number of at least 1"
    if key == "memory_limit":
        return _limit_rule(value)
    return _extra_rule(value) if key == "extra" and value is not None else None


def _extra_rule(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "it must be a mapping of the library's own parameter names"
    if not _can_be_sent(value):
        return "it must hold text, finite numbers, true, false, null, lists and mappings alone"
    return None


def _limit_rule(value: Any) -> str | None:
    try:
        _limit(value)
    except ValueError as error:
        return str(error)
    return None


def _one_of(choices: tuple[str, ...]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}" if len(choices) > 1 else choices[0]


def _can_be_sent(value: Any) -> bool:
    """Whether the worker, and the journal, can be told it: JSON has no dates and no NaN."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError):
        return False
    return True


def _is_thread_count(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return value is None or value in ("physical", "all") or whole
