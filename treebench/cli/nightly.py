"""`treebench nightly CONFIG --history DIR`: a night's run, and what got worse by it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import (
    BandOption,
    FigureOption,
    FloorOption,
    JsonOption,
    JunitOption,
    OnlyOption,
    SetOption,
)
from treebench.cli.streams import reader_may_leave
from treebench.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from treebench.analysis.comparing.rules import Rules
    from treebench.cli.night_spent import Spent
    from treebench.history.morning import Morning


def nightly(
    config: Annotated[
        str | None,
        typer.Argument(metavar="CONFIG", help="A YAML file, or the name of a shipped config."),
    ] = None,
    history: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where all nights are kept; needed.")
    ] = None,
    overrides: SetOption = None,
    only: OnlyOption = None,
    rounds: Annotated[
        int,
        typer.Option(metavar="N", min=3, max=1000, help="Samples a side of a re-run."),
    ] = 10,
    max_rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=3,
            max=1000,
            help="The most for what stays unclear.  [default: twice --rounds]",
        ),
    ] = None,
    figure: FigureOption = None,
    band: BandOption = None,
    floor: FloorOption = None,
    acknowledge: Annotated[
        str | None,
        typer.Option(
            metavar="CELL:FIGURE",
            help="Accept what that figure has become, and run nothing; needs --reason.",
        ),
    ] = None,
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why it is accepted, for reviewers.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write Markdown.  [default: $GITHUB_STEP_SUMMARY]"),
    ] = None,
    junit: JunitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Run a night, add it to the history, and say what got worse.

    What stands worse than it did on this machine is measured again beside the last good
    environment before the night fails. Exit code 3 for a regression, 2 where samples failed,
    4 where nothing was measured or a suspect could not be measured again.
    """
    if history is None:
        raise UsageError("--history is missing; name the folder where nights are kept")
    if acknowledge is not None or reason is not None:
        from treebench.cli.acknowledging import acknowledge_shift

        return acknowledge_shift(history, acknowledge, reason)
    if config is None:
        raise UsageError("CONFIG is missing; name the sweep of the night, as in: nightly")
    from treebench.cli.night_spent import Asked, spend_night

    asked = Asked(
        config,
        history,
        tuple(overrides or ()),
        only,
        _rounds(rounds, max_rounds),
        _rules(band, floor),
        tuple(figure or ()),
    )
    spent = spend_night(asked)
    _write_files(spent, markdown, junit)
    with reader_may_leave():
        _show(spent, as_json=as_json)
    return exit_code(spent.morning)


def exit_code(morning: Morning) -> ExitCode:
    """A regression goes before all else, failed samples before what could not be looked at."""
    if morning.regressions:
        return ExitCode.REGRESSION
    if not morning.measured:
        return ExitCode.NOTHING_MEASURED
    if morning.failures:
        return ExitCode.CELLS_FAILED
    unseen = any(each.state == "not re-run" for each in morning.found)
    return ExitCode.NOTHING_MEASURED if unseen else ExitCode.OK


def _rounds(first: int, most: int | None) -> tuple[int, ...]:
    last = 2 * first if most is None else most
    if last < first:
        raise UsageError(f"--max-rounds is {last}, below --rounds {first}; give as many or more")
    return (first,) if last == first else (first, last)


def _rules(bands: list[str] | None, floors: list[str] | None) -> Rules:
    from treebench.analysis.comparing.rules import Rules, rules_of
    from treebench.history.bounds import NIGHTLY

    stated = rules_of(bands or (), floors or ())
    return Rules({**NIGHTLY.bands, **stated.bands}, {**NIGHTLY.floors, **stated.floors})


def _write_files(spent: Spent, markdown: Path | None, junit: Path | None) -> None:
    from treebench.cli.compare import earlier_summary
    from treebench.report.nightly_junit import nightly_junit
    from treebench.report.nightly_markdown import nightly_markdown
    from treebench.report.whole_file import write_whole

    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    path = markdown or (Path(summary) if summary else None)
    if path is not None:
        text = nightly_markdown(spent.morning, str(spent.page))
        write_whole(path, earlier_summary(path) + text.encode(errors="replace"), "--markdown")
    if junit is not None:
        write_whole(junit, nightly_junit(spent.morning), "--junit")


def _show(spent: Spent, *, as_json: bool) -> None:
    from treebench.report.nightly_raw import raw_morning
    from treebench.report.nightly_screen import nightly_screen
    from treebench.report.terminal import screen_of

    if as_json:
        sys.stdout.write(json.dumps(raw_morning(spent.morning, str(spent.page)), indent=1) + "\n")
        return
    text = nightly_screen(spent.morning, str(spent.page), spent.step, screen_of(sys.stdout))
    sys.stdout.write(text)
