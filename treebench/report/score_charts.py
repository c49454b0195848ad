"""Scores: against the time they took, and against a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from treebench.analysis.axes import axis_value
from treebench.analysis.scores import lower_is_better, main_score, score_title
from treebench.report import frame, scales, units
from treebench.report.points import Point, Selection, point, rows_text
from treebench.report.quantities import TIME, axis_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.summary import CellSummary
    from treebench.report.palette import Look
    from treebench.report.scales import Ticks


def score_chart(
    selection: Selection,
    against: str | None,
    along: str | None,
    look: Look,
    subtitle: Sequence[str],
) -> frame.Framed | None:
    """The main score of each data set, against a parameter or (`against` None) against time.

    Points of a series are joined in the order of `along`. Scores of data sets differ in kind, so
    each facet has its own axis. None with fewer than two scores: nothing to compare.
    """
    facets = []
    drawn = [name for name in selection.datasets if _points(selection, name, against, along)]
    many = len(drawn) > 1
    every = [each for name in drawn for each in _points(selection, name, against, along)]
    look = look.only([each["series"] for each in every])
    for name in drawn:
        score = _score_name([cell for cell, _ in selection.of(name)])
        points = _points(selection, name, against, along)
        # Times compare across data sets, so they share their axis; a parameter's values need not.
        x_ticks, x_title = _x(points if against else every, against, many=many)
        facet = _facet(points, x_ticks, x_title, score, look, selection.layouts, many=many)
        title = name if along == "rows" else f"{name}, {_rows(selection, name)}"
        facets.append(
            facet.properties(
                width=frame.HALF_WIDTH if many else frame.ONE_WIDTH,
                height=frame.HEIGHT,
                title=frame.facet_title(title),
            )
        )
    if len(every) < 2:
        return None
    title = "Score against " + (axis_title(against) if against else "time of construct + fit")
    return frame.framed(facets, title, subtitle, columns=2)


def _rows(selection: Selection, dataset: str) -> str:
    return rows_text([cell for cell, _ in selection.of(dataset)])


def _score_name(cells: Sequence[CellSummary]) -> str:
    return main_score({name: None for cell in cells for name in cell.score}) or "score"


def _points(
    selection: Selection, dataset: str, against: str | None, along: str | None
) -> list[Point]:
    cells = selection.of(dataset)
    name = _score_name([cell for cell, _ in cells])
    found = []
    for cell, label in cells:
        made = point(cell, label, cell.score.get(name), units.score)
        x = axis_value(cell.spec, against) if against else TIME.pick(cell).median
        if made is not None and x is not None:
            order = axis_value(cell.spec, along) if along else None
            beside = "" if against else f" in {units.of_figure(TIME.pick(cell), TIME.text)}"
            found.append(made | {"x": x, "order": order, "said": f"{made['said']}{beside}"})
    return found


def _x(points: Sequence[Point], against: str | None, *, many: bool) -> tuple[Ticks, str]:
    values = [each["x"] for each in points]
    if against is None:
        # Side by side, the texts of more ticks would touch.
        return scales.duration_log(values, 40 if many else 200), TIME.title
    return scales.at_values(values, log=False if against == "max_depth" else None), axis_title(
        against
    )


def _facet(
    points: Sequence[Point],
    ticks: Ticks,
    x_title: str,
    score: str,
    look: Look,
    layouts: Sequence[str],
    *,
    many: bool,
) -> alt.LayerChart:
    worse_up = lower_is_better(score)
    y_ticks = scales.score_linear([each["value"] for each in points])
    y_title = (
        f"{score_title(score)} on the test part ({'lower' if worse_up else 'higher'} is better)"
    )
    series = frame.legend("series", many=many)
    layout = frame.legend("layout", many=many, dashes=True) if len(layouts) > 1 else None
    base = alt.Chart(frame.records(points)).encode(
        x=alt.X("x:Q", scale=frame.scale(ticks), axis=frame.axis(ticks, x_title, grid=False)),
        y=alt.Y("value:Q", scale=frame.scale(y_ticks), axis=frame.axis(y_ticks, y_title)),
        color=frame.series_colour(look, series),
    )
    marks = base.mark_point(filled=True, size=85, opacity=1).encode(
        shape=frame.series_shape(look, series)
    )
    if all(each["order"] is None for each in points):
        return alt.layer(marks)
    dash = frame.layout_dash(layouts, layout)
    lines = base.mark_line(strokeWidth=1.5).encode(order=alt.Order("order:Q"), strokeDash=dash)
    return alt.layer(lines, marks)
