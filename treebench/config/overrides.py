"""`--set a.b=v`: changing a config from the command line."""

from __future__ import annotations

import copy
from typing import Any

from treebench.errors import ConfigError
from treebench.written.shown import shown
from treebench.written.yaml_text import parse_yaml


def apply_leniently(config: Any, assignments: list[str]) -> tuple[Any, list[str]]:
    """A copy of `config` with every `path=value` set that can be, the value read as YAML, and what
    is wrong with the others: no `=`, or a path that leads nowhere."""
    changed = copy.deepcopy(config)
    problems: list[str] = []
    for assignment in assignments:
        try:
            path, value = _read(assignment)
            _assign(changed, path, value, assignment)
        except ConfigError as error:
            problems += error.problems
    return changed, problems


def _read(assignment: str) -> tuple[list[str], Any]:
    path, equals, text = assignment.partition("=")
    if not equals or not path.strip():
        raise ConfigError(f"--set {assignment}: write it as key=value, as in samples=3")
    return path.strip().split("."), parse_yaml(text, f"--set {assignment}", ConfigError)


def _assign(config: Any, path: list[str], value: Any, assignment: str) -> None:
    *parents, last = path
    place = config
    for key in parents:
        place = _step(place, key, assignment)
    if isinstance(place, dict):
        place[last] = value
    elif isinstance(place, list):
        place[_index(place, last, assignment)] = value
    else:
        raise _leads_nowhere(assignment, last, place)


def _step(place: Any, key: str, assignment: str) -> Any:
    if isinstance(place, dict):
        return place.setdefault(key, {})
    if isinstance(place, list):
        return place[_index(place, key, assignment)]
    raise _leads_nowhere(assignment, key, place)


def _index(place: list[Any], key: str, assignment: str) -> int:
    if key.isdecimal() and int(key) < len(place):
        return int(key)
    if not place:
        raise ConfigError(
            f"--set {assignment}: there is nothing at {key!r}, since the list above it is empty; "
            f"set that instead"
        )
    inserted = assignment.replace(f".{key}", f".0.{key}", 1)
    example = f", as in {inserted}" if key.isidentifier() else ""
    raise ConfigError(
        f"--set {assignment}: {key!r} stands for a place in a list of {len(place)}; "
        f"write a number from 0 to {len(place) - 1}{example}"
    )


def _leads_nowhere(assignment: str, key: str, place: Any) -> ConfigError:
    return ConfigError(
        f"--set {assignment}: there is nothing at {key!r}, since what stands above it is "
        f"{shown(place)}; set that instead"
    )
