"""What all charts have in common: the theme, facets by data set, and the shared encodings."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import altair as alt
from altair.utils.schemapi import debug_mode

from treebench.report.palette import DASHES, FAINT, INK, Look

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from treebench.report.scales import Ticks

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Liberation Sans comes with vl-convert, so that no font of the system is needed."""

_TITLE_WIDTH, _SUBTITLE_WIDTH = 74, 118
"""Characters of a line: longer ones would make the whole chart wider, and on a page smaller."""
_POINTED_AT = ("point", "circle", "bar", "rule", "rect")

ONE_WIDTH, HALF_WIDTH, HEIGHT = 620, 350, 330


_CONFIG: dict[str, Any] = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFlush": False,
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "gridColor": "#E6E6E6",
    },
    "legend": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titleColor": FAINT,
        "labelColor": INK,
        "labelLimit": 320,
        "symbolSize": 90,
        "symbolStrokeWidth": 2,
    },
    "title": {"fontWeight": "bold", "color": INK, "fontSize": 14},
}


@dataclass(frozen=True)
class Framed:
    """A whole chart as a Vega-Lite spec. Not as Altair's own, which, when charts are put together,
    copies all that they hold time and again."""

    spec: dict[str, Any]

    def to_dict(self, validate: bool = True) -> dict[str, Any]:
        """The spec; `validate` holds it to Vega-Lite's schema."""
        if validate:
            alt.ConcatChart.validate(self.spec)
        return self.spec


@contextmanager
def unchecked() -> Iterator[None]:
    """Charts are made without Altair checking every part of them against Vega-Lite's schema, which
    takes longer than making them; tests check the whole."""
    with debug_mode(False):
        yield


def framed(
    facets: Sequence[alt.LayerChart], title: str, subtitle: Sequence[str], *, columns: int
) -> Framed:
    """The facets in a grid under one title, with one legend for all."""
    context: dict[str, Any] = {"top_level": False, "datasets": {}}
    drawn = [facet.to_dict(validate=False, context=context) for facet in facets]
    _say_when_pointed_at(drawn)
    shared = dict.fromkeys(("color", "shape", "strokeDash"), "shared")
    return Framed(
        {
            "$schema": alt.SCHEMA_URL,
            "config": _CONFIG,
            "background": "white",
            "padding": 14,
            "title": {
                "text": textwrap.wrap(title, _TITLE_WIDTH),
                "subtitle": [
                    part for said in subtitle for part in textwrap.wrap(said, _SUBTITLE_WIDTH)
                ],
                "anchor": "start",
                "fontSize": 18,
                "subtitleFontSize": 13,
                "subtitleColor": FAINT,
                "offset": 14,
            },
            "concat": drawn,
            "columns": columns,
            "spacing": 28,
            "resolve": {"scale": shared},
            "datasets": context["datasets"],
        }
    )


def _say_when_pointed_at(units: Sequence[dict[str, Any]], *, worded: bool = False) -> None:
    """Give every mark that a pointer can meet its tooltip, where its records have something to say
    of themselves (`said`). Layers without data of their own have their facet's."""
    for unit in units:
        values = unit.get("data", {}).get("values")
        has = worded if values is None else bool(values) and "said" in values[0]
        _say_when_pointed_at(unit.get("layer", ()), worded=has)
        if has and unit.get("mark", {}).get("type") in _POINTED_AT:
            unit["encoding"].setdefault("tooltip", {"field": "said", "title": "what"})


class _Records:
    """Records that altair passes on as they are. Lists it would copy, with all that they hold, each
    time that charts are put together, and walk through once more at the end."""

    _schema: ClassVar[dict[str, str]] = {"type": "array"}

    def __init__(self, points: Iterable[Mapping[str, Any]]) -> None:
        self._points = list(points)

    def to_dict(self, *_: Any, **__: Any) -> list[Mapping[str, Any]]:
        return self._points


def records(points: Iterable[Mapping[str, Any]]) -> alt.Data:
    """The data of a chart: plain records of plain values."""
    return alt.Data(values=_Records(points))


def facet_title(text: str) -> alt.TitleParams:
    """The title of one facet."""
    return alt.TitleParams(text, anchor="start", frame="group", fontSize=14, offset=8)


def haloed(chart: alt.Chart, colour: str, **place: Any) -> alt.LayerChart:
    """Text with a white edge, so that no line behind it strikes it through."""
    return alt.layer(
        chart.mark_text(fontSize=11, stroke="white", strokeWidth=3, strokeJoin="round", **place),
        chart.mark_text(fontSize=11, color=colour, **place),
    )


def scale(ticks: Ticks, **more: Any) -> alt.Scale:
    """The scale that the ticks were made for."""
    domain = [ticks.low, ticks.high]
    if ticks.log:
        return alt.Scale(type="log", domain=domain, nice=False, **more)
    return alt.Scale(type="linear", domain=domain, nice=False, zero=False, **more)


def axis(ticks: Ticks, title: str | None, **more: Any) -> alt.Axis:
    """An axis with these ticks and their text."""
    return alt.Axis(
        title=title, values=list(ticks.values), labelExpr=ticks.label_expression, **more
    )


def series_colour(look: Look, legend: alt.Legend | None) -> alt.Color:
    """Colour by series; the same in every facet and picture."""
    return alt.Color(
        "series:N", scale=alt.Scale(domain=look.labels, range=tuple(look.colours)), legend=legend
    )


def series_shape(look: Look, legend: alt.Legend | None) -> alt.Shape:
    """Shape by series, for those who do not see the colours apart."""
    return alt.Shape(
        "series:N", scale=alt.Scale(domain=look.labels, range=tuple(look.shapes)), legend=legend
    )


def layout_dash(layouts: Sequence[str], legend: alt.Legend | None) -> alt.StrokeDash:
    """Dashes by layout."""
    return alt.StrokeDash(
        "layout:N",
        scale=alt.Scale(domain=list(layouts), range=[DASHES[name] for name in layouts]),
        legend=legend,
    )


def legend(title: str, *, many: bool, dashes: bool = False) -> alt.Legend:
    """A legend beside a single facet, below several; long symbols for dashes."""
    more: dict[str, Any] = {"symbolSize": 300} if dashes else {}
    if many:
        more |= {"orient": "bottom", "columns": 4, "direction": "horizontal", "padding": 6}
    return alt.Legend(title=title, **more)


def line_encodings(look: Look, layouts: Sequence[str], *, many: bool) -> dict[str, alt.SchemaBase]:
    """Colour and shape by series, dashes by layout, for lines with points; `many`: of facets."""
    series = legend("series", many=many)
    layout = legend("layout", many=many, dashes=True) if len(layouts) > 1 else None
    return {
        "color": series_colour(look, series),
        "shape": series_shape(look, series),
        "strokeDash": layout_dash(layouts, layout),
    }
