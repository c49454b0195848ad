"""LightGBM's leads here beside the published ones: a line for each, 1 where both are as fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from treebench.analysis.sample import Missing
from treebench.report import frame
from treebench.report.palette import FAINT, INK, OKABE_ITO, SHAPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.published.tables import JudgedTable

_LINE_HEIGHT = 24
_TITLE = "How much faster, here and as published"
_WORDS = (
    "point and bar: measured, with its 90 % interval; cross: published for the data set beside it; "
    "grey: published, all data sets",
)
_VERDICTS = {"agrees": OKABE_ITO[2], "differs": OKABE_ITO[4], "cannot tell": FAINT}
CAPTION = "LightGBM's leads in time, measured here beside the published ones"


def leads(tables: Sequence[JudgedTable]) -> list[dict[str, Any]]:
    """The ratios of times that have a published one beside them."""
    return [
        {
            "place": f"{one.dataset}, {one.rows:,} rows",
            "line": f"{one.preset.preset}: {each.compared.name}",
            "verdict": each.verdict or "cannot tell",
            "value": each.measured.point,
            "low": each.measured.point if each.measured.low is None else each.measured.low,
            "high": each.measured.point if each.measured.high is None else each.measured.high,
            "published": each.published,
            "from": each.lowest,
            "to": each.highest,
            "beside": one.entry.beside,
        }
        for one in tables
        for each in one.compared
        if each.compared.figure == "time"
        and each.published is not None
        and not isinstance(each.measured, Missing)
        and each.measured.point > 0
    ]


def comparison_chart(tables: Sequence[JudgedTable]) -> alt.ConcatChart | None:
    """The chart, a facet for each data set; None where nothing can be drawn."""
    drawn = leads(tables)
    if not drawn:
        return None
    ends = [each[name] for each in drawn for name in ("low", "high", "from", "to")]
    domain = [min(0.8, *ends) / 1.05, max(1.25, *ends) * 1.05]
    places = dict.fromkeys(each["place"] for each in drawn)
    facets = [_facet(place, [p for p in drawn if p["place"] == place], domain) for place in places]
    return frame.framed(facets, _TITLE, _WORDS, columns=1)


def _facet(place: str, points: list[dict[str, Any]], domain: list[float]) -> alt.LayerChart:
    base = alt.Chart(frame.records(points)).encode(
        y=alt.Y("line:N", sort=None, title=None, axis=alt.Axis(labelLimit=460, domain=False)),
        tooltip=_tooltip(),
    )
    scale, axis = alt.Scale(type="log", domain=domain, nice=False), _axis(domain)

    def at(name: str) -> alt.X:
        return alt.X(f"{name}:Q", scale=scale, axis=axis)

    colour, shape = _of_verdicts()
    one = alt.Chart(frame.records([{"value": 1}])).mark_rule(color=INK).encode(x=at("value"))
    return alt.layer(
        base.mark_bar(color="#E3E3E3", height=16).encode(x=at("from"), x2="to:Q"),
        one,
        base.mark_rule(strokeWidth=3).encode(x=at("low"), x2="high:Q", color=colour),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x=at("value"), color=colour, shape=shape
        ),
        base.mark_text(text="\u00d7", fontSize=18, color=INK).encode(x=at("published")),
    ).properties(
        width=frame.ONE_WIDTH,
        height=_LINE_HEIGHT * len(points),
        title=frame.facet_title(place),
    )


def _axis(domain: list[float]) -> alt.Axis:
    marks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
    ticks = [each for each in marks if domain[0] <= each <= domain[1]]
    return alt.Axis(title="times as fast", values=ticks, format="~g")


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("line:N", title="comparison"),
        alt.Tooltip("value:Q", title="measured", format=".3g"),
        alt.Tooltip("low:Q", title="from", format=".3g"),
        alt.Tooltip("high:Q", title="to", format=".3g"),
        alt.Tooltip("published:Q", title="published", format=".3g"),
        alt.Tooltip("beside:N", title="for"),
        alt.Tooltip("verdict:N"),
    ]


def _of_verdicts() -> tuple[alt.Color, alt.Shape]:
    """A verdict's colour and shape, in one legend."""
    names, legend = list(_VERDICTS), frame.legend("verdict", many=True)
    colours = alt.Scale(domain=names, range=list(_VERDICTS.values()))
    shapes = alt.Scale(domain=names, range=list(SHAPES[:3]))
    return (
        alt.Color("verdict:N", scale=colours, legend=legend),
        alt.Shape("verdict:N", scale=shapes, legend=legend),
    )
