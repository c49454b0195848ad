"""The curve through a family's samples: one, or one on either side where its nature changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treebench.analysis.curves.families import families
from treebench.analysis.curves.peaks import moved_peaks, several_peaks
from treebench.analysis.curves.steps import KnownStep, known_steps, suspects, too_few_beyond
from treebench.analysis.curves.theory import Expected, expected, verdict
from treebench.analysis.scaling.extrapolation import (
    FURTHEST,
    HeldOut,
    TooFarError,
    hold_out_largest,
    predict,
)
from treebench.analysis.scaling.power import Band, PowerFit, fit_power
from treebench.analysis.scaling.regimes import LEAST_SIZES, RegimeChange, find_change
from treebench.analysis.scaling.series import Series
from treebench.analysis.scaling.shapes import ShapeFit, fit_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.curves.families import Family
    from treebench.analysis.figures import NamedFigure
    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec

LEAST_CURVE = 3
"""Sizes that a + b x^c needs."""


class NoCurveThereError(TooFarError):
    """A value is asked for where no curve was fitted."""


@dataclass(frozen=True)
class Segment:
    """The samples of one regime. With two sizes there is a slope and no curve: `fit` is None, and
    so is the interval of `exponent`. `exponent` is None where the figure neither grows nor falls.
    """

    series: Series
    fit: PowerFit | None
    exponent: float | None

    @property
    def band(self) -> Band | None:
        """The exponent's interval, where one can be had. It holds the exponent itself, which is
        refined between the steps of the grid that the interval's ends are read from."""
        known = None if self.fit is None else self.fit.exponent_band
        if known is None or self.exponent is None:
            return known
        return Band(min(known.low, self.exponent), max(known.high, self.exponent))

    def band_at(self, x: float) -> Band | None:
        """The curve's interval at x, where there is a curve. It holds the curve itself, past which
        the exponents drawn anew can all lie by a step of their grid."""
        if self.fit is None:
            return None
        value, drawn = float(self.fit.at(x)), self.fit.band_at(x)
        return Band(min(value, drawn.low), max(value, drawn.high))

    @property
    def low(self) -> float:
        """The smallest size."""
        return float(self.series.sizes[0])

    @property
    def high(self) -> float:
        """The largest size."""
        return float(self.series.sizes[-1])


@dataclass(frozen=True)
class Curve:
    """A family with all that is known of its growth. Without a curve, `problem` says why.

    `segments` ascend; there are two where the nature of the curve changes (`change`), which is at
    a `step` known of the library, or unexplained. `shapes` and `held_out` are of the last one.
    """

    family: Family
    figure: NamedFigure
    expected: Expected | None
    segments: tuple[Segment, ...] = ()
    shapes: tuple[ShapeFit, ...] = ()
    held_out: HeldOut | None = None
    change: RegimeChange | None = None
    step: KnownStep | None = None
    problem: str | None = None
    cautions: tuple[str, ...] = ()

    @property
    def last(self) -> Segment:
        """The regime of the largest sizes."""
        return self.segments[-1]

    @property
    def is_fitted(self) -> bool:
        """Whether anything was fitted."""
        return bool(self.segments)

    @property
    def suspect(self) -> str | None:
        """What may be behind a change at no known step."""
        if self.change is None or self.step is not None:
            return None
        return suspects(self.family.spec, self.family.axis)

    @property
    def expected_exponents(self) -> tuple[float, float] | None:
        """The range that theory has for the last regime."""
        if self.expected is None or not self.segments:
            return None
        return self.expected.exponents(self.last.low, self.last.high)

    @property
    def verdict(self) -> Literal["as expected", "gentler", "steeper"] | None:
        """The last regime's exponent beside theory; None where either is not known, or so few
        sizes lie there that the curve meets them all, and nothing speaks for its being one."""
        known = self.expected_exponents
        if known is None or self.last.fit is None or len(self.last.series.sizes) <= LEAST_CURVE:
            return None
        if self.last.exponent is None:
            return verdict(known, 0.0, 0.0)
        band = self.last.band
        return None if band is None else verdict(known, band.low, band.high)

    def segment_at(self, x: float) -> Segment:
        """The regime in which x lies: the first up to where it was last seen."""
        return next((each for each in self.segments if x <= each.high), self.last)


