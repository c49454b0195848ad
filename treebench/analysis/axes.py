"""Which numbers a run varies, so that a figure can be drawn against them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING

from treebench.plan.cell import CellSpec
from treebench.trainers.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

SPEC_AXES = ("rows", "features", "threads")
"""The axes that are fields of a spec; rows come first in every listing."""

# A seed is a number, but nothing grows with it.
NUMERIC_AXES = (
    *SPEC_AXES,
    *(name for name in PARAMETERS if PARAMETERS[name].kind != "choice" and name != "seed"),
)


_FIELDS = tuple(each.name for each in fields(CellSpec) if each.name != "data_sha256")


def axis_value(spec: CellSpec, axis: str) -> float | None:
    """The spec's number on this axis; None where it has none (exact has no max_bin)."""
    value = getattr(spec, axis) if axis in SPEC_AXES else spec.params.get(axis)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def varying_axes(specs: Sequence[CellSpec]) -> list[str]:
    """The numeric axes along which two specs differ in nothing else, rows first.

    A number that only comes with another trainer (one library's default) is no axis.
    """
    several = _with_several_values(specs)
    return [axis for axis in NUMERIC_AXES if axis in several and _varies(specs, axis)]


def held_cells(specs: Sequence[CellSpec], axis: str | None) -> tuple[list[int], dict[str, float]]:
    """The positions of specs to draw against `axis` when others vary too, and what was held.

    Rows, features and threads are held at their largest, data set by data set for rows and
    features; a parameter at the value most cells have. A series that lacks that value is held
    at its own nearest one. Only axes with one held value in common are named in the answer.
    """
    kept = list(range(len(specs)))
    held: dict[str, float] = {}
    for other in varying_axes(specs):
        if other == axis:
            continue
        kept = _held_at_one(specs, kept, other)
        values = {axis_value(specs[position], other) for position in kept} - {None}
        if len(values) == 1:
            held[other] = next(value for value in values if value is not None)
    return kept, held


def _with_several_values(specs: Sequence[CellSpec]) -> set[str]:
    """The axes that have two values at all: few, so that few have to be looked at closely."""
    values: dict[str, set[Hashable]] = defaultdict(set)
    for spec in specs:
        for axis in SPEC_AXES:
            values[axis].add(getattr(spec, axis))
        for name, value in spec.params.items():
            if isinstance(value, int | float):
                values[name].add(value)
    return {axis for axis, found in values.items() if len(found) > 1}


def _varies(specs: Sequence[CellSpec], axis: str) -> bool:
    seen: dict[Hashable, float] = {}
    for spec in specs:
        value = axis_value(spec, axis)
        if value is not None and seen.setdefault(all_but(spec, {axis}), value) != value:
            return True
    return False


def all_but(spec: CellSpec, axes: set[str]) -> str:
    """The spec without these axes, as text: equal for specs that differ in nothing else."""
    # Not to_json, which copies all that it holds: this is asked of every cell for every axis.
    described = {
        name: value
        for name in _FIELDS
        if name not in axes and (value := getattr(spec, name)) is not None
    }
    described["params"] = {name: value for name, value in spec.params.items() if name not in axes}
    return json.dumps(described, sort_keys=True)


def _held_at_one(specs: Sequence[CellSpec], kept: list[int], other: str) -> list[int]:
    """Of `kept`, those at the held value of `other`, chosen within each family of siblings."""
    families: dict[str, list[int]] = defaultdict(list)
    for position in kept:
        families[all_but(specs[position], {other})].append(position)
    chosen: set[int] = set()
    aims: dict[str, float] = {}
    for members in families.values():
        dataset = specs[members[0]].dataset
        if dataset not in aims:
            aims[dataset] = _aim(specs, kept, other, dataset)
        aim = aims[dataset]
        values = {position: axis_value(specs[position], other) for position in members}
        known = {value for value in values.values() if value is not None}
        nearest = min(known, key=lambda value: abs(value - aim), default=None)
        chosen.update(position for position, value in values.items() if value in (None, nearest))
    return [position for position in kept if position in chosen]


def _aim(specs: Sequence[CellSpec], kept: list[int], other: str, dataset: str) -> float:
    of_data = other in ("rows", "features")
    values = [
        value
        for position in kept
        if (specs[position].dataset == dataset or not of_data)
        and (value := axis_value(specs[position], other)) is not None
    ]
    if other in SPEC_AXES:
        return max(values, default=0)
    return _most_common(values) if values else 0


def _most_common(values: list[float]) -> float:
    """The most frequent value; of equally frequent ones the middle one."""
    counts = Counter(values)
    most = max(counts.values())
    tied = sorted(value for value, times in counts.items() if times == most)
    return tied[len(tied) // 2]
