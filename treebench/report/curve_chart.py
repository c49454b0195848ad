"""Test score against time of fit: a line for each cell, the best iteration marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from treebench.analysis.scores import score_title
from treebench.report import frame, scales, units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.summary import CellSummary
    from treebench.report.palette import Look
    from treebench.report.points import Point, Selection

CAPTION = "Score on the test part against time of fit, iteration by iteration"
_LINES = "line: after each iteration that was scored"
_MARKS = "; mark: the best one by the validation part"
_LEAST_POINTS = 2
_MOST_POINTED_AT = 80
"""Iterations of a line that say what they are: more would lie upon one another, and slow a page."""


def curve_chart(selection: Selection, look: Look, subtitle: Sequence[str]) -> frame.Framed | None:
    """The chart, a facet for each data set at its most rows; None where no cell has a curve with
    times."""
    points = {name: _of_dataset(selection, name) for name in selection.datasets}
    drawn = [name for name in selection.datasets if points[name]]
    if not drawn:
        return None
    many = len(drawn) > 1
    look = look.only([each["series"] for name in drawn for each in points[name]])
    facets = [
        _facet(points[name], look, selection.layouts, many=many).properties(
            width=frame.HALF_WIDTH if many else frame.ONE_WIDTH,
            height=frame.HEIGHT,
            title=frame.facet_title(f"{name}, {units.count(points[name][0]['rows'])} rows"),
        )
        for name in drawn
    ]
    marked = any(each["best"] for name in drawn for each in points[name])
    said = [*subtitle, _LINES + (_MARKS if marked else ""), *_untimed(selection)]
    return frame.framed(facets, "Score against time of fit", said, columns=2)


def _of_dataset(selection: Selection, dataset: str) -> list[Point]:
    cells = [each for each in selection.of(dataset) if _is_timed(each[0])]
    most = max((cell.spec.rows for cell, _ in cells), default=0)
    largest = [(cell, label) for cell, label in cells if cell.spec.rows == most]
    return [each for cell, label in largest for each in _of_cell(cell, label)]


def _is_timed(cell: CellSummary) -> bool:
    curve = cell.curve
    known = [] if curve is None else [p for p in curve.points if p.wall_ns and p.test is not None]
    return len(known) >= _LEAST_POINTS


def _of_cell(cell: CellSummary, label: str) -> list[Point]:
    curve = cell.curve
    if curve is None or curve.metric is None:
        return []
    known = [point for point in curve.points if point.wall_ns and point.test is not None]
    every = -(-len(known) // _MOST_POINTED_AT)
    place = f"{label}, {cell.spec.layout}"
    return [
        {
            "series": label,
            "layout": cell.spec.layout,
            "rows": cell.spec.rows,
            "metric": curve.metric,
            "x": point.wall_ns,
            "value": point.test,
            "best": point.iteration == curve.best_iteration,
            "pointed at": number % every == 0,
            "said": f"{place}, iteration {point.iteration}: {score_title(curve.metric)} "
            f"{units.score(point.test)} after {units.duration(point.wall_ns)}",
        }
        for number, point in enumerate(known)
    ]


def _untimed(selection: Selection) -> list[str]:
    names = [
        label
        for cell, label in zip(selection.cells, selection.labels, strict=True)
        if cell.curve is not None and not _is_timed(cell)
    ]
    return [f"without times, so not drawn: {', '.join(dict.fromkeys(names))}"] if names else []


def _facet(
    points: Sequence[Point], look: Look, layouts: Sequence[str], *, many: bool
) -> alt.LayerChart:
    x_ticks = scales.duration_log([each["x"] for each in points])
    y_ticks = scales.score_linear([each["value"] for each in points])
    encodings = frame.line_encodings(look, layouts, many=many)
    base = alt.Chart(frame.records(points)).encode(
        x=alt.X(
            "x:Q",
            scale=frame.scale(x_ticks),
            axis=frame.axis(x_ticks, "time of fit", grid=False),
        ),
        y=alt.Y(
            "value:Q",
            scale=frame.scale(y_ticks),
            axis=frame.axis(y_ticks, f"{score_title(points[0]['metric'])} on the test part"),
        ),
        color=encodings["color"],
    )
    marks = base.transform_filter("datum.best").mark_point(
        filled=True, size=130, opacity=1, stroke="white", strokeWidth=1.5
    )
    # A line is met by a pointer nowhere but at its iterations.
    pointed_at = base.transform_filter("datum['pointed at']").mark_circle(size=60, opacity=0)
    return alt.layer(
        base.mark_line(strokeWidth=1.8, clip=True).encode(strokeDash=encodings["strokeDash"]),
        pointed_at,
        marks.encode(shape=encodings["shape"]),
    )
