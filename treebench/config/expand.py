"""From a checked config to candidates: the full product, before anything is known of the data."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.config.variants import Setting, axis_lengths, settings
from treebench.data.manifest import Split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.config.model import DataEntry, SweepConfig


@dataclass(frozen=True)
class Candidate:
    """One point of the product. `rows` and `features` of None mean all there are; `threads` may
    still be a word."""

    dataset: str
    rows: int | None
    features: int | None
    layout: str
    threads: int | str
    setting: Setting
    memory_limit_bytes: int | None = None
    validation_share: float | None = None


def count_points(config: SweepConfig) -> int:
    """How many candidates there are at most, without making them."""
    return sum(
        len(entry.set) * len(entry.rows) * len(entry.features) * _points_of(lengths, entry, config)
        for entry in config.data
        for lengths in axis_lengths(config)
    )


def candidates(config: SweepConfig) -> list[Candidate]:
    """Every combination of data, rows, features, setting, layout, threads and memory limit."""
    return [candidate for entry in config.data for candidate in _of_entry(config, entry)]


def wanted_rows(config: SweepConfig) -> dict[str, list[int]]:
    """The row counts asked of each data set, ascending; those that ask for all are left out."""
    wanted: dict[str, set[int]] = {}
    for entry in config.data:
        counts = {rows for rows in entry.rows if rows != "all"}
        for name in entry.set:
            wanted.setdefault(name, set()).update(counts)
    return {name: sorted(counts) for name, counts in wanted.items()}


def wanted_splits(config: SweepConfig) -> dict[str, list[Split]]:
    """Of which rows of each data set a validation part is held out; none where none is asked
    for."""
    if config.validation is None:
        return {}
    wanted: dict[str, set[int | None]] = {}
    for entry in config.data:
        counts = {None if rows == "all" else rows for rows in entry.rows}
        for name in entry.set:
            wanted.setdefault(name, set()).update(counts)
    return {
        name: [Split(rows, config.validation) for rows in sorted(counts, key=lambda n: n or 0)]
        for name, counts in wanted.items()
    }


def _points_of(lengths: dict[str, int], entry: DataEntry, config: SweepConfig) -> int:
    own = {"layout": len(entry.layout or config.layout), "threads": len(config.threads)}
    own["memory_limit"] = len(config.memory_limit)
    return math.prod({**own, **lengths}.values())


def _of_entry(config: SweepConfig, entry: DataEntry) -> Iterator[Candidate]:
    all_settings = settings(config)
    for name, rows, features in itertools.product(entry.set, entry.rows, entry.features):
        for setting in all_settings:
            layouts = (setting.layout,) if setting.layout else (entry.layout or config.layout)
            threads = (setting.threads,) if setting.threads else config.threads
            stated = setting.memory_limit_bytes
            limits = config.memory_limit if stated is None else (stated,)
            for layout, count, limit in itertools.product(layouts, threads, limits):
                yield Candidate(
                    dataset=name,
                    rows=None if rows == "all" else rows,
                    features=None if features == "all" else features,
                    layout=layout,
                    threads=count,
                    setting=setting,
                    memory_limit_bytes=limit,
                    validation_share=config.validation,
                )
