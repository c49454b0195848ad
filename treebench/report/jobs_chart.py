"""Memory against the number of jobs: what the whole tree needs, and what its processes add up to.

Two panels on one axis from 0, so that a step of the data's own size is as long in both, and a
reader sees by eye which series takes it once more for every job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from treebench.analysis.axes import axis_value
from treebench.analysis.jobs import JOBS
from treebench.report import frame, scales, units
from treebench.report.palette import FAINT
from treebench.report.points import Point, Selection, point, rows_text
from treebench.report.quantities import axis_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.summary import CellSummary, Figure
    from treebench.analysis.tree_peaks import TreePeaks
    from treebench.report.palette import Look
    from treebench.report.scales import Ticks

CAPTION = "Memory against the trees trained at a time: shared pages once, and summed over processes"
_TITLE = "Memory against jobs"
_PANELS = ("tree memory", "sum of RSS")
_SIZE = "the data itself"


def jobs_chart(
    selection: Selection, peaks: TreePeaks, look: Look, subtitle: Sequence[str]
) -> frame.Framed | None:
    """A row of two panels for each data set; None if no cell has either figure."""
    panels = {
        (name, panel): _points(selection, name, peaks, panel)
        for name in selection.datasets
        for panel in _PANELS
    }
    every = [each for points in panels.values() for each in points]
    if not every:
        return None
    sizes = {name: _sizes(selection, name) for name in selection.datasets}
    tops = [each["high"] for each in every]
    y = scales.size_linear([*tops, *(each["value"] for one in sizes.values() for each in one)])
    x = scales.at_values([each["x"] for each in every], log=False)
    used = look.only([each["series"] for each in every])
    encodings = frame.line_encodings(used, selection.layouts, many=True)
    facets = [
        _facet(points, sizes[name], encodings, (x, y)).properties(
            width=frame.HALF_WIDTH,
            height=frame.HEIGHT,
            title=frame.facet_title(_facet_name(selection, name, panel)),
        )
        for (name, panel), points in panels.items()
    ]
    return frame.framed(facets, _TITLE, [*subtitle, *_words(peaks)], columns=2)


def _words(peaks: TreePeaks) -> list[str]:
    how = " and ".join(peaks.sources) or "not to be had here"
    missed = "; short peaks are missed" if peaks.sampled else ""
    return [
        "the largest up to the end of fit; point: median; bar through it: interval for the median",
        f"tree memory: of the worker and all its children, shared pages once, by {how}{missed}",
        "sum of RSS: of the same processes, a shared page once for each of them; sampled",
        f"dashed grey: {_SIZE}; a process has an interpreter and libraries of its own beside it",
    ]


def _figure(cell: CellSummary, peaks: TreePeaks, panel: str) -> Figure:
    return peaks.of(cell) if panel == _PANELS[0] else cell.summed_rss_peak_bytes


def _points(selection: Selection, dataset: str, peaks: TreePeaks, panel: str) -> list[Point]:
    found = []
    for cell, label in selection.of(dataset):
        made = point(cell, label, _figure(cell, peaks, panel), units.size)
        if made is not None:
            found.append(made | {"x": axis_value(cell.spec, JOBS)})
    return found


def _sizes(selection: Selection, dataset: str) -> list[Point]:
    """The bytes of the matrix, once per layout; they hang on nothing that jobs change."""
    found: dict[str, float] = {}
    for cell, _ in selection.of(dataset):
        if cell.data_bytes.median:
            found[cell.spec.layout] = cell.data_bytes.median
    return [
        {"value": value, "text": f"{_SIZE}, {layout}" if len(found) > 1 else _SIZE}
        for layout, value in found.items()
    ]


def _facet_name(selection: Selection, dataset: str, panel: str) -> str:
    cells = [cell for cell, _ in selection.of(dataset)]
    return f"{dataset}, {rows_text(cells)}: {panel}"


def _facet(
    points: Sequence[Point],
    sizes: Sequence[Point],
    encodings: dict[str, alt.SchemaBase],
    ticks: tuple[Ticks, Ticks],
) -> alt.LayerChart:
    x = alt.X(
        "x:Q", scale=frame.scale(ticks[0]), axis=frame.axis(ticks[0], axis_title(JOBS), grid=False)
    )
    y_axis = frame.axis(ticks[1], None)
    y = alt.Y("value:Q", scale=frame.scale(ticks[1]), axis=y_axis)
    base = alt.Chart(frame.records(points)).encode(x=x, color=encodings["color"])
    return alt.layer(
        *_size_rules(sizes, y),
        base.mark_line(strokeWidth=2).encode(y=y, strokeDash=encodings["strokeDash"]),
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", axis=y_axis), y2="high:Q"),
        base.mark_point(filled=True, size=75, opacity=1).encode(y=y, shape=encodings["shape"]),
    )


def _size_rules(sizes: Sequence[Point], y: alt.Y) -> list[alt.Chart | alt.LayerChart]:
    rules = alt.Chart(frame.records(sizes)).encode(y=y)
    names = rules.encode(text="text:N", x=alt.value(frame.HALF_WIDTH - 4))
    return [
        rules.mark_rule(strokeWidth=1.2, strokeDash=[4, 4], color=FAINT),
        frame.haloed(names, FAINT, align="right", baseline="bottom", dy=-4),
    ]
