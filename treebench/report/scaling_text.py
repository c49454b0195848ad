"""Curves in words and rows of a table: exponents beside what theory says, and what is doubtful.

The terminal and the Markdown page say the same; every figure is taken from the fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.scaling.power import LEVEL
from treebench.report import units
from treebench.report.points import held_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.curves.curve import Curve, Segment
    from treebench.analysis.curves.growth import AxisCurves
    from treebench.analysis.curves.several import Together
    from treebench.analysis.figures import NamedFigure
    from treebench.analysis.scaling.power import Band

TITLE = "How cost grows"
TITLES = (
    *("series", "sizes", "exponent", "theory", "fixed part", "shapes allowed"),
    *("largest foretold", "beside theory"),
)
GIVE_UP = ("shapes allowed", "fixed part", "largest foretold", "theory", "sizes")
"""The columns that go first where the width runs short."""

_TEXTS: dict[str, Callable[[float | None], str]] = {
    "ns": units.duration,
    "bytes": units.size,
    "count": units.rounded_count,
    "score": units.score,
    "share": lambda value: units.percent(None if value is None else 100 * value),
}


def value_text(figure: NamedFigure, value: float) -> str:
    """A value of a figure as people read it."""
    return _TEXTS[figure.unit](value)


def heading(one: AxisCurves) -> str:
    """What is drawn against what, and what is held."""
    held = f"; at {held_text(dict(one.held))}" if one.held else ""
    return f"{one.figure.name} against {one.axis}: {one.figure.meaning}{held}"


def rows(curves: Sequence[Curve]) -> list[list[str]]:
    """A row for each series, or for each of its regimes where its nature changes."""
    return [row for curve in curves for row in _rows_of(curve)]


def _rows_of(curve: Curve) -> list[list[str]]:
    if not curve.is_fitted:
        return [[curve.family.label, "no curve", *[units.DASH] * (len(TITLES) - 2)]]
    made = [_row(curve, segment) for segment in curve.segments]
    for later in made[1:]:
        later[0] = f"{later[0]}, from there on"
    return made


def _row(curve: Curve, segment: Segment) -> list[str]:
    is_last = segment is curve.last
    return [
        curve.family.label,
        _sizes(segment),
        exponent_text(segment),
        _theory(curve, segment),
        units.DASH if segment.fit is None else value_text(curve.figure, segment.fit.a),
        _shapes(curve) if is_last else units.DASH,
        _held_out(curve) if is_last else units.DASH,
        (curve.verdict or units.DASH) if is_last else units.DASH,
    ]


def _sizes(segment: Segment) -> str:
    ends = f"{units.short_count(segment.low)} to {units.short_count(segment.high)}"
    return f"{len(segment.series.sizes)}: {ends}"


def exponent_text(segment: Segment) -> str:
    """The exponent with its interval: "0.98 (0.91 to 1.04)". Without an interval the exponent is
    not known either: it may be no more than the end of the range that was searched."""
    if segment.exponent is None:
        return "level"
    if segment.fit is None:
        return f"{_two(segment.exponent)} (2 sizes)"
    band = segment.band
    if band is None:
        return "not known"
    return f"{_two(segment.exponent)} ({_two(band.low)} to {_two(band.high)})"


def _theory(curve: Curve, segment: Segment) -> str:
    if curve.expected is None:
        return units.DASH
    low, high = curve.expected.exponents(segment.low, segment.high)
    shapes = " to ".join(dict.fromkeys((curve.expected.shapes[0], curve.expected.shapes[-1])))
    values = _two(low) if low == high else f"{_two(low)} to {_two(high)}"
    return f"{values} ({shapes})"


def _shapes(curve: Curve) -> str:
    if curve.last.exponent is not None and curve.last.exponent < 0:
        return "it falls"
    return ", ".join(each.shape for each in curve.shapes if each.allowed) or units.DASH


def _held_out(curve: Curve) -> str:
    if curve.held_out is None:
        return units.DASH
    error = units.percent(100 * curve.held_out.relative_error, signed=True)
    return error if curve.held_out.inside else f"{error} (outside)"


def sentences(one: AxisCurves) -> list[str]:
    """What the table cannot say: changes, what lies beside theory, and what is not known."""
    said = [text for curve in one.curves for text in _of_curve(curve, one.axis)]
    return [*said, *_shared([(c.family.name, text) for c in one.curves for text in c.cautions])]


def _of_curve(curve: Curve, axis: str) -> list[str]:
    name = curve.family.name
    if curve.problem is not None:
        return [f"{name}: no curve, {text}" for text in (curve.problem, *curve.family.left_out)]
    said = [*_change(curve, axis), *_beside_theory(curve), *_missed(curve, axis)]
    return [f"{name}: {text}" for text in said]


def _change(curve: Curve, axis: str) -> list[str]:
    change = curve.change
    if change is None:
        return []
    left, right = curve.segments
    why = f"{curve.step.what} ({curve.step.source})" if curve.step else "unexplained"
    if curve.suspect:
        why += f"; {curve.suspect}"
    return [
        f"the curve changes between {axis} {units.number(change.after)} and "
        f"{units.number(change.before)}: from exponent {exponent_text(left)} to "
        f"{exponent_text(right)}, the second {units.ratio(change.step)} as high there as the "
        f"first: {why}"
    ]


def _beside_theory(curve: Curve) -> list[str]:
    if curve.verdict not in ("steeper", "gentler") or curve.expected is None:
        return []
    return [
        f"{curve.verdict} than theory has it: {exponent_text(curve.last)} against "
        f"{_theory(curve, curve.last)}, as {curve.expected.why} ({curve.expected.source})"
    ]


def _missed(curve: Curve, axis: str) -> list[str]:
    held = curve.held_out
    if held is None or held.inside:
        return []
    text = value_text
    return [
        f"the smaller sizes foretell {text(curve.figure, held.foretold)} at {axis} "
        f"{units.number(held.x)}, where {text(curve.figure, held.measured)} was measured: "
        f"outside the {_interval(curve.figure, held.band)}, so do not trust the curve beyond it"
    ]


def _shared(said: Sequence[tuple[str, str]]) -> list[str]:
    """The same said of several series, once, with their names."""
    names: dict[str, list[str]] = {}
    for name, text in said:
        names.setdefault(text, []).append(name)
    return [
        f"{text} ({'; '.join(each[:3])}{f' and {len(each) - 3} more' if len(each) > 3 else ''})"
        for text, each in names.items()
    ]


def prediction_text(figure: NamedFigure, value: float, band: Band) -> str:
    """A predicted value and its interval."""
    return f"{value_text(figure, value)}, {_interval(figure, band)}"


def _interval(figure: NamedFigure, band: Band) -> str:
    low, high = value_text(figure, band.low), value_text(figure, band.high)
    return f"{units.level(LEVEL)} interval {low} to {high}"


def theory_sentences(every: Sequence[AxisCurves]) -> list[str]:
    """Each shape that the tables name, why it is expected, and who says so."""
    said = [
        f"{' to '.join(dict.fromkeys(expected.shapes))} in {one.axis}: {expected.why} "
        f"({expected.source})"
        for one in every
        for curve in one.curves
        if (expected := curve.expected) is not None and curve.is_fitted
    ]
    return list(dict.fromkeys(said))


def reading(every: Sequence[AxisCurves]) -> list[str]:
    """What the columns mean; nothing where no curve was fitted."""
    if not any(one.any_fitted for one in every):
        return []
    level = units.level(LEVEL)
    return [
        f"a curve is a + b x^c through every sample: the exponent is c with its {level} interval, "
        f"the fixed part is a, what is paid at any size",
        "theory: the exponents of the shapes that it allows, in the middle of the sizes measured",
        "shapes allowed: those that the samples do not speak against, the best first",
        "largest foretold: what the other sizes say of the largest, beside what was measured there",
        "beside theory: as expected where the interval meets theory's range",
    ]


def together_rows(every: Sequence[Together]) -> list[list[str]]:
    """A row for each series over several axes at once."""
    return [
        [
            f"{each.place}, {each.label}",
            str(each.points),
            each.problem or _product(each),
            units.DASH if each.fit is None else units.percent(100 * each.fit.typical_error),
        ]
        for each in every
    ]


TOGETHER_TITLES = ("series", "points", "grows as", "typical error")


def _product(each: Together) -> str:
    if each.fit is None:
        return units.DASH
    bands = each.fit.bands
    return "  ".join(
        f"{axis}^{_two(value)} ({_two(bands[axis].low)} to {_two(bands[axis].high)})"
        for axis, value in each.fit.exponents.items()
    )


def _two(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", units.MINUS)  # no "-0.00"
