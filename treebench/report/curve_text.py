"""Scores by iteration in words and in a table: the best iteration of each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.scores import score_title
from treebench.report import units
from treebench.report.blocks import items, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.report.blocks import Block
    from treebench.report.lines import Line

READING = (
    "best iteration: the one with the best score on the validation part, which is held out of "
    "training; the test part has no say in it",
    "time: of fit, until that iteration ended; scoring comes after all that is measured, and is in "
    "no figure",
)


def best_iterations(listed: Sequence[Line]) -> list[str]:
    """A sentence for each cell that has a best iteration."""
    return [said for line in listed if (said := _best(line)) is not None]


def curve_blocks(listed: Sequence[Line]) -> list[Block]:
    """The table, what is missing from it, and how to read it."""
    rows = [row for line in listed if (row := _row(line)) is not None]
    if not rows:
        return []
    titles = ["cell", "score", "iterations", "last", "best iteration", "score there"]
    titles += ["validation there", "time there"]
    right = [False, False, *([True] * 6)]
    return [
        table(titles, rows, right, "curves"),
        *items([*curve_missing(listed), *READING]),
    ]


def curve_missing(listed: Sequence[Line]) -> list[str]:
    """Why cells lack part of their curve, the cells of one reason together."""
    reasons: dict[str, list[str]] = {}
    for line in listed:
        curve = line.cell.curve
        for name in ("iterations", "wall_ns") if curve is not None else ():
            if curve is not None and name in curve.missing:
                why = f"{_PARTS[name]} {curve.missing[name]}"
                reasons.setdefault(why, []).append(line.label)
    return [f"{', '.join(dict.fromkeys(names))}: {why}" for why, names in reasons.items()]


_PARTS = {"iterations": "no curve:", "wall_ns": "no time by iteration:"}


def _best(line: Line) -> str | None:
    curve = line.cell.curve
    if curve is None or curve.best is None or curve.metric is None:
        return None
    best, last = curve.best, curve.points[-1]
    after = "" if best.wall_ns is None else f", after {units.duration(best.wall_ns)} of fit"
    return (
        f"{line.place}: {best.iteration:,} of {curve.n_iterations:,}, "
        f"{score_title(curve.metric)} {units.score(best.test)}{after} "
        f"(validation {units.score(best.validation)}; the last {units.score(last.test)})"
    )


def _row(line: Line) -> list[str] | None:
    curve = line.cell.curve
    if curve is None or curve.metric is None:
        return None
    best = curve.best
    return [
        line.place,
        score_title(curve.metric),
        units.count(curve.n_iterations),
        units.score(curve.points[-1].test),
        units.DASH if best is None else units.count(best.iteration),
        units.DASH if best is None else units.score(best.test),
        units.DASH if best is None else units.score(best.validation),
        units.DASH if best is None else units.duration(best.wall_ns),
    ]
