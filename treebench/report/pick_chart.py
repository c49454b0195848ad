"""The frontier as a picture: score against memory, with the budget as a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from treebench.analysis.scores import lower_is_better, score_title
from treebench.report import frame, pick_text, scales, units
from treebench.report.palette import INK, look_of
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.report.palette import Look
    from treebench.report.points import Point

_SUBTITLE = (
    "each point is a candidate's peak as foreseen, its bar the interval; the dashed line is the "
    "budget",
    "ringed: the pick; its cross is the peak that was measured under the enforced limit; pale: "
    "bettered",
)


def frontier_chart(raw: Mapping[str, Any]) -> frame.Framed | None:
    """Score by memory; None where no candidate was scored."""
    points = [_point(each) for each in raw["frontier"]]
    if not points:
        return None
    metric = raw["frontier"][0]["metric"]
    budget = raw["question"]["budget_bytes"]
    facet = _facet(points, metric, budget, _verified(raw), look_of(_series(points)))
    title = f"{raw['question']['dataset']}: score within {spelled(budget)}"
    sized = facet.properties(width=frame.ONE_WIDTH, height=frame.HEIGHT)
    return frame.framed([sized], title, _SUBTITLE, columns=1)


def _point(each: Mapping[str, Any]) -> Point:
    memory = each["foreseen_bytes"]
    time = None if each["foreseen_s"] is None else each["foreseen_s"]["mid"] * 1e9
    standing = pick_text.STANDINGS[each["standing"]]
    score = f"{score_title(each['metric'])} {units.score(each['score'])}"
    return {
        "series": each["learner"],
        "x": memory["mid"],
        "low": memory["low"],
        "high": memory["high"],
        "value": each["score"],
        "pick": each["standing"] == "pick",
        "pale": each["standing"] in ("dominated", "failed"),
        "text": f"{each['learner']}, {each['holding']}: {score}, "
        f"{pick_text.bounded(memory)}, {units.duration(time)}; {standing}",
    }


def _verified(raw: Mapping[str, Any]) -> list[Point]:
    """The measured peak of the pick, at the height of its validation score."""
    own = [each for each in raw["frontier"] if each["standing"] == "pick"]
    if raw["pick"] is None or not own or raw["pick"]["peak_bytes"] is None:
        return []
    peak = raw["pick"]["peak_bytes"]
    return [{"x": peak, "value": own[0]["score"], "text": f"measured: {units.size(peak)}"}]


def _series(points: Sequence[Point]) -> list[str]:
    return [str(each["series"]) for each in points]


def _facet(
    points: Sequence[Point], metric: str, budget: int, verified: Sequence[Point], look: Look
) -> alt.LayerChart:
    reach = [budget, *(each[name] for each in points for name in ("low", "high"))]
    x_ticks = scales.size_linear([float(each) for each in reach])
    y_ticks = scales.score_linear([each["value"] for each in points])
    better = "lower" if lower_is_better(metric) else "higher"
    x = alt.X(
        "x:Q", scale=frame.scale(x_ticks), axis=frame.axis(x_ticks, "peak memory", grid=False)
    )
    title = f"{score_title(metric)} on the validation part ({better} is better)"
    y = alt.Y("value:Q", scale=frame.scale(y_ticks), axis=frame.axis(y_ticks, title))
    base = alt.Chart(frame.records(points)).encode(
        x=x,
        y=y,
        color=frame.series_colour(look, frame.legend("learner", many=False)),
        tooltip=alt.Tooltip("text:N", title="candidate"),
        opacity=alt.condition(alt.datum.pale, alt.value(0.35), alt.value(1)),
    )
    picked = base.transform_filter(alt.datum.pick)
    layers = [
        base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(filled=True, size=90).encode(
            shape=frame.series_shape(look, frame.legend("learner", many=False))
        ),
        picked.mark_point(filled=False, size=260, strokeWidth=2.2, shape="circle").encode(
            color=alt.value(INK)
        ),
        alt.Chart(frame.records(verified))
        .mark_point(shape="cross", size=70, filled=True, color=INK)
        .encode(x=x, y=y, tooltip=alt.Tooltip("text:N", title="pick")),
        *_budget_line(budget, x),
    ]
    return alt.layer(*layers)


def _budget_line(budget: int, x: alt.X) -> list[alt.Chart | alt.LayerChart]:
    line = alt.Chart(frame.records([{"x": budget, "text": f"budget {spelled(budget)}"}])).encode(
        x=x
    )
    label = frame.haloed(
        line.encode(text="text:N", y=alt.value(8)), INK, align="right", dx=-6, baseline="top"
    )
    return [line.mark_rule(strokeDash=[6, 4], color=INK, strokeWidth=1.5), label]
