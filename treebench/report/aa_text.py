"""False alarms in words, as a screen and as raw values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from treebench.analysis.comparing.false_alarms import LEVEL
from treebench.report import compare_text, units
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from treebench.analysis.comparing.false_alarms import FalseAlarms, Rate
    from treebench.report.terminal import Screen


def aa_screen(name: str, found: FalseAlarms, next_step: str, screen: Screen) -> str:
    """Rates, then what was called changed though nothing did."""
    n = len(found.compared)
    head = (
        f"{name} against itself: {n:,} comparison{'s' * (n != 1)} of "
        f"{found.samples:,} against {found.samples:,} samples"
    )
    per_cell = [f"{place}: {rate_words(rate)}" for place, rate in found.by_cell.items()]
    return text_of(
        [
            Text(head, style="bold"),
            Text(f"false alarms per run:  {rate_words(found.runs)}"),
            Text(f"false alarms per cell: {rate_words(found.cells)}"),
            Text(f"left unclear:          {found.unclear:,} of {found.cells.of:,} cells"),
            Text(""),
            *notes("By cell", per_cell),
            *notes("Called changed, though nothing did", alarm_lines(found)),
            Text(f"next: {next_step}"),
        ],
        screen,
    )


def rate_words(rate: Rate) -> str:
    """As in "0 of 18 (0.0 %; 95 % interval 0.0 % to 18.5 %)"."""
    low, high = (units.percent(100 * end) for end in rate.interval)
    share = units.percent(100 * rate.share)
    return (
        f"{rate.alarms:,} of {rate.of:,} ({share}; {units.level(LEVEL)} interval {low} to {high})"
    )


def alarm_lines(found: FalseAlarms) -> list[str]:
    """Each false alarm: comparison, cell, figures, or what failed."""
    said = []
    for number, cell in found.alarms:
        figures = [
            f"{each.figure.name} {each.verdict}, {compare_text.change_words(each)}"
            for each in cell.compared.judged
            if each.verdict in ("worse", "better")
        ]
        failed = compare_text.cell_lines(cell) if cell.compared.new_failures else []
        said.append(f"comparison {number}, {cell.place}: {'; '.join([*failed, *figures])}")
    return said


def raw_false_alarms(name: str, found: FalseAlarms) -> dict[str, Any]:
    """JSON-ready."""
    return {
        "run": name,
        "samples": found.samples,
        "comparisons": len(found.compared),
        "per_run": _raw(found.runs),
        "per_cell": _raw(found.cells),
        "unclear_cells": found.unclear,
        "by_cell": [{"place": place, **_raw(rate)} for place, rate in found.by_cell.items()],
        "alarms": alarm_lines(found),
    }


def _raw(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval
    return {"alarms": rate.alarms, "of": rate.of, "low": low, "high": high, "level": LEVEL}
