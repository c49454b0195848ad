"""Series that lack the number on the x axis (exact has no max_bin): a level line across the chart,
named where it ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import altair as alt

from treebench.report import frame
from treebench.report.points import Point, Selection, point

if TYPE_CHECKING:
    from treebench.report.quantities import Quantity
    from treebench.report.scales import Ticks

INK = "#444444"
_SAME_HEIGHT = 0.04
"""Share of the axis within which two names would lie on one another."""


def reference_points(selection: Selection, quantity: Quantity, dataset: str) -> list[Point]:
    """A record for each such cell of the data set that has the quantity."""
    found = []
    for cell, label in selection.references_of(dataset):
        made = point(cell, label, quantity.pick(cell), quantity.text)
        if made is not None:
            named = f"{label}, {cell.spec.layout}" if len(selection.layouts) > 1 else label
            found.append(made | {"text": named})
    return found


def reference_layers(
    points: list[Point], x: Ticks, y: alt.Y, y_ticks: Ticks
) -> list[alt.Chart | alt.LayerChart]:
    """Thin lines over the whole width, and their names at the left, above them."""
    placed = [each | {"x": x.low} for each in _merged(points, y_ticks)]
    lines = alt.Chart(frame.records(points)).mark_rule(
        strokeWidth=1.4, strokeDash=[7, 3], color=INK
    )
    names = alt.Chart(frame.records(placed)).encode(
        x=alt.X("x:Q", scale=frame.scale(x)), y=y, text="text:N"
    )
    return [
        lines.encode(y=y),
        frame.haloed(names, INK, align="left", baseline="bottom", dx=6, dy=-3),
    ]


def _merged(points: list[Point], ticks: Ticks) -> list[Point]:
    """Names of lines at nearly the same height, as one name at the highest."""
    merged: list[Point] = []
    for each in sorted(points, key=lambda made: -made["value"]):
        if merged and _share(ticks, merged[-1]["value"], each["value"]) < _SAME_HEIGHT:
            merged[-1]["text"] += f"; {each['text']}"
        else:
            merged.append(dict(each))
    return merged


def _share(ticks: Ticks, upper: float, lower: float) -> float:
    """How far two values lie apart, as a share of the axis."""
    if ticks.log:
        return math.log(upper / lower) / math.log(ticks.high / ticks.low)
    return (upper - lower) / (ticks.high - ticks.low)
