"""`treebench aa CONFIG`: one environment against itself, and how often the verdicts cry wolf."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import ConfigArgument, JsonOption, OnlyOption, SetOption
from treebench.cli.streams import reader_may_leave
from treebench.errors import ConfigError, ExitCode, NothingMeasuredError

if TYPE_CHECKING:
    from treebench.analysis.comparing.false_alarms import FalseAlarms
    from treebench.cli.planning import Planned


def aa(
    config: ConfigArgument,
    rounds: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=5000, help="Samples of each cell for each side."),
    ] = 20,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Samples a side in one comparison.  [default: those of the config]",
        ),
    ] = None,
    overrides: SetOption = None,
    only: OnlyOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the run.  [default: results/NAME-aa]"),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Keep an earlier run of that name aside; start anew.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Compare an environment with itself: the rate of false alarms.

    A sweep is taken twice over, and its blocks are dealt to two sides that differ in name only.
    Exit code 3 where more than 5 % of the comparisons raise an alarm, by more than chance.
    """
    from treebench.cli.planning import refuse_empty_choice

    planned, per_side = _planned(config, rounds, samples, overrides, only)
    refuse_empty_choice(planned, config)
    folder = out or Path("results") / planned.config.name
    found = _measured(planned, folder, per_side, fresh=fresh)
    with reader_may_leave():
        _show(found, folder, as_json=as_json)
    return exit_code(found)


def exit_code(found: FalseAlarms) -> ExitCode:
    """By the lower end of the rate's interval: a single unlucky comparison proves nothing."""
    from treebench.analysis.comparing.rule import FALSE_DISCOVERIES

    low, _ = found.runs.interval
    return ExitCode.REGRESSION if low > FALSE_DISCOVERIES else ExitCode.OK


def _planned(
    config: str, rounds: int, samples: int | None, overrides: list[str] | None, only: str | None
) -> tuple[Planned, int]:
    """The sweep with a block for each side and round, and the samples a side of a comparison."""
    from treebench.cli.planning import plan_checked
    from treebench.config.load import load_config
    from treebench.trainers.registry import TRAINERS

    asked = load_config(config, overrides or [], tuple(TRAINERS))
    per_side = samples or asked.samples
    if per_side > rounds:
        raise ConfigError(
            f"--rounds is {rounds}, and one comparison takes {per_side} samples a side; "
            f"give more rounds, or fewer --samples"
        )
    changed = {"name": f"{asked.name}-aa", "samples": 2 * rounds, "memory_samples": 0}
    return plan_checked(asked.model_copy(update=changed), only), per_side


def _measured(planned: Planned, folder: Path, per_side: int, *, fresh: bool) -> FalseAlarms:
    from treebench.analysis.comparing.false_alarms import false_alarms
    from treebench.analysis.comparing.sides import side_of
    from treebench.cli.taking import facts_for, take_here
    from treebench.store.run_folder import open_run

    facts = facts_for(planned, None, None)
    take_here(planned, folder, facts, retry_failed=False, fresh=fresh)
    chosen = planned.chosen
    found = false_alarms(
        side_of(open_run(folder)), per_side, matches=lambda spec: spec.id in chosen
    )
    if found is None:
        raise NothingMeasuredError(
            f"{folder} has no cell with samples that ended well on both sides; "
            f"`treebench show {shlex.quote(str(folder))}` says why"
        )
    return found


def _show(found: FalseAlarms, folder: Path, *, as_json: bool) -> None:
    from treebench.report.aa_text import aa_screen, raw_false_alarms
    from treebench.report.terminal import screen_of

    name = str(folder)
    if as_json:
        sys.stdout.write(json.dumps(raw_false_alarms(name, found), indent=1) + "\n")
        return
    step = f"treebench show {shlex.quote(name)}"
    sys.stdout.write(aa_screen(name, found, step, screen_of(sys.stdout)))
