"""The command line: one file per verb, each thin (parse, call, print).

This module imports no verb's own work: `treebench --help` must stay quick, so every verb imports
what it needs inside its function.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from treebench import __version__
from treebench.cli import data, doctor, plan, report, run, show, validate
from treebench.errors import ExitCode, TreebenchError

# Newer releases of typer carry their own click; this is the base of its usage errors in both.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0].__bases__[0]

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
app.command("validate")(validate.validate)
app.command("doctor")(doctor.doctor)


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


def main(arguments: list[str] | None = None) -> None:
    """Run a verb and end the process with its exit code. The only place that prints errors."""
    sys.exit(_exit_code(arguments))


def _exit_code(arguments: list[str] | None) -> int:
    try:
        code = app(args=arguments, prog_name="treebench", standalone_mode=False)
        return code if isinstance(code, int) else ExitCode.OK
    except TreebenchError as error:
        for problem in error.problems:
            sys.stderr.write(f"treebench: {_one_line(problem)}\n")
        return error.exit_code
    except _UsageError as error:
        sys.stderr.write(f"{_usage_problem(error)}\n")
        return ExitCode.USAGE
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # `treebench show | head`: the reader has what it wanted.
        sys.stderr.close()
        return ExitCode.OK


def _one_line(problem: str) -> str:
    """The problem with the line breaks and control characters of a name or value spelt out, so
    that neither can look like a line of its own."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in problem)


def _usage_problem(error: Exception) -> str:
    message = str(getattr(error, "format_message", lambda: error)()).rstrip(".")
    if message.startswith("Usage:"):  # no verb at all was given: the message is the help itself
        return message
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "treebench"
    return f"treebench: {_one_line(message)}; see `{path} --help`"
