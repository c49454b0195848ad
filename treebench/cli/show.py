"""The verb `show`: a run as a table on the terminal."""

from __future__ import annotations

import json
import math
import shlex
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.hosts import each_host, part_called
from treebench.cli.options import RunArgument
from treebench.errors import ConfigError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.analysis.expected import Expected
    from treebench.analysis.overview import Overview
    from treebench.report.lines import Line
    from treebench.report.terminal import Screen

# Written out, since the keys' own module is imported only when a run is shown.
_SORTS = (
    "rows, time, total, memory, data, container, fit, score, spread, features, threads, series "
    "or layout"
)


def show(
    run: RunArgument,
    sort: Annotated[
        str, typer.Option(metavar="KEY", help=f"Order of the lines: {_SORTS}.")
    ] = "rows",
    reverse: Annotated[bool, typer.Option("--reverse", help="Largest (or worst) first.")] = False,
    phases: Annotated[bool, typer.Option("--phases", help="Time and peak of each phase.")] = False,
    latency: Annotated[
        bool, typer.Option("--latency", help="Time of a prediction, by rows at once.")
    ] = False,
    counters: Annotated[
        bool, typer.Option("--counters", help="Events counted in fit, and where the misses are.")
    ] = False,
    equal_score: Annotated[
        str | None,
        typer.Option(
            metavar="auto|VALUE",
            help="What each series takes to come to one score: VALUE, or the best all reach.",
        ),
    ] = None,
    cell: Annotated[
        str | None,
        typer.Option(metavar="ID", help="All of one cell; the beginning of its id is enough."),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only one host of a run on a cluster."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Raw figures for programs.")] = False,
) -> int:
    """Show a run: one line per cell, with time, memory and score.

    A run on several hosts has a table for each: figures of two machines are not mixed.
    """
    from treebench.analysis.expected import expected_of
    from treebench.analysis.hosts import by_host
    from treebench.analysis.overview import overview
    from treebench.report import screens
    from treebench.report.lines import SORT_KEYS, by_dataset, lines
    from treebench.report.terminal import screen_of
    from treebench.store.run_folder import find_run, open_run

    if sort not in SORT_KEYS:
        raise ConfigError(f"--sort is {sort!r}; allowed: {', '.join(SORT_KEYS)}")
    opened = open_run(find_run(run))
    parts = by_host(opened)
    if host is None and len(parts) > 1:
        one = partial(show, run, sort, reverse, phases, latency, counters, equal_score, cell)
        return each_host(opened, list(parts), one, as_json=as_json)
    opened = part_called(host, parts, run) if host is not None else opened
    known = overview(opened.facts, opened.rows)
    judged = expected_of(opened.facts, opened.rows)
    listed = lines(known)
    grouped = by_dataset(listed, sort, reverse=reverse)
    screen = screen_of(sys.stdout)
    if cell is not None:
        listed = [_cell_called(cell, listed, run)]
    if equal_score is not None:
        text = _at_equal_score(known, equal_score, shlex.quote(run), screen, as_json=as_json)
    elif as_json:
        ordered = listed if cell else [line for group in grouped.values() for line in group]
        text = _as_json(known, ordered, judged)
    elif cell is not None:
        text = screens.cell_screen(known, listed[0], screen)
    else:
        shown = _screen_asked_for(phases=phases, latency=latency, counters=counters)
        text = shown(known, grouped, shlex.quote(run), screen) + _as_expected(judged)
    sys.stdout.write(text)
    return ExitCode.OK if known.has_figures else ExitCode.NOTHING_MEASURED


def _screen_asked_for(*, phases: bool, latency: bool, counters: bool) -> Callable[..., str]:
    """The table to show; of several asked for, the last."""
    from treebench.report import counters_screen, latency_screen, screens

    if counters:
        return counters_screen.counters_screen
    if latency:
        return latency_screen.latency_screen
    return screens.phases_screen if phases else screens.run_screen


def _as_expected(judged: Expected | None) -> str:
    from treebench.report.expected_text import sentence

    return "" if judged is None else f"expected {sentence(judged)}\n"


def _as_json(known: Overview, ordered: list[Line], judged: Expected | None) -> str:
    from treebench.report import expected_text
    from treebench.report.raw import raw

    expected = None if judged is None else expected_text.raw(judged)
    return json.dumps({**raw(known, ordered), "expected": expected}, indent=1) + "\n"


def _at_equal_score(
    known: Overview, asked: str, typed: str, screen: Screen, *, as_json: bool
) -> str:
    from treebench.report.equal_score_screen import equal_score_screen, raw_equal_scores

    target = _score_of(asked)
    if as_json:
        return json.dumps(raw_equal_scores(known, target), indent=1) + "\n"
    return equal_score_screen(known, target, typed, screen)


def _score_of(asked: str) -> float | None:
    """The score asked for; None for `auto`."""
    if asked == "auto":
        return None
    try:
        value = float(asked)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ConfigError(f"--equal-score is {asked!r}; allowed: auto, or a score such as 0.9")
    return value


def _cell_called(start: str, listed: list[Line], run: str) -> Line:
    found = [line for line in listed if line.cell.cell.startswith(start)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(line.cell.cell for line in found)
        raise ConfigError(f"--cell is {start!r}, which begins {len(found)} ids ({ids}); add digits")
    raise ConfigError(
        f"--cell is {start!r}, which no cell of {run} begins with; "
        f"`treebench show {run} --json` lists the ids"
    )
