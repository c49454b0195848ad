"""Latency against the rows predicted at once: the median as a line, the tail as a bar above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from treebench.report import frame, scales, units
from treebench.report.points import Point, Selection, rows_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.summary import CellSummary
    from treebench.report.palette import Look
    from treebench.report.scales import Ticks

READING = "point: median call; bar up to a stroke: 99 % of the calls took no longer"
_DODGE = 1.07
"""Series stand side by side by this ratio, so that their bars can be told apart."""


def latency_chart(selection: Selection, look: Look, subtitle: Sequence[str]) -> frame.Framed | None:
    """The chart, a facet for each data set; None if no cell has a median of two batches."""
    points = {name: _points(selection, name) for name in selection.datasets}
    drawn = [name for name in selection.datasets if len({p["x"] for p in points[name]}) > 1]
    if not drawn:
        return None
    every = [each for name in drawn for each in points[name]]
    y = scales.duration_log([each[end] for each in every for end in ("value", "high")])
    many = len(drawn) > 1
    look = look.only([each["series"] for each in every])
    facets = [
        _facet(points[name], y, look, selection.layouts, many=many).properties(
            width=frame.HALF_WIDTH if many else frame.ONE_WIDTH,
            height=frame.HEIGHT,
            title=frame.facet_title(_facet_name(selection, name)),
        )
        for name in drawn
    ]
    title = "Time of a prediction against rows at once"
    return frame.framed(facets, title, [*subtitle, READING], columns=2)


def _facet_name(selection: Selection, dataset: str) -> str:
    return f"{dataset}, {rows_text([cell for cell, _ in selection.of(dataset)])}"


def _points(selection: Selection, dataset: str) -> list[Point]:
    cells = selection.of(dataset)
    names = list(dict.fromkeys((label, cell.spec.layout) for cell, label in cells))
    found = []
    for cell, label in cells:
        shift = _DODGE ** (names.index((label, cell.spec.layout)) - (len(names) - 1) / 2)
        found += [{**each, "place": each["x"] * shift} for each in _of_cell(cell, label)]
    return found


def _of_cell(cell: CellSummary, label: str) -> list[Point]:
    """A point for each batch; without a known tail its bar has no length and no stroke."""
    found = []
    for known in cell.latency.values():
        median, tail = known.p50_ns.median, known.p99_ns.median
        if median is not None:
            found.append(
                {
                    "series": label,
                    "layout": cell.spec.layout,
                    "x": known.rows,
                    "value": median,
                    "high": median if tail is None else tail,
                    "tail": tail,
                    "said": f"{label}, {cell.spec.layout}, {units.count(known.rows)} rows at once: "
                    f"median {units.duration(median)}, 99 % within {units.duration(tail)}",
                }
            )
    return found


def _facet(
    points: Sequence[Point], y_ticks: Ticks, look: Look, layouts: Sequence[str], *, many: bool
) -> alt.LayerChart:
    x_ticks = scales.at_values([each["x"] for each in points], log=True)
    series = frame.legend("series", many=many)
    layout = frame.legend("layout", many=many, dashes=True) if len(layouts) > 1 else None
    y_axis = frame.axis(y_ticks, "time of a prediction")
    x_axis = frame.axis(x_ticks, "rows predicted at once", grid=False)
    y = alt.Y("value:Q", scale=frame.scale(y_ticks), axis=y_axis)
    base = alt.Chart(frame.records(points)).encode(
        x=alt.X("place:Q", scale=frame.scale(x_ticks), axis=x_axis),
        color=frame.series_colour(look, series),
    )
    tails = base.transform_filter("datum.tail != null").encode(y=alt.Y("tail:Q", axis=y_axis))
    return alt.layer(
        base.mark_line(strokeWidth=1.5).encode(y=y, strokeDash=frame.layout_dash(layouts, layout)),
        base.mark_rule(strokeWidth=1.5).encode(y=y, y2="high:Q"),
        tails.mark_tick(thickness=2, size=8, orient="horizontal"),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            y=y, shape=frame.series_shape(look, series)
        ),
    )
