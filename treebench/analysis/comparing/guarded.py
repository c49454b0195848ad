"""The figures that a comparison looks at unless it is told of more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.figures import figure_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treebench.analysis.figures import NamedFigure
    from treebench.store.row import SampleRow

USUAL = (
    "construct_fit_time",
    "fit_time",
    "predict_time",
    "peak_memory",
    "tree_memory",
    "model_size",
)
"""Beside them every score, and what fit counted."""


def guarded_figures(rows: Iterable[SampleRow], more: Iterable[str] = ()) -> list[NamedFigure]:
    """The usual figures, every score that any of the rows has, the instructions and cache misses
    of fit where they were counted, and those named in `more`; each once.

    Events of the scheduler (context switches, page faults) are not among them: they follow what
    else the machine does. Nor are cycles, which are the time once more.

    Raises:
        ConfigError: `more` names no figure.
    """
    listed = list(rows)
    scores = sorted({f"score:{name}" for row in listed for name in row.score or {}})
    names = dict.fromkeys((*USUAL, *scores, *_counters(listed), *more))
    return [figure_named(name) for name in names]


def times_of(figures: Iterable[NamedFigure]) -> list[NamedFigure]:
    """Those that are wall times of phases: what can be held against the control cell's."""
    return [each for each in figures if each.unit == "ns" and not each.name.startswith("latency:")]


def _counters(rows: Iterable[SampleRow]) -> list[str]:
    events = {
        event for row in rows if row.counters for event in row.counters["phases"].get("fit", {})
    }
    wanted = (event for event in sorted(events) if event == "instructions" or "miss" in event)
    return [f"counter:fit:{event}" for event in wanted]
