"""What `treebench show` puts on the screen: the run, its phases, or one of its cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from treebench.report import curve_text, sentences, units
from treebench.report.columns import main_columns, peak_columns, time_columns
from treebench.report.terminal import fitting, left_out_for_width, notes, tables, text_of
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

    from treebench.analysis.overview import Overview
    from treebench.report.columns import Column
    from treebench.report.lines import Line
    from treebench.report.terminal import Screen


def run_screen(
    run: Overview, grouped: Mapping[str, Sequence[Line]], typed: str, screen: Screen
) -> str:
    """The main table, and below it all that a reader must know to trust it.

    `typed` is the run as the person named it, for the commands suggested.
    """
    listed = [line for group in grouped.values() for line in group]
    return text_of(
        [
            *head(run),
            *fitted(
                grouped, main_columns(listed, run.facts["config"].get("cost_per_hour")), screen
            ),
            *_footnotes(run, listed, typed),
            Text(f"next: {_next_step(run, listed, typed)}"),
        ],
        screen,
    )


def phases_screen(
    run: Overview, grouped: Mapping[str, Sequence[Line]], typed: str, screen: Screen
) -> str:
    """Two tables: the time, and the peak RSS, of each phase."""
    listed = [line for group in grouped.values() for line in group]
    return text_of(
        [
            *head(run),
            Text("Wall time of each phase (medians)", style="bold underline"),
            *fitted(grouped, time_columns(listed), screen),
            Text("Peak RSS of each phase (medians)", style="bold underline"),
            *fitted(grouped, peak_columns(listed), screen),
            *notes("Phases", sentences.phase_notes(run)),
            *notes("Missing figures", sentences.missing(listed)),
            Text(f"next: treebench show {typed}"),
        ],
        screen,
    )


def _next_step(run: Overview, listed: Sequence[Line], typed: str) -> str:
    if run.has_figures:
        counted = f", or: treebench show {typed} --counters" if run.counters() else ""
        return f"treebench report {typed}{counted}"
    failed = next((line for line in listed if line.cell.n_failed), None)
    if run.is_complete and failed is not None:
        return f"treebench show {typed} --cell {failed.cell.cell}"
    return sentences.command(run)


def head(run: Overview) -> list[RenderableType]:
    """Which run this is, and how far it got."""
    cells = sentences.counted(len(run.cells), "cell")
    samples = sentences.counted(run.finished_samples, "sample")
    said: list[RenderableType] = [
        Text(f"{run.name}: {cells}, {samples}, started {run.facts['started_at']}")
    ]
    partial = sentences.progress(run)
    if partial is not None:
        said.append(Text(partial, style="yellow"))
    said += [Text(limit) for limit in sentences.memory_limits(run)]
    return [*said, Text("")]


def fitted(
    grouped: Mapping[str, Sequence[Line]], columns: Sequence[Column], screen: Screen
) -> list[RenderableType]:
    """A table for each data set, of the columns that the screen has room for."""
    listed = [line for group in grouped.values() for line in group]
    kept, left_out = fitting(columns, listed, screen.width)
    titles = [column.title for column in columns if column in left_out]
    return [*tables(grouped, kept, screen), *left_out_for_width(titles)]


def _footnotes(run: Overview, listed: Sequence[Line], typed: str) -> list[RenderableType]:
    failed = sentences.failures(listed)
    level = sentences.levels(run)
    explained = [*sentences.reading(listed), *([level] if level else [])] if run.has_figures else []
    steady, *warnings = sentences.control(run)
    return [
        *notes(
            "Failed",
            [f"{line.place}: {why} [{line.cell.cell}]" for line, why in failed],
            "bold red",
        ),
        *(
            [
                Text(f"  more of one: treebench show {typed} --cell {failed[0][0].cell.cell}"),
                Text(""),
            ]
            if failed and run.has_figures
            else []
        ),
        *notes("Failed beside", sentences.failures_aside(run, listed), "bold red"),
        *notes("Unsupported", sentences.unsupported(run)),
        *notes("Stood for by another cell", sentences.collapsed(run)),
        *notes("Best iteration", curve_text.best_iterations(listed)),
        *notes("Models that differ by layout", sentences.layout_gaps(run, listed)),
        *notes(f"Missing figures ({units.DASH})", sentences.missing(listed)),
        *notes("How to read this", explained),
        Text(steady),
        *(Text(warning, style="yellow") for warning in warnings),
    ]


def cell_screen(run: Overview, line: Line, screen: Screen) -> str:
    """One cell: its definition, what its library was given, and each of its samples."""
    cell = line.cell
    plan = run.facts["plan"]["cells"]
    planned: dict[str, Any] = next((each for each in plan if each["id"] == cell.cell), {})
    native = [f"{name} = {value}" for name, value in planned.get("native", {}).items()]
    params = [f"{name} = {value}" for name, value in cell.spec.params.items()]
    return text_of(
        [
            Text(f"{cell.cell}: {line.place}", style="bold"),
            *_limit_of(line),
            Text(""),
            *notes("Parameters", params),
            *notes(f"Given to {cell.spec.trainer}", native),
            *notes("Notes", planned.get("notes", [])),
            *notes("Samples", _samples(line)),
            *notes("Memory over time", sentences.memory_timelines(run, cell.cell)),
            *notes("Failed", _failures(line), "bold red"),
        ],
        screen,
    )


def _limit_of(line: Line) -> list[Text]:
    limit = line.cell.spec.memory_limit_bytes
    if limit is None:
        return []
    held = " and ".join(line.cell.limit_held_by) or "nothing yet"
    return [Text(f"memory limit {spelled(limit)}, held by {held}")]


def _samples(line: Line) -> list[str]:
    known = line.cell.construct_fit_wall_ns.estimate
    values = [] if known is None else [units.duration(value) for value in known.values]
    peak = units.of_figure(line.cell.peak_rss_bytes, units.size)
    return [
        "; ".join(f"{n} {status}" for status, n in line.cell.counts.items()) or "none yet",
        f"construct+fit, in order: {', '.join(values) or units.DASH}",
        f"peak RSS: {peak}, reached in {line.cell.peak_phase or units.DASH}",
    ]


def _failures(line: Line) -> list[str]:
    said = []
    for failure in line.cell.failures:
        error = failure.error
        if error is None:
            said.append(f"block {failure.block}: {failure.status}, without a cause on record")
            continue
        facts = {"phase": error.phase, "signal": error.signal, "exit code": error.exit_code}
        known = [f"{name} {value}" for name, value in facts.items() if value is not None]
        said.append(
            f"block {failure.block}: {failure.status} ({', '.join([error.kind, *known])}): "
            f"{error.message}"
        )
        said += [f"  | {text}" for text in error.stderr_tail.splitlines()]
    return said
