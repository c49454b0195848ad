"""From a chart to PNG and SVG: the one place that renders. No network, no browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import vl_convert

if TYPE_CHECKING:
    import altair as alt

SCALE = 2
"""Pixels of a PNG per unit of the chart, for sharp text on dense screens."""


def png(chart: alt.ConcatChart) -> bytes:
    """The chart as PNG."""
    rendered: bytes = vl_convert.vegalite_to_png(chart.to_json(), scale=SCALE)
    return rendered


def svg(chart: alt.ConcatChart) -> str:
    """The chart as SVG, its text as text."""
    rendered: str = vl_convert.vegalite_to_svg(chart.to_json())
    return rendered
