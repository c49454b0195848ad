"""An expectation against what was measured, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.analysis.expressions.tree import FigureOf, leaves, read_expectation
from treebench.analysis.figures import figure_named
from treebench.errors import ConfigError
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.analysis.expected import Expected
    from treebench.analysis.expressions.evaluate import Value

TITLE = "Expected"
_FORMATS: dict[str, Callable[[float | None], str]] = {"ns": units.duration, "bytes": units.size}


def sentence(expected: Expected) -> str:
    """The expectation, both sides as measured, and the verdict."""
    parts = [f"{expected.text}: {expected.outcome}"]
    if expected.left is not None and expected.right is not None:
        text = _format_of(expected.text)
        parts.append(f"measured {_side(expected.left, text)} against {_side(expected.right, text)}")
    if expected.why is not None and expected.outcome == "cannot tell":
        parts.append(expected.why)
    return "; ".join(parts)


def raw(expected: Expected) -> dict[str, Any]:
    """The same for programs."""
    return {
        "text": expected.text,
        "outcome": expected.outcome,
        "left": raw_value(expected.left),
        "right": raw_value(expected.right),
        "why": expected.why,
    }


def raw_value(value: Value | None) -> dict[str, Any] | None:
    """A value with its interval for programs."""
    if value is None:
        return None
    return {"point": value.point, "low": value.low, "high": value.high}


def number(value: float) -> str:
    """Three significant digits."""
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def with_interval(value: Value, text: Callable[[float], str] = number) -> str:
    """A value and the interval it lies in, where it has one that is wider than a point."""
    if value.low is None or value.high is None or value.low == value.high:
        return text(value.point)
    return f"{text(value.point)} ({text(value.low)} to {text(value.high)})"


def _side(value: Value, text: Callable[[float], str]) -> str:
    return with_interval(value, text)


def _format_of(expectation: str) -> Callable[[float], str]:
    """How to write both sides: as times or sizes if each is a multiple of such a figure."""
    try:
        read = read_expectation(expectation)
    except ConfigError:
        return number
    sides = [leaves(read.left), leaves(read.right)]
    if any(len(side) != 1 or not isinstance(side[0], FigureOf) for side in sides):
        return number
    found = {figure_named(leaf.figure).unit for side in sides for leaf in side if leaf}
    return _FORMATS.get(found.pop(), number) if len(found) == 1 else number
