"""`treebench profile RUN CELL`: a flame graph of one cell's fit."""

from __future__ import annotations

import json
import shlex
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treebench.cli.options import JsonOption, RunArgument
from treebench.errors import ExitCode, NothingMeasuredError

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.cli.profile_cell import Chosen
    from treebench.measure.profilers import Profiler
    from treebench.runner.profiling import Profiled
    from treebench.store.row import SampleRow
    from treebench.store.run_folder import Run


class AskedTool(StrEnum):
    """What may be asked for with `--tool`."""

    AUTO = "auto"
    PERF = "perf"
    PY_SPY = "py-spy"


def profile(
    run: RunArgument,
    cell: Annotated[
        str,
        typer.Argument(
            metavar="CELL",
            help="A cell's id, its beginning, or conditions that one cell alone meets, as in "
            '"method=exact, rows=20000".',
        ),
    ],
    tool: Annotated[
        AskedTool, typer.Option(help="What samples: the best that works here, or one of two.")
    ] = AskedTool.AUTO,
    frequency: Annotated[
        int | None,
        typer.Option(
            metavar="HZ",
            min=1,
            max=10_000,
            help="Samples per second.  [default: 499 by perf, 97 by py-spy; fewer for a long fit]",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Draw where the fit of one cell spends its time: a flame graph.

    One fresh worker trains on the data and with the parameters of the run, and is sampled from
    outside while it fits. The pictures lie in the run's folder, under profiles/.
    """
    from treebench.cli.profile_cell import chosen_cell
    from treebench.runner.profiling import frequency_for
    from treebench.store.run_folder import find_run, open_run

    opened = open_run(find_run(run))
    chosen = chosen_cell(opened, cell, run)
    profiler = _profiler(tool)
    for line in (*chosen.differences, *_refusals(profiler)):
        sys.stderr.write(f"{line}\n")
    threads = chosen.planned.spec.threads
    hertz = frequency or frequency_for(profiler.tool, _fit_s(opened, chosen), threads)
    taken = _take(opened, chosen, profiler, hertz)
    _tell(taken, opened.folder, run, as_json=as_json)
    return ExitCode.OK if taken.status == "ok" else ExitCode.CELLS_FAILED


def _profiler(tool: AskedTool) -> Profiler:
    from treebench.measure.profilers import NoProfiler, choose

    found = choose(tool.value)
    if isinstance(found, NoProfiler):
        raise NothingMeasuredError(
            *(f"nothing can sample a fit here: {line}" for line in _reasons(found.refused))
        )
    return found


def _refusals(profiler: Profiler) -> list[str]:
    if not profiler.refused:
        return []
    event = profiler.events[0]
    return [*_reasons(profiler.refused), f"so {profiler.tool} samples by {event}"]


def _reasons(refused: dict[str, str]) -> list[str]:
    return [f"not by {way}: {reason}" for way, reason in refused.items()]


def _fit_s(opened: Run, chosen: Chosen) -> float | None:
    """How long the fit took in the run: the median of its timed samples."""
    from statistics import median

    walls = [
        row.phases["fit"].wall_ns
        for row in opened.rows
        if row.cell == chosen.planned.id and row.kind == "timed" and row.status == "ok"
    ]
    known = [wall for wall in walls if wall is not None]
    return median(known) / 1e9 if known else None


def _take(opened: Run, chosen: Chosen, profiler: Profiler, hertz: int) -> SampleRow:
    """Take the sample, draw it, and keep its row."""
    import dataclasses

    from treebench.measure import environment
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.code_version import code_version
    from treebench.runner.local import LocalExecutor, SampleInterrupted
    from treebench.runner.profiling import take_profile
    from treebench.store.journal import Journal
    from treebench.store.profile_files import write_profile
    from treebench.store.run_folder import JOURNAL_NAME, locked

    with locked(opened.folder), Caretaker() as caretaker:
        executor = LocalExecutor(
            run=opened.name,
            folders=chosen.folders,
            deadline_s=opened.facts["plan"]["deadline_s"],
            machine=environment.machine(),
            code=code_version(),
            caretaker=caretaker,
        )
        with Journal(opened.folder / JOURNAL_NAME) as journal:
            sys.stderr.write(f"training {chosen.label} once, sampled {hertz} times per second\n")
            try:
                taken = take_profile(executor, chosen.planned, profiler, hertz, opened.folder)
            except SampleInterrupted as interrupted:
                journal.append(interrupted.row)
                raise
            files = write_profile(opened.folder, _files(taken, chosen)) if taken.stacks else []
            row = dataclasses.replace(
                taken.row, profile={**(taken.row.profile or {}), "files": files}
            )
            journal.append(row)
    return row


def _files(taken: Profiled, chosen: Chosen) -> dict[str, str]:
    """Pictures, and their stacks as text, by name."""
    from treebench.report.flame_caption import caption
    from treebench.report.flame_graph import flame_graph
    from treebench.store.profile_files import stacks_text

    files = {}
    for event, stacks in taken.stacks.items():
        name = f"{chosen.planned.id}-fit{'-misses' if event == 'cache-misses' else ''}"
        words = caption(taken.row, event, stacks.n_samples, chosen.label)
        files[f"{name}.svg"] = flame_graph(stacks.weights, words)
        files[f"{name}.txt"] = stacks_text(stacks.weights)
    return files


def _tell(row: SampleRow, folder: Path, run: str, *, as_json: bool) -> None:
    facts: dict[str, Any] = row.profile or {}
    paths = [str(folder / name) for name in facts.get("files", ())]
    if as_json:
        told = {"run": row.run, "cell": row.cell, "status": row.status, **facts, "files": paths}
        told["error"] = None if row.error is None else row.error.message
        sys.stdout.write(json.dumps(told, indent=1) + "\n")
        return
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    if row.error is not None:
        sys.stderr.write(f"{row.status}: {row.error.message}\n")
    if paths:
        sys.stdout.write(
            f"next: open {shlex.quote(paths[0])} in a browser, or: "
            f"treebench show {shlex.quote(run)} --cell {row.cell}\n"
        )
