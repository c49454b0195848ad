"""`treebench validate RUN`: whether a run's files are whole and can be read."""

from __future__ import annotations

import json
import shlex
import sys

from treebench.cli.options import JsonOption, RunArgument
from treebench.errors import ExitCode, RunFolderError


def validate(run: RunArgument, as_json: JsonOption = False) -> int:
    """Check whether a run's files are whole and can be read.

    Every line is held against the format, and all that is wrong is listed.
    """
    from treebench.store.journal import problems
    from treebench.store.run_folder import JOURNAL_NAME, find_run, read_facts

    folder = find_run(run)
    read_facts(folder)
    found = list(problems(folder / JOURNAL_NAME))
    if as_json:
        json.dump({"run": str(folder), "problems": found}, sys.stdout, indent=1)
        sys.stdout.write("\n")
    if found and not as_json:
        raise RunFolderError(*found)
    if not as_json:
        quoted = shlex.quote(str(folder))
        sys.stdout.write(f"{quoted} is whole; next: treebench show {quoted}\n")
    return ExitCode.USAGE if found else ExitCode.OK
