"""`treebench plan CONFIG`: what a run would do, before it does anything."""

from __future__ import annotations

import json
import sys

from treebench.cli.options import ConfigArgument, JsonOption, OnlyOption, SetOption
from treebench.cli.planning import plan_config
from treebench.errors import ExitCode


def plan(
    config: ConfigArgument,
    overrides: SetOption = None,
    only: OnlyOption = None,
    as_json: JsonOption = False,
) -> int:
    """Print the cells of a sweep, what each library makes of them, and what cannot be run."""
    from treebench.report.plan_text import print_plan

    planned = plan_config(config, overrides, only)
    if as_json:
        json.dump(planned.plan.to_json(), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        print_plan(planned.plan, planned.manifests, planned.chosen, config)
    return ExitCode.OK
