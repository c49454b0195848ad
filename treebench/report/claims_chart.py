"""What was measured against what was stated: a line for each check, 1 where they agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from treebench.report import frame
from treebench.report.palette import FAINT, INK, OKABE_ITO, SHAPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.claims import CheckOutcome, ClaimOutcome

_LINE_HEIGHT = 24
_FURTHEST = 32.0
"""A bar that would run further than this many times what was stated, either way, is cut there."""
_TITLE = "Measured against stated"
_WORDS = (
    "1: as stated; point: median, bar: 90 % interval; grey: what counts as holding",
    "only checks with a stated value above 0; what lies beyond an edge is drawn at the edge",
)
_VERDICTS = {"holds": OKABE_ITO[2], "fails": OKABE_ITO[4], "cannot tell here": FAINT}


def comparable(outcomes: Sequence[ClaimOutcome]) -> list[dict[str, Any]]:
    """The checks that can be drawn, as ratios to what was stated."""
    return [
        _point(f"{each.claim.id}  {check.check.name}", check)
        for each in outcomes
        for check in each.checks
        if _has_ratio(check)
    ]


def claims_chart(outcomes: Sequence[ClaimOutcome]) -> frame.Framed | None:
    """The chart; None where no check has a ratio to what was stated."""
    points = comparable(outcomes)
    if not points:
        return None
    edge = max(2.0, *(max(p["high"], 1 / p["low"], p["to"], 1 / p["from"]) for p in points))
    ticks = [2.0**power for power in range(-5, 6) if 1 / edge <= 2.0**power <= edge]
    x = alt.Scale(type="log", domain=[1 / edge, edge], nice=False)
    axis = alt.Axis(title="measured / stated", values=ticks, format="~g")
    base = alt.Chart(frame.records(points)).encode(
        y=alt.Y("check:N", sort=None, title=None, axis=alt.Axis(labelLimit=360, domain=False))
    )
    place = alt.X("value:Q", scale=x, axis=axis)
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(_VERDICTS), range=list(_VERDICTS.values())),
        legend=frame.legend("verdict", many=True),
    )
    shape = alt.Shape(
        "verdict:N",
        scale=alt.Scale(domain=list(_VERDICTS), range=list(SHAPES[: len(_VERDICTS)])),
        legend=frame.legend("verdict", many=True),
    )
    layers = alt.layer(
        base.mark_bar(color="#E3E3E3", height=16).encode(
            x=alt.X("from:Q", scale=x, axis=axis), x2="to:Q"
        ),
        alt.Chart(frame.records([{"value": 1}])).mark_rule(color=INK).encode(x=place),
        base.mark_rule(strokeWidth=3).encode(
            x=alt.X("low:Q", scale=x, axis=axis), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=80, opacity=1).encode(x=place, color=colour, shape=shape),
    ).properties(width=frame.ONE_WIDTH, height=_LINE_HEIGHT * len(points))
    return frame.framed([layers], _TITLE, _WORDS, columns=1)


def _has_ratio(outcome: CheckOutcome) -> bool:
    stated, value = outcome.check.stated, outcome.measured
    return stated is not None and stated > 0 and value is not None and value.point > 0


def _point(name: str, outcome: CheckOutcome) -> dict[str, Any]:
    stated, value = outcome.check.stated, outcome.measured
    assert stated is not None  # noqa: S101 - `_has_ratio` has looked
    assert value is not None  # noqa: S101
    low = value.point if value.low is None else value.low
    high = value.point if value.high is None else value.high
    return {
        "check": name,
        "verdict": outcome.verdict,
        "said": f"{name}: {outcome.verdict}; {value.point / stated:.3g} times what was stated",
        "value": _cut(value.point / stated),
        "low": _cut(low / stated),
        "high": _cut(high / stated),
        "from": _cut(outcome.check.low / stated),
        "to": _cut(outcome.check.high / stated),
    }


def _cut(ratio: float) -> float:
    if math.isnan(ratio):
        return 1.0
    return min(_FURTHEST, max(1 / _FURTHEST, ratio))
