"""Names of series for people, from what differs within the run."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from treebench.trainers.parameters import PARAMETERS
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from treebench.plan.cell import CellSpec

_ABSENT = object()

_NONE = {"max_depth": "any depth", "max_leaves": "any number of leaves"}
"""How the want of a parameter reads, where it is a limit that is not there."""


def series_labels(specs: Sequence[CellSpec], apart: Collection[str] = ()) -> list[str]:
    """A label for each spec: its trainer and method, then what sets it apart from its siblings.

    Data set, rows, features, layout and threads are axes of their own and never in a label;
    nor are the parameters named in `apart`, which the caller shows otherwise. Specs that differ
    in any other parameter get different labels, equal ones equal labels.

    A parameter is named only where it divides what the ones before it have left together, in
    canonical order: two containers of hist divide "xgboost hist dmatrix" from "xgboost hist
    quantile" and leave "xgboost exact" as short as it is. A number that divides some series of a
    trainer is named for all of them that have it: beside "n_jobs 2" and "n_jobs 4" a name without
    any would leave its own unsaid.
    """
    keys = [_series_key(spec, apart) for spec in specs]
    described = dict(zip(keys, specs, strict=True))
    words: dict[str, list[str]] = {}
    for trainer in dict.fromkeys(spec.trainer for spec in specs):
        mine = {key: spec for key, spec in described.items() if spec.trainer == trainer}
        names = _names(mine.values(), apart)
        _divide(mine, [trainer], names, _numbers_that_divide(mine, names), words)
    labels = _made_unique({key: " ".join(parts) for key, parts in words.items()})
    return [labels[key] for key in keys]


def _series_key(spec: CellSpec, apart: Collection[str]) -> str:
    params = {name: value for name, value in spec.params.items() if name not in apart}
    return json.dumps([spec.trainer, params, spec.extra, spec.memory_limit_bytes], sort_keys=True)


def _names(specs: Iterable[CellSpec], apart: Collection[str]) -> list[tuple[str, str]]:
    """What can divide specs, in order: (field, name). Words before numbers, then `extra`."""
    listed = list(specs)
    used = {name for spec in listed for name in spec.params} - set(apart)
    choices = [name for name in PARAMETERS if PARAMETERS[name].kind == "choice"]
    numbers = [name for name in PARAMETERS if name not in choices]
    others = sorted(used - PARAMETERS.keys())
    extras = sorted({name for spec in listed for name in spec.extra})
    return [
        *(("params", name) for name in (*choices, *numbers, *others) if name in used),
        *(("extra", name) for name in extras),
        ("limit", "memory limit"),
    ]


def _value(spec: CellSpec, field: str, name: str) -> Any:
    if field == "limit":
        limit = spec.memory_limit_bytes
        return _ABSENT if limit is None else spelled(limit)
    return getattr(spec, field).get(name, _ABSENT)


def _grouped(
    specs: dict[str, CellSpec], field: str, name: str
) -> list[tuple[Any, dict[str, CellSpec]]]:
    """The specs by their value of a parameter, in order of appearance."""
    groups: dict[str, tuple[Any, dict[str, CellSpec]]] = {}
    for key, spec in specs.items():
        value = _value(spec, field, name)
        text = "absent" if value is _ABSENT else json.dumps(value)
        groups.setdefault(text, (value, {}))[1][key] = spec
    return list(groups.values())


def _numbers_that_divide(
    specs: dict[str, CellSpec], names: list[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Of `names`, the numbers that divide what the names before them have left together."""
    if not names:
        return set()
    (field, name), *rest = names
    groups = _grouped(specs, field, name)
    number = name not in PARAMETERS or PARAMETERS[name].kind != "choice"
    found = {(field, name)} if number and len(groups) > 1 else set()
    return found.union(*(_numbers_that_divide(group, rest) for _, group in groups))


def _divide(
    specs: dict[str, CellSpec],
    said: list[str],
    names: list[tuple[str, str]],
    always: set[tuple[str, str]],
    words: dict[str, list[str]],
) -> None:
    if not names:
        words.update(dict.fromkeys(specs, said))
        return
    (field, name), *rest = names
    groups = _grouped(specs, field, name)
    for value, group in groups:
        # "xgboost" alone is no name for a series: the method is always said.
        known = value is not _ABSENT and (name == "method" or (field, name) in always)
        word = [_word(field, name, value)] if known or len(groups) > 1 else []
        _divide(group, said + word, rest, always, words)


def _word(field: str, name: str, value: Any) -> str:
    if value is _ABSENT or value is None:
        return f"default {name}" if field == "extra" else _NONE.get(name, f"no {name}")
    if name in PARAMETERS and PARAMETERS[name].kind == "choice" and isinstance(value, str):
        return value
    return f"{name} {value}"


def _made_unique(labels: dict[str, str]) -> dict[str, str]:
    """Labels that read alike though the series differ (1 and "1") are numbered."""
    times = Counter(labels.values())
    unique: dict[str, str] = {}
    for key, label in labels.items():
        candidate, number = label, 1
        while candidate in unique.values() or (number > 1 and candidate in times):
            number += 1
            candidate = f"{label} ({number})"
        unique[key] = candidate
    return unique
