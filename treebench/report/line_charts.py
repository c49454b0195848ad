"""A quantity against a number that the run varies: a line for each series and layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from treebench.analysis.axes import axis_value
from treebench.report import frame, scales
from treebench.report.palette import FAINT
from treebench.report.points import Point, Selection, point, rows_text
from treebench.report.quantities import MEMORY, Quantity, axis_title
from treebench.report.reference_lines import reference_layers, reference_points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.report.palette import Look
    from treebench.report.scales import Ticks


_DATA_WITHIN = 4
"""The data's own size is drawn down to this share of the lowest peak."""
_STEP, _WIDEST = 0.009, 0.06
"""Shares of the axis: from one series to the next, and all of them together."""
_APART = "series stand a little beside one another, so that none hides another's interval"


def line_chart(
    selection: Selection,
    quantity: Quantity,
    axis: str,
    look: Look,
    subtitle: Sequence[str],
) -> frame.Framed | None:
    """The chart, a facet for each data set; None if no cell has the quantity."""
    every = {name: _points(selection, quantity, axis, name) for name in selection.datasets}
    points = {name: found for name, found in every.items() if found}
    if not points:
        return None
    ticks = {name: _x(found, axis) for name, found in points.items()}
    apart = [_stand_apart(points[name], ticks[name]) for name in points]
    references = {name: reference_points(selection, quantity, name) for name in points}
    sizes, of_sizes = _sizes_in_reach(selection, quantity, axis, _reach(points))
    y = quantity.log_ticks(
        [*_reach(points), *_values(references), *(max(_floor(points), v) for v in _values(sizes))]
    )
    level = f"dashed dark: a series that has no {axis}, so that it is level"
    said = [*subtitle, *of_sizes, *[level] * any(references.values()), *[_APART] * any(apart)]
    many = len(points) > 1
    used = look.only([each["series"] for found in points.values() for each in found])
    facets = [
        _facet(
            found,
            sizes.get(name, []),
            references[name],
            frame.line_encodings(used, selection.layouts, many=many),
            (ticks[name], y),
            (axis_title(axis), quantity.title),
        ).properties(
            width=frame.HALF_WIDTH if many else frame.ONE_WIDTH,
            height=frame.HEIGHT,
            title=frame.facet_title(_facet_name(selection, name, axis)),
        )
        for name, found in points.items()
    ]
    title = f"{quantity.title} against {axis_title(axis)}"
    return frame.framed(facets, title, said, columns=2)


def _reach(points: Mapping[str, Sequence[Point]]) -> list[float]:
    return [each[end] for found in points.values() for each in found for end in ("low", "high")]


def _values(points: Mapping[str, Sequence[Point]]) -> list[float]:
    return [each["value"] for found in points.values() for each in found]


def _floor(points: Mapping[str, Sequence[Point]]) -> float:
    return min(_reach(points)) / _DATA_WITHIN


def _sizes_in_reach(
    selection: Selection, quantity: Quantity, axis: str, reach: Sequence[float]
) -> tuple[dict[str, list[Point]], list[str]]:
    """The data's own sizes, where they lie near enough, and what to say of them."""
    sizes = {name: _data_sizes(selection, quantity, axis, name) for name in selection.datasets}
    largest = _largest(sizes)
    if largest is None:
        return {}, []
    if largest < min(reach) / _DATA_WITHIN:
        # So far below the peaks, they would press all lines together at the top.
        return {}, [f"the data itself, {quantity.text(largest)} at most, lies far below"]
    return sizes, ["dashed grey: bytes of the data itself, where not below the axis"]


def _stand_apart(points: Sequence[Point], ticks: Ticks) -> bool:
    """Place the points (`at`): those of several series at one value a little beside one another,
    where they have intervals, which would hide one another. Whether any was moved."""
    names = list(dict.fromkeys((each["series"], each["layout"]) for each in points))
    crowded = len(points) > len({each["x"] for each in points})
    moved = crowded and any(each["low"] < each["high"] for each in points)
    step = min(_STEP, _WIDEST / len(names)) if moved else 0.0
    for each in points:
        rank = names.index((each["series"], each["layout"])) - (len(names) - 1) / 2
        each["at"] = ticks.moved(each["x"], rank * step)
    return moved


