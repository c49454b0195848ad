"""From a chart to PNG and SVG: the one place that renders. No network, no browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import vl_convert

if TYPE_CHECKING:
    from treebench.report.frame import Framed

SCALE = 2
"""Pixels of a PNG per unit of the chart, for sharp text on dense screens."""


def png(chart: Framed) -> bytes:
    """The chart as PNG."""
    rendered: bytes = vl_convert.svg_to_png(svg(chart), scale=SCALE)
    return rendered


def svg(chart: Framed) -> str:
    """The chart as SVG, its text as text."""
    rendered: str = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
    return rendered
