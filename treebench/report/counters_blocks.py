"""Counters in a report: the tier in plain words, tables by cell and phase, absences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report.blocks import Words, dataset_tables, heading, items, table
from treebench.report.columns import naming_columns
from treebench.report.counters_text import (
    MEANINGS,
    TIERS,
    TITLES,
    counters_missing,
    counters_reading,
    fit_columns,
    of_tier,
    phase_columns,
    phases_of,
)
from treebench.report.memory_bound_text import bound_columns, bound_lines, bound_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.counters import CellCounters
    from treebench.analysis.overview import Overview
    from treebench.report.blocks import Block
    from treebench.report.lines import Line

    Counted = Mapping[str, CellCounters]
    Grouped = Mapping[str, Sequence[Line]]


def counters_blocks(run: Overview, grouped: Grouped) -> list[Block]:
    """The section's blocks; none where nothing was to be counted."""
    counted = run.counters()
    blocks: list[Block] = [block for tier in TIERS for block in _tier(tier, grouped, counted)]
    if counted and not blocks:
        blocks = [Words("No counters are there.")]
    missing = counters_missing(counted)
    if missing:
        blocks += [Words("Not counted, and why:"), *items(missing)]
    return blocks


def bound_blocks(run: Overview, grouped: Grouped) -> list[Block]:
    """Whether fits compute or wait for memory; none where neither counters nor threads tell."""
    own = _without_empty({name: bound_lines(run, group) for name, group in grouped.items()})
    every = [line for group in grouped.values() for line in group]
    columns = bound_columns(run, [line for group in own.values() for line in group])
    listed = [line for group in own.values() for line in group]
    tables = dataset_tables(own, [*naming_columns(listed), *columns], "bound") if columns else []
    return [*tables, *items(bound_words(run, every))]


def _tier(tier: str, grouped: Grouped, counted: Counted) -> list[Block]:
    own = _without_empty({name: of_tier(tier, group, counted) for name, group in grouped.items()})
    listed = [line for group in own.values() for line in group]
    if not listed:
        return []
    blocks: list[Block] = [Words("Tier: ", tier, f"{MEANINGS[tier].removeprefix(tier)}.")]
    if tier != "software":
        columns = [*naming_columns(listed), *fit_columns(tier, counted)]
        blocks += [
            Words(strong=TITLES[tier]),
            *dataset_tables(own, columns, f"counters-{tier}"),
        ]
    return [
        *blocks,
        Words(strong=f"All events of each phase ({tier})"),
        *(block for name, group in own.items() for block in _by_phase(tier, name, group, counted)),
        *items(counters_reading(tier, listed, counted)),
    ]


def _by_phase(tier: str, name: str, group: Sequence[Line], counted: Counted) -> list[Block]:
    """A row for each cell and phase."""
    phases = phases_of(group, counted)
    by_phase = {phase: phase_columns(tier, counted, phase) for phase in phases}
    if not by_phase:
        return []
    naming, events = naming_columns(group), by_phase[phases[0]]
    rows = [
        [*(column.text(line) for column in naming), phase, *(c.text(line) for c in columns)]
        for line in group
        for phase, columns in by_phase.items()
        if phase in counted[line.cell.cell].phases
    ]
    titles = [*(c.title for c in naming), "phase", *(c.title for c in events)]
    right = [*(c.right for c in naming), False, *(c.right for c in events)]
    return [heading(name, group), table(titles, rows, right, f"events-{tier}", name)]


def _without_empty(grouped: Grouped) -> Grouped:
    return {name: group for name, group in grouped.items() if group}
