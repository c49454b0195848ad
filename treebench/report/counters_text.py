"""Counters in words and columns, for the terminal and for Markdown. Every figure has its tier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import units
from treebench.report.columns import Column, Raw

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treebench.analysis.counters import CellCounters
    from treebench.report.lines import Line

    Counted = Mapping[str, CellCounters]

_PHASE = "fit"
_MOST_FUNCTIONS = 5
# Title, event, and which goes first where the width runs short.
_EVENTS = {
    "hardware": (
        ("L1d misses", "L1-dcache-load-misses", 1),
        ("LLC misses", "LLC-load-misses", 2),
        ("cache misses", "cache-misses", 0),
        ("dTLB misses", "dTLB-load-misses", 4),
        ("instructions", "instructions", 3),
    ),
    "simulated": (
        ("D1 read misses", "D1-read-misses", 0),
        ("D1 write misses", "D1-write-misses", 3),
        ("LL read misses", "LL-read-misses", 1),
        ("LL write misses", "LL-write-misses", 4),
        ("instructions", "instructions", 2),
    ),
    "software": (
        ("CPU time", "task-clock-ns", 0),
        ("page faults", "page-faults", 0),
        ("context switches", "context-switches", 0),
        ("migrations", "cpu-migrations", 0),
    ),
}
TIERS = tuple(_EVENTS)
"""Best first; a table has one."""
TITLES = {
    "hardware": "Hardware counters of fit, per cell of the matrix and tree",
    "simulated": "Simulated counters of fit, per cell of the matrix and tree",
    "software": "Software counters of fit (they say nothing of caches)",
}
MEANINGS = {
    "hardware": "hardware: the CPU's own counters, read by perf in the timed samples, of user "
    "code alone. They are of this machine",
    "simulated": "simulated: a small copy of each cell ran under callgrind, which simulates caches "
    "of the size given below, on one thread and without a prefetcher. The figures are of the "
    "algorithm's shape, to be compared with each other; they are not of this machine, and no time "
    "follows from them",
    "software": "software: what the kernel counts anyway, by perf, in the timed samples. It says "
    "nothing of caches",
}


def of_tier(tier: str, listed: Sequence[Line], counted: Counted) -> list[Line]:
    """The lines whose cells were counted in this tier."""
    return [
        line
        for line in listed
        if (one := counted.get(line.cell.cell)) is not None and one.tier == tier
    ]


def fit_columns(tier: str, counted: Counted) -> list[Column]:
    """The events of fit: per cell of the matrix and tree, or (software) all."""
    if tier == "software":
        return phase_columns(tier, counted, _PHASE)
    return [
        _column(
            title,
            counted,
            _per_cell(event),
            units.rounded_count,
            give_up,
            f"fit_{event}_per_cell_and_tree",
        )
        for title, event, give_up in _EVENTS[tier]
    ]


def phase_columns(tier: str, counted: Counted, phase: str) -> list[Column]:
    """All events of a phase, added up. (Only fit is worth dividing: predict has other rows.)"""
    return [
        _column(
            title,
            counted,
            _total(phase, event),
            units.duration if event.endswith("-ns") else units.scaled_count,
            give_up,
            event,
        )
        for title, event, give_up in _EVENTS[tier]
    ]


def phases_of(listed: Sequence[Line], counted: Counted) -> list[str]:
    """The phases of which anything was counted, in order."""
    return list(dict.fromkeys(p for line in listed for p in counted[line.cell.cell].phases))


def _column(
    title: str,
    counted: Counted,
    value: Callable[[CellCounters], float | None],
    text: Callable[[float | None], str],
    give_up: int,
    raw: str,
) -> Column:
    def of(line: Line) -> float | None:
        return value(counted[line.cell.cell])

    return Column(title, lambda line: text(of(line)), give_up=give_up, raw=(Raw(raw, of),))


def _per_cell(event: str) -> Callable[[CellCounters], float | None]:
    return lambda one: one.per_cell_and_tree(_PHASE, event)


def _total(phase: str, event: str) -> Callable[[CellCounters], float | None]:
    return lambda one: one.value(phase, event)


def leading_functions(listed: Sequence[Line], counted: Counted) -> list[str]:
    """A sentence per cell, with the functions that lead in read misses."""
    said = []
    for line in listed:
        leading = counted[line.cell.cell].functions.get(_PHASE, ())[:_MOST_FUNCTIONS]
        parts = [
            f"{one['function']} {units.percent(100 * one['read_misses'])}"
            for one in leading
            if one["read_misses"]
        ]
        if parts:
            said.append(f"{line.place}: {', '.join(parts)}")
    return said


def counters_reading(tier: str, listed: Sequence[Line], counted: Counted) -> list[str]:
    """Why no better tier, what was simulated, and which figures are estimates."""
    one = counted[listed[0].cell.cell]
    said = [f"no {better} counters: {why}" for better, why in one.absent.items()]
    if tier == "simulated":
        geometry = ", ".join(f"{name} {size}" for name, size in one.by["geometry"].items())
        sizes = {reduced_size(counted[line.cell.cell].by["reduced"]) for line in listed}
        said += [
            f"simulated by {one.by['by']} with {geometry} (bytes, ways, line): a figure of the "
            f"algorithm's shape, not of this machine",
            f"at a reduced size, on one thread: {'; '.join(sorted(sizes))}",
        ]
    estimates = {event for line in listed for event in counted[line.cell.cell].estimates}
    if estimates:
        joined = ", ".join(sorted(estimates))
        said.append(f"estimates, as their counters ran part of the time: {joined}")
    return said


def reduced_size(reduced: Mapping[str, float]) -> str:
    """The size that was simulated, and its shares of the cell's."""
    trees = reduced["n_estimators"]
    grown = "" if trees is None else f", {units.count(trees)} {'tree' if trees == 1 else 'trees'}"
    return (
        f"{units.count(reduced['rows'])} rows ({units.percent(100 * reduced['rows_share'])} of the "
        f"cell's){grown} ({units.percent(100 * reduced['trees_share'])})"
    )


def counters_missing(counted: Counted) -> list[str]:
    """What was not counted, and why."""
    reasons = {f"{event}: {why}" for one in counted.values() for event, why in one.missing.items()}
    none = {
        f"{tier}: {why}"
        for one in counted.values()
        if one.tier is None
        for tier, why in one.absent.items()
    }
    return sorted(reasons | none)
