"""Which pictures a run makes: chosen by what it varies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.axes import SPEC_AXES, varying_axes
from treebench.analysis.jobs import JOBS
from treebench.analysis.labels import series_labels
from treebench.analysis.tree_peaks import tree_peaks
from treebench.report import (
    bar_charts,
    curve_chart,
    frame,
    functions_chart,
    jobs_chart,
    latency_chart,
    line_charts,
    pareto_chart,
    score_charts,
    timeline_chart,
    units,
)
from treebench.report.palette import Look, look_of
from treebench.report.pareto_blocks import CAPTION as PARETO_CAPTION
from treebench.report.points import Selection, held_text, select
from treebench.report.quantities import MEMORY, TIME, axis_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.analysis.summary import CellSummary
    from treebench.report.quantities import Quantity

    _Drawn = tuple[str, str, frame.Framed | None]


_MEMORY_WORDS = (
    "container: what construct left behind, freed heap included; fit: its peak above its start; "
    "interpreter and libraries are left out"
)


_WORKER_ALONE = "of the worker process alone: processes that training started are left out"


@dataclass(frozen=True)
class Picture:
    """One chart: `name` is its file's stem, `caption` says what to look for."""

    name: str
    caption: str
    chart: frame.Framed


@frame.unchecked()
def pictures(run: Overview) -> list[Picture]:
    """The pictures of a run, in the order of a report; those without any figure are left out."""
    cells = _where_something_was_measured(run.cells)
    axes = varying_axes([cell.spec for cell in cells])
    still = select(cells, None)
    along = {axis: select(cells, axis) for axis in axes}
    names = dict(zip((c.cell for c in cells), series_labels([c.spec for c in cells]), strict=True))
    drawn = [label for each in (still, *along.values()) for label in each.labels]
    look = look_of([*drawn, *names.values()])
    charts = [
        *_of_jobs(run, along, look),
        *(picture for axis in axes for picture in _against(along[axis], axis, look)),
        *(() if axes else _side_by_side(still, look)),
        *_of_the_largest(still),
        (
            "latency",
            "Time of a prediction against the rows predicted at once",
            latency_chart.latency_chart(still, look, _subtitle(still)),
        ),
        _score_against_time(along[axes[0]] if axes else still, axes[0] if axes else None, look),
        (
            "score-by-fit-time",
            curve_chart.CAPTION,
            curve_chart.curve_chart(still, look, _subtitle(still)),
        ),
        ("pareto", PARETO_CAPTION, pareto_chart.pareto_chart(run, names, look)),
        (
            "functions",
            functions_chart.CAPTION,
            functions_chart.functions_chart(still, run.counters(), _held(still)),
        ),
        (
            "memory-over-time",
            timeline_chart.CAPTION,
            timeline_chart.timeline_chart(run, still, _held(still)),
        ),
    ]
    return [Picture(name, caption, chart) for name, caption, chart in charts if chart is not None]


def _where_something_was_measured(cells: Sequence[CellSummary]) -> list[CellSummary]:
    """Without the cells that were never taken (a partial run, or one of some cells only), and
    without the row counts at which none ended well. A cell that failed where others did not stays,
    so that its series is not drawn at fewer rows than the others."""
    taken = [cell for cell in cells if cell.n_ok or cell.n_failed]
    measured = {(cell.spec.dataset, cell.spec.rows) for cell in taken if cell.n_ok}
    return [cell for cell in taken if (cell.spec.dataset, cell.spec.rows) in measured]


def _of_jobs(run: Overview, along: Mapping[str, Selection], look: Look) -> Iterator[_Drawn]:
    if JOBS in along:
        selection = along[JOBS]
        chart = jobs_chart.jobs_chart(selection, tree_peaks(run), look, _subtitle(selection))
        yield "memory-by-n_jobs", jobs_chart.CAPTION, chart


def _against(selection: Selection, axis: str, look: Look) -> Iterator[_Drawn]:
    title = axis_title(axis)
    point = "point: median; bar through it: interval for the median"
    said = _subtitle(selection, point)
    # Where processes are started the worker's own peak is not what the jobs need.
    for quantity in (TIME,) if axis == JOBS else (TIME, MEMORY):
        words = [*said, *_alone(selection, quantity)]
        chart = line_charts.line_chart(selection, quantity, axis, look, words)
        yield f"{quantity.name}-by-{axis}", f"{quantity.title} against {title}", chart
    if axis not in SPEC_AXES:
        chart = score_charts.score_chart(selection, axis, axis, look, _subtitle(selection))
        yield f"score-by-{axis}", f"Score on the test part against {title}", chart


def _side_by_side(selection: Selection, look: Look) -> Iterator[_Drawn]:
    said = _subtitle(selection, "bar: median; line at its end: interval for the median")
    for quantity in (TIME, MEMORY):
        words = [*said, *_alone(selection, quantity)]
        chart = bar_charts.quantity_bars(selection, quantity, look, words)
        yield quantity.name, quantity.title, chart


def _of_the_largest(selection: Selection) -> Iterator[_Drawn]:
    yield (
        "phases",
        "Time of each phase, for the most rows of each data set",
        bar_charts.phase_bars(
            selection, _subtitle(selection, "each part: the median over the samples")
        ),
    )
    yield (
        "memory-split",
        "Memory of the data, of the container and of fit, for the most rows of each data set",
        bar_charts.memory_bars(
            selection,
            [
                *_subtitle(selection, f"data: the matrix itself; {_MEMORY_WORDS}"),
                *_alone(selection, MEMORY),
            ],
        ),
    )


def _score_against_time(selection: Selection, axis: str | None, look: Look) -> _Drawn:
    joined = f"lines join a series in the order of its {axis}" if axis else ""
    chart = score_charts.score_chart(selection, None, axis, look, _subtitle(selection, joined))
    return "score-by-time", "Score on the test part against time of construct + fit", chart


def _alone(selection: Selection, quantity: Quantity) -> list[str]:
    """What a picture of the worker's own memory leaves out where training is in several jobs."""
    in_jobs = any(JOBS in cell.spec.params for cell in selection.cells)
    return [_WORKER_ALONE] if in_jobs and quantity is MEMORY else []


def _held(selection: Selection) -> list[str]:
    held = held_text(selection.held)
    return [f"held at: {held}"] if held else []


def _subtitle(selection: Selection, said: str = "") -> list[str]:
    absent = [
        f"{label}, {cell.spec.layout} at {units.short_count(cell.spec.rows)} rows"
        for cell, label in zip(selection.cells, selection.labels, strict=True)
        if not cell.n_ok
    ]
    texts = (
        *_held(selection),
        said,
        f"not drawn, as no sample ended well: {_few(absent)}" if absent else "",
    )
    return [text for text in texts if text]


def _few(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - 3} more" if len(unique) > 3 else ""
    return "; ".join(unique[:3]) + more
