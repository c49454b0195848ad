"""The table of verbs, and what their parser makes of the words on the command line.

This module imports no verb's own work: `treebench --help` must stay quick, so every verb imports
what it needs inside its function.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from treebench import __version__
from treebench.cli import (
    aa,
    ab,
    compare,
    data,
    doctor,
    log,
    nightly,
    pick,
    plan,
    profile,
    report,
    reproduce,
    run,
    scaling,
    show,
    validate,
    worker,
)
from treebench.errors import ExitCode, UsageError

# Newer releases of typer carry their own click; this is the base of its usage errors in both.
_ClickUsageError: type[Exception] = typer.BadParameter.__bases__[0].__bases__[0]

app = typer.Typer(
    name="treebench",
    help="Benchmark the training of tabular tree models: time and peak memory per phase, score.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(data.app, name="data")
app.command("plan")(plan.plan)
app.command("run")(run.run)
app.command("show")(show.show)
app.command("report")(report.report)
app.command("reproduce")(reproduce.reproduce)
app.command("log")(log.log)
app.command("pick")(pick.pick)
app.command("compare")(compare.compare)
app.command("aa")(aa.aa)
app.command("ab")(ab.ab)
app.command("nightly")(nightly.nightly)
app.command("scaling")(scaling.scaling)
app.command("profile")(profile.profile)
app.command("validate")(validate.validate)
app.command("doctor")(doctor.doctor)
app.command("worker")(worker.worker)


def call(arguments: list[str] | None) -> int:
    """Run the verb in `arguments` (the process's own if None) and return its exit code.

    Raises:
        UsageError: there is no such verb or option.
        TreebenchError: whatever the verb raises.
    """
    try:
        code = app(args=arguments, prog_name="treebench", standalone_mode=False)
    except _ClickUsageError as error:
        return _told(error)
    except typer.Abort:  # typer's own name for Ctrl-C
        raise KeyboardInterrupt from None
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # typer would end with exit code 1
            raise end.__context__ from None
        raise
    return code if isinstance(code, int) else ExitCode.OK


def _told(error: Exception) -> int:
    message = str(getattr(error, "format_message", lambda: error)()).rstrip(".")
    if message.startswith("Usage:"):  # no verb at all was given: the message is the help itself
        sys.stderr.write(f"{message}\n")
        return ExitCode.USAGE
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "treebench"
    raise UsageError(f"{message}; see `{path} --help`") from None


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"treebench {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Take the options that belong to no verb."""
