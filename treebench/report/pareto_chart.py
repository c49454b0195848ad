"""The Pareto front as a picture: score against time, memory as the size of a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from treebench.analysis.pareto import fronts, memory_of
from treebench.analysis.scores import lower_is_better, score_title
from treebench.report import frame, scales, units
from treebench.report.palette import INK
from treebench.report.pareto_blocks import STANDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.analysis.pareto import Front
    from treebench.report.palette import Look
    from treebench.report.points import Point

_SUBTITLE = (
    "ringed: on the front, that is, no other has a score at least as good in no more time and no "
    "more memory",
    "upper left is better (lower left for losses); the area of a point is its peak memory",
)
_AREAS = [40, 500]


def pareto_chart(run: Overview, labels: Mapping[str, str], look: Look) -> frame.Framed | None:
    """A facet for each data set; None where there are no two cells to compare. `labels` name the
    series of each cell."""
    found = fronts(run.cells)
    points = [_points(front, labels) for front in found]
    every = [each for one in points for each in one]
    if not every:
        return None
    many = len(found) > 1
    look = look.only([each["series"] for each in every])
    facets = [
        _facet(front, own, every, look, many=many).properties(
            width=frame.HALF_WIDTH if many else frame.ONE_WIDTH,
            height=frame.HEIGHT,
            title=frame.facet_title(f"{front.dataset}, {units.count(front.rows)} training rows"),
        )
        for front, own in zip(found, points, strict=True)
    ]
    return frame.framed(facets, "Score, time and memory", _SUBTITLE, columns=2)


def _points(front: Front, labels: Mapping[str, str]) -> list[Point]:
    return [
        {
            "series": labels[one.cell.cell],
            "x": one.cell.construct_fit_wall_ns.median,
            "value": one.cell.score[front.score].median,
            "memory": memory_of(one.cell).median,
            "front": one.standing == "front",
            "text": _text(front, labels[one.cell.cell], one.cell.spec.layout, number),
        }
        for number, one in enumerate(front.placed)
    ]


def _text(front: Front, label: str, layout: str, number: int) -> str:
    """What is said of a point when it is pointed at."""
    one = front.placed[number]
    memory = units.of_figure(memory_of(one.cell), units.size)
    time = units.of_figure(one.cell.construct_fit_wall_ns, units.duration)
    score = units.of_figure(one.cell.score[front.score], units.score)
    threads = one.cell.spec.threads
    return (
        f"{label}, {layout}, {threads} threads: {score_title(front.score)} {score}, {time}, "
        f"{memory}; {STANDINGS[one.standing]}"
    )


def _facet(
    front: Front, points: Sequence[Point], every: Sequence[Point], look: Look, *, many: bool
) -> alt.LayerChart:
    x_ticks = scales.duration_log([each["x"] for each in every])
    y_ticks = scales.score_linear([each["value"] for each in points])
    better = "lower" if lower_is_better(front.score) else "higher"
    title = f"{score_title(front.score)} ({better} is better)"
    areas = alt.Scale(domain=[0, max(each["memory"] for each in every)], range=_AREAS)
    legend = frame.legend("series", many=many)
    base = alt.Chart(frame.records(points)).encode(
        x=alt.X(
            "x:Q",
            scale=frame.scale(x_ticks),
            axis=frame.axis(x_ticks, "time of construct + fit", grid=False),
        ),
        y=alt.Y("value:Q", scale=frame.scale(y_ticks), axis=frame.axis(y_ticks, title)),
        size=alt.Size("memory:Q", scale=areas, legend=None),
        shape=frame.series_shape(look, legend),
        color=frame.series_colour(look, legend),
        tooltip=alt.Tooltip("text:N", title="cell"),
    )
    on_front = alt.datum.front == True  # noqa: E712 - becomes an expression of Vega's
    return alt.layer(
        base.mark_point(filled=True).encode(
            opacity=alt.condition(on_front, alt.value(1), alt.value(0.4))
        ),
        base.transform_filter(on_front)
        .mark_point(filled=False, strokeWidth=2.2, opacity=1)
        .encode(color=alt.value(INK)),
    )
