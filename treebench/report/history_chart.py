"""The nights of a cell as a chart: each figure by date, with its levels and what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from treebench.analysis.figures import figure_named
from treebench.history.levels import levels_of, noise_of
from treebench.history.suspects import comparable, version_changes
from treebench.report.frame import FONT
from treebench.report.palette import FAINT, INK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.history.morning import Morning
    from treebench.history.parts import History
    from treebench.history.series import Series
    from treebench.report.history_events import Event, Kind

Spec = dict[str, Any]
_WIDTH, _HEIGHT = 430, 190
_LINE, _LEVEL = INK, "#E69F00"
MARKS: dict[Kind, tuple[str, str, list[int]]] = {
    "versions": ("V", FAINT, [2, 3]),
    "settings": ("S", FAINT, [1, 0]),
    "regression": ("R", "#D55E00", [1, 0]),
    "suspected": ("?", "#CC79A7", [6, 3]),
    "no regression": ("D", "#009E73", [6, 3]),
    "acknowledged": ("A", "#56B4E9", [1, 0]),
}
"""By what happened, its letter, its colour and its dashes."""

_SCALES = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "\u00b5s")),
    "bytes": ((2**30, "GiB"), (2**20, "MiB")),
}
_LETTER_PX = 13
_LONG_GAP = 1.6
"""Times the usual time between nights: a longer one is a gap, and no line crosses it."""


def history_chart(morning: Morning, series: Sequence[Series], events: Sequence[Event]) -> Spec:
    """The chart of a cell, a facet for each of its series."""
    return {
        "$schema": alt.SCHEMA_URL,
        "background": "white",
        "padding": 10,
        "columns": 2,
        "spacing": 26,
        "concat": [_facet(morning.history, each, events) for each in series],
        "config": _CONFIG,
    }


def varies(series: Series) -> bool:
    """Whether the figure was not the same every night."""
    return bool((series.medians != series.medians[0]).any())


def _facet(history: History, series: Series, events: Sequence[Event]) -> Spec:
    scale, unit = _scale(series)
    title = f"{series.figure}, {unit}" if unit else series.figure
    span = _span(history, series)
    of_figure = [e for e in events if e.figure in (None, series.figure)]
    shown = [e for e in of_figure if _time(e.night) >= span[0]]
    x = {"field": "at", "type": "temporal", "scale": {"type": "utc", "nice": False}}
    x["axis"] = {"title": None, "tickCount": 6, "grid": False, "labelOverlap": True}
    y = {"field": "value", "type": "quantitative", "scale": {"zero": False, "padding": 16}}
    y["axis"] = {"title": None, "tickCount": 5}
    return {
        "title": {"text": title, "anchor": "start", "frame": "group", "fontSize": 13},
        "width": _WIDTH,
        "height": _HEIGHT,
        "encoding": {"x": x},
        "layer": [
            _room(span),
            *(layer for kind in MARKS for layer in _marks(shown, kind)),
            *_lines(_points(history, series, scale), y),
            _levels(_level_lines(history, series, scale), y),
        ],
    }


def _room(span: list[float]) -> Spec:
    """What the axis of dates spans. Stated as its domain, Vega warns of it in every layer."""
    return {
        "data": {"values": [{"at": at} for at in span]},
        "mark": {"type": "point", "opacity": 0},
        "encoding": {"y": {"value": 0}},
    }


def _lines(points: list[Spec], y: Spec) -> list[Spec]:
    """The nights as points, joined where none is missing; those that are not held against tonight's
    are faint."""
    judged = [each for each in points if each["judged"]]
    others = [each for each in points if not each["judged"]]
    tooltip = {"field": "text", "type": "nominal", "title": "night"}
    return [
        {
            "data": {"values": kept},
            "mark": {"type": mark, "color": colour, **more},
            "encoding": {"y": y, "tooltip": tooltip, **detail},
        }
        for kept, colour in ((others, FAINT), (judged, _LINE))
        for mark, more, detail in (
            ("line", {"strokeWidth": 1, "opacity": 0.55}, {"detail": {"field": "stretch"}}),
            ("point", {"filled": True, "size": 16, "opacity": 1}, {}),
        )
        if kept
    ]


def _levels(lines: list[Spec], y: Spec) -> Spec:
    return {
        "data": {"values": lines},
        "mark": {"type": "rule", "color": _LEVEL, "strokeWidth": 2.5},
        "encoding": {"y": y, "x2": {"field": "until"}},
    }


def _marks(events: Sequence[Event], kind: Kind) -> list[Spec]:
    """A line down the chart for each event of a kind, with its letter above; the letters of one
    night stand side by side."""
    values = [
        {
            "at": _time(each.night),
            "text": f"{each.night[:10]}: {each.kind}: {each.says}",
            "place": sum(e.night == each.night for e in events[:nth]),
        }
        for nth, each in enumerate(events)
        if each.kind == kind
    ]
    if not values:
        return []
    letter, colour, dashes = MARKS[kind]
    tooltip = {"field": "text", "type": "nominal", "title": kind}
    rule = {"type": "rule", "color": colour, "strokeDash": dashes, "strokeWidth": 1.5}
    said = {"type": "text", "text": letter, "color": colour, "fontWeight": "bold", "dy": -7}
    beside = {"dx": {"expr": f"{_LETTER_PX} * datum.place"}}
    return [
        {"data": {"values": values}, "mark": rule, "encoding": {"tooltip": tooltip}},
        {
            "data": {"values": values},
            "mark": {**said, **beside, "fontSize": 12},
            "encoding": {"y": {"value": 0}, "tooltip": tooltip},
        },
    ]


def _points(history: History, series: Series, scale: float) -> list[Spec]:
    judged = set(comparable(series, history).nights.tolist())
    times = [_time(history.nights[int(at)].name) for at in series.nights]
    long = _LONG_GAP * float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    made, stretch = [], 0
    for at, (time, value) in enumerate(zip(times, series.medians, strict=True)):
        stretch += at > 0 and time - times[at - 1] > long
        made.append(
            {
                "at": time,
                "value": _rounded(value / scale),
                "stretch": stretch,
                "judged": int(series.nights[at]) in judged,
                "text": f"{history.nights[int(series.nights[at])].date}: {value / scale:.4g}",
            }
        )
    return made


def _level_lines(history: History, series: Series, scale: float) -> list[Spec]:
    alike = comparable(series, history)
    noise = noise_of(alike.medians, alike.errors)
    names = [history.nights[int(at)].name for at in alike.nights]
    return [
        {
            "at": _time(names[level.start]),
            "until": _time(names[level.stop - 1]),
            "value": _rounded(level.centre / scale),
        }
        for level in levels_of(alike.medians, noise, version_changes(alike, history))
    ]


def _scale(series: Series) -> tuple[float, str]:
    largest = float(np.max(np.abs(series.medians)))
    for scale, unit in _SCALES.get(figure_named(series.figure).unit, ()):
        if largest >= scale:
            return float(scale), unit
    return 1.0, {"ns": "ns", "bytes": "B"}.get(figure_named(series.figure).unit, "")


def _span(history: History, series: Series) -> list[float]:
    """From its first night to tonight, with a little room."""
    first, last = history.nights[int(series.nights[0])], history.nights[-1]
    room = max(0.02 * (_time(last.name) - _time(first.name)), 12 * 3600e3)
    return [_time(first.name) - room, _time(last.name) + room]


def _time(night: str) -> float:
    """Milliseconds since 1970, as Vega counts."""
    from treebench.history.night import time_of

    return time_of(night).timestamp() * 1e3


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


_CONFIG: Spec = {
    "font": FONT,
    "view": {"stroke": None},
    "title": {"color": INK, "fontWeight": "bold"},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "gridColor": "#E6E6E6",
        "labelFontSize": 11,
    },
}