def curves(
    run: Overview,
    axis: str,
    figure: NamedFigure,
    only: Callable[[CellSpec], bool] | None = None,
) -> list[Curve]:
    """A curve for every family of the run along the axis, in the order planned."""
    return [curve_of(family, figure) for family in families(run, axis, figure, only)]


def curve_of(family: Family, figure: NamedFigure, seed: int = 0) -> Curve:
    """The curve through one family."""
    theory = expected(family.spec, figure.name, family.axis)
    problem = _problem(family)
    if problem is not None:
        return Curve(family, figure, theory, problem=problem)
    series = Series.of(family.samples)
    change = find_change(series, seed)
    segments = _segments(series, change, seed)
    last = segments[-1].series
    return Curve(
        family,
        figure,
        theory,
        segments,
        tuple(fit_shapes(last)) if len(last.sizes) >= LEAST_CURVE else (),
        hold_out_largest(last, seed),
        change,
        _step(family, change),
        cautions=tuple(_cautions(family, series, segments)),
    )


def _problem(family: Family) -> str | None:
    sizes = len(family.sizes)
    if sizes >= LEAST_CURVE:
        return None
    if sizes == 0:
        return "no size has a sample with this figure"
    more = LEAST_CURVE - sizes
    has = f"{sizes} size{'s' * (sizes > 1)} with samples"
    return f"{has}; a curve needs {LEAST_CURVE}: measure {more} more"


def _segments(series: Series, change: RegimeChange | None, seed: int) -> tuple[Segment, ...]:
    if change is None:
        return (_segment(series, None, seed),)
    return (
        _segment(series.up_to(change.after), change.left, seed),
        _segment(series.beyond(change.after), change.right, seed),
    )


def _segment(series: Series, slope: float | None, seed: int) -> Segment:
    """`slope` is what the exponent is where the sizes are too few for a curve."""
    if len(series.sizes) < LEAST_CURVE:
        return Segment(series, None, slope)
    fit = fit_power(series, seed=seed)
    return Segment(series, fit, fit.exponent)


def _step(family: Family, change: RegimeChange | None) -> KnownStep | None:
    if change is None:
        return None
    moves = moved_peaks(family.axis, family.peaks)
    steps = known_steps(family.spec, family.axis)
    # A peak that goes to and fro between phases of one height explains nothing.
    steps += moves if len(moves) == 1 else []
    return next((step for step in steps if step.lies_between(change.after, change.before)), None)


def _cautions(family: Family, series: Series, segments: Sequence[Segment]) -> list[str]:
    """What a reader must know of how little a series can say."""
    said = list(family.left_out)
    sizes = [float(size) for size in series.sizes]
    if len(series.y) == len(sizes):
        said.append("one sample at each size: spread and curvature cannot be told apart")
    if len(segments[-1].series.sizes) <= LEAST_CURVE:
        said.append(
            f"{LEAST_CURVE} sizes or fewer at the end: a curve meets them whatever its true shape, "
            f"and its interval knows the spread of samples alone"
        )
    if len(segments) == 1:
        said += too_few_beyond(family.spec, family.axis, sizes, LEAST_SIZES)
    peaks = several_peaks(family.axis, family.peaks)
    return said if peaks is None else [*said, peaks]


def foretold(curve: Curve, x: float, *, far: bool = False) -> tuple[float, Band]:
    """The figure at x and its interval, by the regime in which x lies.

    Raises:
        TooFarError: x is too far beyond what was measured, and `far` is not asked for.
        NoCurveThereError: there is no curve in that regime.
    """
    if not curve.is_fitted:
        raise NoCurveThereError(f"no curve was fitted: {curve.problem}")
    segment = curve.segment_at(x)
    band = segment.band_at(x)
    if segment.fit is None or band is None:
        raise NoCurveThereError(
            f"the curve changes after {curve.segments[0].high:,.0f}, and on this side there are "
            f"{len(segment.series.sizes)} sizes; a curve needs {LEAST_CURVE}: measure one more"
        )
    return predict(segment.fit, segment.series, x, far=far)[0], band


def is_too_far(curve: Curve, x: float) -> bool:
    """Whether x lies further beyond the largest size than a curve is followed unasked."""
    return curve.is_fitted and x > FURTHEST * curve.last.high
