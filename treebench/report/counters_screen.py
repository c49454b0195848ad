"""`treebench show --counters`: events of `fit`, the tier they are of, and where the misses are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from treebench.report import units
from treebench.report.columns import Column, naming_columns
from treebench.report.screens import fitted, head
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import RenderableType

    from treebench.analysis.counters import CellCounters
    from treebench.analysis.overview import Overview
    from treebench.report.lines import Line
    from treebench.report.terminal import Screen

    Counted = Mapping[str, CellCounters]

_PHASE = "fit"
_MOST_FUNCTIONS = 5
_NOT_COUNTED = (
    "Nothing was counted in this run: set `counters: auto` in its config (or add --set "
    "counters=auto) and run it with --fresh."
)
# Title, event, and which goes first where the width runs short.
_PER_CELL = {
    "simulated": (
        ("D1 read misses", "D1-read-misses", 0),
        ("D1 write misses", "D1-write-misses", 3),
        ("LL read misses", "LL-read-misses", 1),
        ("LL write misses", "LL-write-misses", 4),
        ("instructions", "instructions", 2),
    ),
    "hardware": (
        ("L1d misses", "L1-dcache-load-misses", 1),
        ("LLC misses", "LLC-load-misses", 2),
        ("cache misses", "cache-misses", 0),
        ("dTLB misses", "dTLB-load-misses", 4),
        ("instructions", "instructions", 3),
    ),
}
_TITLES = {
    "hardware": "Hardware counters of fit, per cell of the matrix and tree",
    "simulated": "Simulated counters of fit, per cell of the matrix and tree",
    "software": "Software counters of fit (they say nothing of caches)",
}


def counters_screen(
    run: Overview, grouped: Mapping[str, Sequence[Line]], typed: str, screen: Screen
) -> str:
    """A table for each tier in the run; `typed` is the run as the person named it."""
    counted = run.counters()
    shown: list[RenderableType] = []
    for tier in _TITLES:
        shown += _tier(tier, grouped, counted, screen)
    if not shown:
        shown = [Text(_NOT_COUNTED if not counted else "No counters are there."), Text("")]
    return text_of(
        [
            *head(run),
            *shown,
            *notes("Missing figures", _missing(counted)),
            Text(f"next: treebench show {typed}"),
        ],
        screen,
    )


def _tier(
    tier: str, grouped: Mapping[str, Sequence[Line]], counted: Counted, screen: Screen
) -> list[RenderableType]:
    own = {
        name: kept
        for name, group in grouped.items()
        if (kept := [line for line in group if _tier_of(counted, line) == tier])
    }
    listed = [line for group in own.values() for line in group]
    if not listed:
        return []
    columns = [*naming_columns(listed), *_columns(tier, counted)]
    return [
        Text(_TITLES[tier], style="bold underline"),
        *fitted(own, columns, screen),
        *notes("Where they are: functions by share of D1 read misses", _functions(listed, counted)),
        *notes("How to read this", _reading(tier, listed, counted)),
    ]


def _columns(tier: str, counted: Counted) -> list[Column]:
    if tier == "software":
        return [
            _column("CPU time", counted, _total("task-clock-ns"), units.duration),
            _column("page faults", counted, _total("page-faults"), units.count),
            _column("context switches", counted, _total("context-switches"), units.count),
            _column("migrations", counted, _total("cpu-migrations"), units.count),
        ]
    columns = [
        _column(title, counted, _per_cell(event), units.rounded_count, give_up)
        for title, event, give_up in _PER_CELL[tier]
    ]
    if tier == "hardware":
        columns.append(_column("IPC", counted, _instructions_per_cycle, units.rounded_count))
    return columns


def _column(
    title: str,
    counted: Counted,
    value: Callable[[CellCounters], float | None],
    text: Callable[[float | None], str],
    give_up: int = 0,
) -> Column:
    return Column(title, lambda line: text(value(counted[line.cell.cell])), give_up=give_up)


def _per_cell(event: str) -> Callable[[CellCounters], float | None]:
    return lambda one: one.per_cell_and_tree(_PHASE, event)


def _total(event: str) -> Callable[[CellCounters], float | None]:
    return lambda one: one.value(_PHASE, event)


def _instructions_per_cycle(one: CellCounters) -> float | None:
    return one.ratio(_PHASE, "instructions", "cycles")


def _functions(listed: Sequence[Line], counted: Counted) -> list[str]:
    """A sentence per cell, with the functions that lead."""
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


def _reading(tier: str, listed: Sequence[Line], counted: Counted) -> list[str]:
    one = counted[listed[0].cell.cell]
    said = [f"no {better} counters: {why}" for better, why in one.absent.items()]
    if tier == "simulated":
        geometry = ", ".join(f"{name} {size}" for name, size in one.by["geometry"].items())
        sizes = {_size(counted[line.cell.cell].by["reduced"]) for line in listed}
        said += [
            f"simulated by {one.by['by']} with {geometry} (bytes, ways, line): a figure of the "
            f"algorithm's shape, not of this machine",
            f"at a reduced size, on one thread: {'; '.join(sorted(sizes))}",
        ]
    estimates = {event for line in listed for event in counted[line.cell.cell].estimates}
    if estimates:
        said.append(f"estimates, as their counters ran part of the time: {_joined(estimates)}")
    return said


def _joined(words: set[str]) -> str:
    return ", ".join(sorted(words))


def _size(reduced: Mapping[str, float]) -> str:
    trees = reduced["n_estimators"]
    grown = "" if trees is None else f", {units.count(trees)} trees"
    return (
        f"{units.count(reduced['rows'])} rows ({units.percent(100 * reduced['rows_share'])} of the "
        f"cell's){grown} ({units.percent(100 * reduced['trees_share'])})"
    )


def _missing(counted: Counted) -> list[str]:
    reasons = {f"{event}: {why}" for one in counted.values() for event, why in one.missing.items()}
    none = {
        f"{tier}: {why}"
        for one in counted.values()
        if one.tier is None
        for tier, why in one.absent.items()
    }
    return sorted(reasons | none)


def _tier_of(counted: Counted, line: Line) -> str | None:
    one = counted.get(line.cell.cell)
    return None if one is None else one.tier
