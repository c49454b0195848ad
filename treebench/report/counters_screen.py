"""`treebench show --counters`: events of `fit`, the tier they are of, and where the misses are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from treebench.report.columns import naming_columns
from treebench.report.counters_text import (
    TIERS,
    TITLES,
    counters_missing,
    counters_reading,
    fit_columns,
    leading_functions,
    of_tier,
)
from treebench.report.memory_bound_text import BOUND_TITLE, bound_columns, bound_lines, bound_words
from treebench.report.screens import fitted, head
from treebench.report.sentences import failures_aside
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

    from treebench.analysis.counters import CellCounters
    from treebench.analysis.overview import Overview
    from treebench.report.lines import Line
    from treebench.report.terminal import Screen

    Grouped = Mapping[str, Sequence[Line]]

_NOT_COUNTED = (
    "Nothing was counted in this run: set `counters: auto` in its config (or add --set "
    "counters=auto) and run it with --fresh."
)


def counters_screen(run: Overview, grouped: Grouped, typed: str, screen: Screen) -> str:
    """A table for each tier in the run; `typed` is the run as the person named it."""
    counted = run.counters()
    shown: list[RenderableType] = []
    for tier in TIERS:
        shown += _tier(tier, grouped, counted, screen)
    if not shown:
        nobody = not counted and not run.simulated_rows
        shown = [Text(_NOT_COUNTED if nobody else "No counters are there."), Text("")]
    return text_of(
        [
            *head(run),
            *shown,
            *_bound(run, grouped, screen),
            *notes("Missing figures", counters_missing(counted)),
            *notes("Failed beside", _failures(run, grouped), "bold red"),
            Text(f"next: treebench show {typed}"),
        ],
        screen,
    )


def _tier(
    tier: str, grouped: Grouped, counted: Mapping[str, CellCounters], screen: Screen
) -> list[RenderableType]:
    own = {name: of_tier(tier, group, counted) for name, group in grouped.items()}
    listed = [line for group in own.values() for line in group]
    if not listed:
        return []
    columns = [*naming_columns(listed), *fit_columns(tier, counted)]
    functions = leading_functions(listed, counted)
    return [
        Text(TITLES[tier], style="bold underline"),
        *fitted(_without_empty(own), columns, screen),
        *notes("Where they are: functions by share of D1 read misses", functions),
        *notes("How to read this", counters_reading(tier, listed, counted)),
    ]


def _bound(run: Overview, grouped: Grouped, screen: Screen) -> list[RenderableType]:
    own = {name: bound_lines(run, group) for name, group in grouped.items()}
    listed = [line for group in own.values() for line in group]
    columns = bound_columns(run, listed)
    shown: list[RenderableType] = []
    if columns:
        shown = [
            Text(f"{BOUND_TITLE} (medians)", style="bold underline"),
            *fitted(_without_empty(own), [*naming_columns(listed), *columns], screen),
        ]
    every = [line for group in grouped.values() for line in group]
    return [*shown, *notes(BOUND_TITLE, bound_words(run, every))]


def _failures(run: Overview, grouped: Grouped) -> list[str]:
    return failures_aside(run, [line for group in grouped.values() for line in group])


def _without_empty(grouped: Grouped) -> dict[str, Sequence[Line]]:
    return {name: group for name, group in grouped.items() if group}
