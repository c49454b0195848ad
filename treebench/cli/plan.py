"""`treebench plan CONFIG`: what a run would do, before it does anything."""

from __future__ import annotations

import json
import shlex
import sys
from typing import Annotated

import typer

from treebench.cli.estimating import estimates_for
from treebench.cli.options import ConfigArgument, JsonOption, OnlyOption, SetOption
from treebench.cli.planning import plan_config, refuse_empty_choice
from treebench.errors import ExitCode


def plan(
    config: ConfigArgument,
    overrides: SetOption = None,
    only: OnlyOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say where each cell's memory goes, term by term.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Show what a sweep would do, before it does anything.

    Every cell, what its library is told, the peak of its memory, and what cannot be run and why.
    Data that is missing is made first.
    """
    from treebench.report.plan_text import print_plan

    planned = plan_config(config, overrides, only)
    refuse_empty_choice(planned, config)
    estimates = estimates_for(planned)
    if as_json:
        facts = planned.plan.to_json()
        facts["cells"] = [
            {**cell, "estimate": estimates[cell["id"]].to_json()}
            for cell in facts["cells"]
            if cell["id"] in planned.chosen
        ]
        json.dump(facts, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        next_step = _run_command(config, overrides, only)
        chosen = planned.chosen
        print_plan(planned.plan, planned.manifests, chosen, next_step, estimates, explain=explain)
    return ExitCode.OK


def _run_command(config: str, overrides: list[str] | None, only: str | None) -> str:
    """The command that takes the samples of just this plan, ready to be typed."""
    changes = [word for change in overrides or () for word in ("--set", change)]
    choice = ["--only", only] if only else []
    return shlex.join(["treebench", "run", config, *changes, *choice])
