"""What must agree before two cells are compared, and what may differ and is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from treebench.analysis.thread_pools import pools_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from treebench.analysis.figures import NamedFigure
    from treebench.store.row import SampleRow

_MUST: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "machine": ("the machine", lambda value: value),
    "allocator": ("the allocator's settings", lambda value: value),
    "thread_settings": ("the thread settings", lambda value: value),
    "code": ("the measuring code of treebench", lambda value: value),
    "memory_limit": ("what held the memory limit", lambda value: value and value.get("by")),
}
"""Fields of `must_match` by what people call them. Versions may differ: they are what a comparison
is of. So may the names of thread pools, which carry a library's version; their sizes may not."""


def machines_of(rows: Iterable[SampleRow]) -> set[str | None]:
    """The fingerprints of the machines that the samples were taken on."""
    return {row.must_match.get("machine") for row in rows}


def disagreements(
    before: Sequence[SampleRow], after: Sequence[SampleRow], *, across_machines: bool = False
) -> list[str]:
    """Why the samples of a cell may not be compared, a sentence for each reason."""
    looked_at = () if across_machines else tuple(_MUST)
    found = [text for name in looked_at if (text := _differing(name, before, after))]
    pools = _pools(before, after)
    return found if pools is None else [*found, pools]


def versions_of(rows: Iterable[SampleRow]) -> dict[str, tuple[str, ...]]:
    """The versions seen, by distribution; several where a side has several."""
    seen: dict[str, dict[str, None]] = {}
    for row in rows:
        for name, version in (row.must_match.get("versions") or {}).items():
            seen.setdefault(name, {})[version or "not installed"] = None
    return {name: tuple(versions) for name, versions in seen.items()}


def changed_versions(
    before: Iterable[SampleRow], after: Iterable[SampleRow]
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Distributions that both sides have, in other versions."""
    first, second = versions_of(before), versions_of(after)
    return {
        name: (versions, second[name])
        for name, versions in first.items()
        if name in second and set(versions) != set(second[name])
    }


def sources_differ(
    before: Sequence[SampleRow], after: Sequence[SampleRow], figure: NamedFigure
) -> str | None:
    """Why a figure of a cell is not the same thing on both sides; None where it is."""
    if figure.name == "tree_memory":
        return _unlike("tree_memory", tree_sources_of(before), tree_sources_of(after))
    if figure.name.split(":")[0] in ("counter", "per_work", "misses_in", "instructions_in"):
        return _unlike(figure.name, tiers_of(before), tiers_of(after))
    return None


def _unlike(name: str, first: set[str], second: set[str]) -> str | None:
    if not first or not second or first == second:
        return None
    return f"{name} is by {_listed(first)} before and by {_listed(second)} after"


def _listed(values: set[str]) -> str:
    return " and ".join(sorted(values))


def tree_sources_of(rows: Sequence[SampleRow]) -> set[str]:
    """By what the peaks of process trees were had."""
    phases = (each for row in _timed(rows) for each in row.phases.values())
    return {each.tree_peak_source for each in phases if each.tree_peak_source is not None}


def _timed(rows: Sequence[SampleRow]) -> list[SampleRow]:
    return [row for row in rows if row.status == "ok" and row.kind == "timed"]


def tiers_of(rows: Sequence[SampleRow]) -> set[str]:
    """The tiers of the counters."""
    counted = (row.counters for row in rows if row.status == "ok" and row.counters)
    return {str(each["tier"]) for each in counted if each["tier"]}


def _differing(name: str, before: Sequence[SampleRow], after: Sequence[SampleRow]) -> str | None:
    words, part = _MUST[name]
    sides = [
        {_spelled(part(row.must_match.get(name))): None for row in rows} for rows in (before, after)
    ]
    if len({*sides[0], *sides[1]}) <= 1:
        return None
    first, second = (" and ".join(side) for side in sides)
    return f"{words} differs: {first} before, {second} after"


def _spelled(value: Any) -> str:
    if value is None:
        return "not recorded"
    if isinstance(value, dict):
        return ", ".join(f"{key}={each}" for key, each in sorted(value.items())) or "none"
    return value if isinstance(value, str) else json.dumps(value)


def _pools(before: Sequence[SampleRow], after: Sequence[SampleRow]) -> str | None:
    """Whether one side's OpenMP pools were larger than the other's, whatever their files."""
    first, second = pool_size(before), pool_size(after)
    if first is None or second is None or first == second:
        return None
    return f"the threads seen differ: {first} before, {second} after"


def pool_size(rows: Sequence[SampleRow]) -> int | None:
    """The size of the largest OpenMP pool that was seen; None where none was."""
    return max(pools_above(rows, 0).values(), default=None)
