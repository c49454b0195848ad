"""A figure against an axis, both logarithmic: samples, the curve through them with its band, what
the smaller sizes foretold of the largest, and where the curve changes its nature."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from treebench.analysis.scaling.power import LEVEL
from treebench.report import frame, scales, units
from treebench.report.charts import Picture
from treebench.report.palette import look_of
from treebench.report.points import Point, held_text
from treebench.report.quantities import axis_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.curves.curve import Curve, Segment
    from treebench.analysis.curves.growth import AxisCurves, Growth
    from treebench.analysis.figures import NamedFigure
    from treebench.report.palette import Look
    from treebench.report.scales import Ticks

_STEPS = 40
"""Points of a drawn curve."""
_BESIDE = 0.014
"""Share of the axis between what is foretold of one series and of the next."""
_BREAKS_APART = 0.006
_BAND_REACH = 4.0
"""A band is drawn as far as this many times beyond all samples."""


@frame.unchecked()
def scaling_pictures(grown: Growth) -> list[Picture]:
    """A picture for each axis and figure that has a curve."""
    drawn = [one.at_one_place() for one in grown.along if one.any_fitted]
    return [
        Picture(
            f"scaling-{one.figure.name.replace(':', '-')}-by-{one.axis}",
            f"{_title(one)}: samples, curves and what they foretell",
            _chart(one),
        )
        for one in drawn
    ]


def _title(one: AxisCurves) -> str:
    words = one.figure.meaning.split(":")[0]
    return f"{words[:1].upper()}{words[1:]} against {axis_title(one.axis)}"


def _chart(one: AxisCurves) -> frame.Framed:
    places = [name for name in one.places if any(c.is_fitted for c in one.of(name))]
    look = look_of([curve.family.label for curve in one.curves if curve.family.samples])
    many = len(places) > 1
    facets = [
        _facet(one.of(name), one, look, many=many).properties(
            width=frame.HALF_WIDTH if many else frame.ONE_WIDTH,
            height=frame.HEIGHT,
            title=frame.facet_title(name),
        )
        for name in places
    ]
    return frame.framed(facets, _title(one), _subtitle(one), columns=2)


def _subtitle(one: AxisCurves) -> list[str]:
    fitted = [curve for curve in one.curves if curve.is_fitted]
    said = [
        f"held at: {held_text(dict(one.held))}" if one.held else "",
        f"small points: samples; line: a + b x^c; shade: its {units.level(LEVEL)} interval",
        "ring with a bar, at the right: the largest size as the smaller ones foretell it"
        if any(curve.held_out for curve in fitted)
        else "",
        "dashed upright line: there the curve changes its nature; two curves are drawn"
        if any(curve.change for curve in fitted)
        else "",
    ]
    return [text for text in said if text]


def _facet(curves: Sequence[Curve], one: AxisCurves, look: Look, *, many: bool) -> alt.LayerChart:
    samples = [
        _point(c, x, y, said=_said(one, c, x, y)) for c in curves for x, y in c.family.samples
    ]
    lines = [each for c in curves for s in c.segments for each in _line(c, s)]
    held = _held_out(curves)
    every = [p["value"] for p in (*samples, *lines, *held)]
    y_ticks = _ticks(one.figure, every)
    x_ticks = _x_ticks(samples, held)
    legend = frame.legend("series", many=many)
    legend["symbolOpacity"] = 1  # not the shade's
    colour, shape = frame.series_colour(look, legend), frame.series_shape(look, legend)
    x_axis = frame.axis(x_ticks, axis_title(one.axis), grid=False)
    x = alt.X("x:Q", scale=frame.scale(x_ticks), axis=x_axis)
    y, low = (
        alt.Y(f"{name}:Q", scale=frame.scale(y_ticks), axis=frame.axis(y_ticks, None))
        for name in ("value", "low")
    )

    def base(points: Sequence[Point]) -> alt.Chart:
        return alt.Chart(frame.records(_bounded(points, every))).encode(x=x, color=colour)

    apart = "segment:N"
    return alt.layer(
        base([p for p in lines if "low" in p])
        .mark_area(opacity=0.16, clip=True)
        .encode(y=low, y2="high:Q", detail=apart),
        base(_breaks(curves)).mark_rule(strokeWidth=1.4, strokeDash=[5, 4]),
        base(lines).mark_line(strokeWidth=2, clip=True).encode(y=y, detail=apart),
        base(samples).mark_point(filled=True, size=38, opacity=0.75).encode(y=y, shape=shape),
        base(held).mark_rule(strokeWidth=1.4, clip=True).encode(y=low, y2="high:Q"),
        base(held)
        .mark_point(shape="circle", size=150, filled=False, strokeWidth=1.8, clip=True)
        .encode(y=y),
    )


_TEXTS = {"ns": units.duration, "bytes": units.size}


def _said(one: AxisCurves, curve: Curve, x: float, value: float) -> str:
    """What is said of a sample when it is pointed at."""
    text = _TEXTS.get(one.figure.unit, units.number)(value)
    return f"{curve.family.label}: {text} at {one.axis} {units.number(x)}"


def _point(curve: Curve, x: float, value: float, **more: Any) -> Point:
    return {"series": curve.family.label, "x": x, "value": value, **more}


def _line(curve: Curve, segment: Segment) -> list[Point]:
    """The curve of a regime with its band; through two sizes, the straight line alone."""
    name = f"{curve.family.label} from {segment.low:g}"
    fit = segment.fit
    if fit is None:
        sizes, medians = segment.series.sizes, segment.series.medians
        return [
            _point(curve, float(x), float(y), segment=name)
            for x, y in zip(sizes, medians, strict=True)
        ]
    places = map(float, np.geomspace(segment.low, segment.high, _STEPS))
    return [
        _point(curve, x, float(fit.at(x)), low=band.low, high=band.high, segment=name)
        for x in places
        if (band := segment.band_at(x)) is not None
    ]


def _held_out(curves: Sequence[Curve]) -> list[Point]:
    """What was foretold, beside one another and a little to the right of the size itself, where
    the samples are."""
    known = [(c, held) for c in curves if (held := c.held_out) is not None]
    reach = max((held.x / c.segments[0].low for c, held in known), default=1.0)
    return [
        _point(
            curve,
            held.x * reach ** (_BESIDE * (place + 1)),
            held.foretold,
            low=held.band.low,
            high=held.band.high,
        )
        for place, (curve, held) in enumerate(known)
    ]


def _breaks(curves: Sequence[Curve]) -> list[Point]:
    """Upright lines in the middle, on a log axis, of the sizes between which a curve changes; those
    of several series at one place stand side by side."""
    taken: Counter[float] = Counter()
    found = []
    for curve in curves:
        if curve.change is not None:
            middle = math.sqrt(curve.change.after * curve.change.before)
            reach = curve.last.high / curve.segments[0].low
            x = middle * reach ** (_BREAKS_APART * taken[middle])
            taken[middle] += 1
            found.append({"series": curve.family.label, "x": x})
    return found


def _bounded(points: Sequence[Point], every: Sequence[float]) -> list[Point]:
    """The points with bands cut off far beyond all that was measured: a band can reach to 0,
    which is nowhere on a log axis."""
    least, most = min(every) / _BAND_REACH, max(every) * _BAND_REACH
    return [
        p | {name: min(max(p[name], least), most) for name in ("low", "high") if name in p}
        for p in points
    ]


def _x_ticks(samples: Sequence[Point], held: Sequence[Point]) -> Ticks:
    ticks = scales.at_values([p["x"] for p in samples], log=True)
    room = (ticks.high / ticks.low) ** _BESIDE
    return dataclasses.replace(ticks, high=max([ticks.high, *(p["x"] * room for p in held)]))


def _ticks(figure: NamedFigure, values: Sequence[float]) -> Ticks:
    if figure.unit == "ns":
        return scales.duration_log(values)
    return scales.size_log(values) if figure.unit == "bytes" else scales.number_log(values)