def _points(selection: Selection, quantity: Quantity, axis: str, dataset: str) -> list[Point]:
    found = []
    for cell, label in selection.of(dataset):
        made = point(cell, label, quantity.pick(cell), quantity.text)
        if made is not None:
            found.append(made | {"x": axis_value(cell.spec, axis)})
    return found


def _data_sizes(selection: Selection, quantity: Quantity, axis: str, dataset: str) -> list[Point]:
    """The bytes of the matrix, once per layout and x: what no peak can be below."""
    if quantity is not MEMORY:
        return []
    found: dict[tuple[str, float | None], Point] = {}
    for cell, _ in selection.of(dataset):
        value, x = cell.data_bytes.median, axis_value(cell.spec, axis)
        if value:
            found[cell.spec.layout, x] = {"layout": cell.spec.layout, "x": x, "value": value}
    return list(found.values())


def _largest(sizes: Mapping[str, Sequence[Point]]) -> float | None:
    return max((each["value"] for found in sizes.values() for each in found), default=None)


def _x(points: Sequence[Point], axis: str) -> Ticks:
    values = [each["x"] for each in points]
    # The depth of a tree is already a logarithm of its size.
    return scales.at_values(values, log=False if axis == "max_depth" else None)


def _facet_name(selection: Selection, dataset: str, axis: str) -> str:
    if axis == "rows":
        return dataset
    return f"{dataset}, {rows_text([cell for cell, _ in selection.of(dataset)])}"


def _facet(
    points: Sequence[Point],
    sizes: Sequence[Point],
    references: list[Point],
    encodings: dict[str, alt.SchemaBase],
    ticks: tuple[Ticks, Ticks],
    titles: tuple[str, str],
) -> alt.LayerChart:
    x_axis = frame.axis(ticks[0], titles[0], grid=False)
    x, beside = (
        alt.X(field, scale=frame.scale(ticks[0]), axis=x_axis) for field in ("x:Q", "at:Q")
    )
    y_axis = frame.axis(ticks[1], titles[1])
    y = alt.Y("value:Q", scale=frame.scale(ticks[1]), axis=y_axis)
    base = alt.Chart(frame.records(points)).encode(x=beside, color=encodings["color"])
    layers = [
        base.mark_line(strokeWidth=2).encode(y=y, strokeDash=encodings["strokeDash"]),
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", axis=y_axis), y2="high:Q"),
        base.mark_point(filled=True, size=75, opacity=1).encode(y=y, shape=encodings["shape"]),
    ]
    if sizes:
        layers = [*_size_lines(sizes, x, y), *layers]
    if references:
        layers = [*reference_layers(references, ticks[0], y, ticks[1]), *layers]
    return alt.layer(*layers)


def _size_lines(sizes: Sequence[Point], x: alt.X, y: alt.Y) -> list[alt.Chart | alt.LayerChart]:
    """Thin dashed lines for the data's own size, named at their right end."""
    last = max(each["x"] for each in sizes)
    ends = [each | {"text": f"data, {each['layout']}"} for each in sizes if each["x"] == last]
    lines = alt.Chart(frame.records(sizes)).encode(x=x, y=y, detail="layout:N")
    names = alt.Chart(frame.records(_merged(ends))).encode(x=x, y=y, text="text:N")
    return [
        lines.mark_line(strokeWidth=1.2, strokeDash=[4, 4], color=FAINT, clip=True),
        frame.haloed(names, FAINT, align="right", baseline="bottom", dy=-6, clip=True),
    ]


def _merged(ends: Sequence[Point]) -> list[Point]:
    """Names of lines that end at the same height, as one name."""
    heights: dict[float, Point] = {}
    for each in ends:
        same = next((h for h in heights if abs(h / each["value"] - 1) < 0.15), None)
        if same is None:
            heights[each["value"]] = dict(each)
        else:
            heights[same]["text"] += f", {each['layout']}"
    return list(heights.values())
