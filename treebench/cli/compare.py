"""`treebench compare A B`: what got worse from one run to another, and how sure that is."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import (
    BandOption,
    EveryOption,
    FigureOption,
    FloorOption,
    JsonOption,
    JunitOption,
    MarkdownOption,
    OnlyOption,
)
from treebench.errors import ExitCode, NothingMeasuredError

if TYPE_CHECKING:
    from treebench.analysis.comparing.runs import ComparedRuns


def compare(
    before: Annotated[
        str,
        typer.Argument(metavar="A", help="The run to judge by: folder, name, or samples.jsonl."),
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="The run to judge, given likewise.")],
    only: OnlyOption = None,
    figure: FigureOption = None,
    band: BandOption = None,
    floor: FloorOption = None,
    across_machines: Annotated[
        bool,
        typer.Option(
            "--across-machines",
            help="Compare two machines, by the ratios of times to the control cell only.",
        ),
    ] = False,
    every: EveryOption = False,
    markdown: MarkdownOption = None,
    junit: JunitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Compare two runs: what got worse, cell by cell.

    Each figure is worse, better, the same, unclear or not comparable. Exit code 3 where a cell
    got worse, 4 where nothing could be compared.
    """
    from treebench.analysis.comparing.rules import rules_of
    from treebench.analysis.comparing.runs import compare_runs
    from treebench.analysis.comparing.sides import open_side
    from treebench.plan.only import matcher

    matches = None if only is None else matcher(only)
    rules = rules_of(band or (), floor or ())
    compared = compare_runs(
        open_side(before),
        open_side(after),
        rules=rules,
        more_figures=figure or (),
        across_machines=across_machines,
        matches=matches,
    )
    if only is not None and not compared.cells and not compared.lost:
        raise NothingMeasuredError(
            f"--only {only!r} leaves no cell of either; `treebench show {shlex.quote(after)} "
            f"--json` lists them"
        )
    write_files(compared, markdown, junit)
    show_compared(compared, every=every, as_json=as_json)
    return exit_code(compared)


def exit_code(compared: ComparedRuns) -> ExitCode:
    """Worse goes before all else: a cell that fails now is worse though nothing else compares."""
    if "worse" in compared.counts:
        return ExitCode.REGRESSION
    return ExitCode.OK if compared.any_compared else ExitCode.NOTHING_MEASURED


def write_files(compared: ComparedRuns, markdown: Path | None, junit: Path | None) -> None:
    """Write what CI systems read, where it was asked for.

    Raises:
        UsageError: a file cannot be written.
    """
    from treebench.report.compare_markdown import compare_markdown
    from treebench.report.junit import junit_xml
    from treebench.report.whole_file import write_whole

    if markdown is not None:
        text = compare_markdown(compared, shlex.join(["treebench", *sys.argv[1:]]))
        write_whole(
            markdown, earlier_summary(markdown) + text.encode(errors="replace"), "--markdown"
        )
    if junit is not None:
        write_whole(junit, junit_xml(compared), "--junit")


def earlier_summary(markdown: Path) -> bytes:
    """What other commands of a step of GitHub Actions have put into its one summary."""
    if str(markdown) != os.environ.get("GITHUB_STEP_SUMMARY") or not markdown.is_file():
        return b""
    earlier = markdown.read_bytes()
    return earlier if not earlier or earlier.endswith(b"\n\n") else earlier + b"\n\n"


def show_compared(compared: ComparedRuns, *, every: bool, as_json: bool) -> None:
    """Print the verdicts, as a table or as JSON."""
    from treebench.report.compare_raw import raw_comparison
    from treebench.report.compare_screen import compare_screen
    from treebench.report.terminal import screen_of

    if as_json:
        sys.stdout.write(json.dumps(raw_comparison(compared), indent=1) + "\n")
        return
    step = _next_step(compared)
    sys.stdout.write(compare_screen(compared, step, screen_of(sys.stdout), every=every))


def _next_step(compared: ComparedRuns) -> str:
    from treebench.analysis.comparing.agreement import machines_of

    after = shlex.quote(compared.after.name)
    before = shlex.quote(compared.before.name)
    changed = next((cell for cell in compared.cells if cell.verdict in ("worse", "better")), None)
    if changed is not None and compared.after.facts is not None:
        return f"treebench show {after} --cell {changed.spec.id}"
    if compared.any_compared:
        return f"treebench compare {before} {after} --all"
    if compared.cells and machines_of(compared.before.rows) != machines_of(compared.after.rows):
        return f"treebench compare {before} {after} --across-machines"
    return f"treebench show {after}"
