"""A night: one run of a sweep that joined the history, and under what conditions."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treebench.analysis.comparing.agreement import pool_size, tiers_of, tree_sources_of
from treebench.analysis.summary import cell_spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

NIGHT_SCHEMA = 1
_NAME = "%Y-%m-%dT%H-%M-%SZ"
_SHAPE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$")
_SETTINGS = ("allocator", "thread_settings", "code")


@dataclass(frozen=True, order=True)
class Conditions:
    """What a cell was measured under, each as canonical JSON: `settings` must be alike before two
    nights are held against each other at all; `versions` are what may have changed a figure."""

    settings: str
    versions: str


@dataclass(frozen=True)
class Night:
    """What is known of a night beside its samples. `requirements` are the exact distributions that
    the workers had, as a requirements file has them, with Python's version in `python`;
    `command` is what was typed; `cells_text` the cells' definitions by id, as JSON, which few ever
    ask for."""

    name: str
    run: str
    python: str
    requirements: tuple[str, ...]
    conditions: tuple[Conditions, ...]
    command: tuple[str, ...] = ()
    planned: frozenset[str] = frozenset()
    unsupported: tuple[Mapping[str, Any], ...] = ()
    cells_text: str = field(default="{}", repr=False, compare=False)

    @property
    def at(self) -> datetime.datetime:
        """When it began, in UTC."""
        return time_of(self.name)

    @property
    def date(self) -> str:
        """The day it began, in UTC."""
        return self.name[:10]

    def specs(self) -> dict[str, CellSpec]:
        """The definitions of its cells, by id."""
        return {cell: cell_spec(spec) for cell, spec in json.loads(self.cells_text).items()}


def name_of(at: datetime.datetime) -> str:
    """The name of a night that began then: sorted by name, nights are sorted by time."""
    return at.astimezone(datetime.UTC).strftime(_NAME)


def time_of(name: str) -> datetime.datetime:
    """When the night of that name began."""
    return datetime.datetime.strptime(name, _NAME).replace(tzinfo=datetime.UTC)


def is_name(text: str) -> bool:
    """Whether that is how nights are named."""
    return _SHAPE.match(text) is not None


def conditions_of(rows: Sequence[SampleRow]) -> Conditions:
    """What the samples of one cell were taken under. Where measuring changed its source (another
    tier of counters, another way to see the process tree) figures are not the same thing either."""
    must = rows[0].must_match
    limit = must.get("memory_limit")
    settings = {
        **{name: must.get(name) for name in _SETTINGS},
        "memory_limit": limit and limit.get("by"),
        "pools": pool_size(rows),
        "tree_source": sorted(tree_sources_of(rows)),
        "tiers": sorted(tiers_of(rows)),
    }
    return Conditions(canonical(settings), canonical(must.get("versions") or {}))


def canonical(value: Any) -> str:
    """JSON in which equal values are equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
