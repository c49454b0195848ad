"""Beyond the largest size: how far the curve can be trusted, and where it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.scaling.power import Band, fit_power
from treebench.errors import TreebenchError

if TYPE_CHECKING:
    from treebench.analysis.scaling.power import PowerFit
    from treebench.analysis.scaling.series import Series

FURTHEST = 4.0
"""Times the largest size up to which the curve is followed unasked."""
_LEAST_SIZES = 4
"""One is held out, and a curve needs three."""


class TooFarError(TreebenchError):
    """A prediction too far beyond what was measured."""


@dataclass(frozen=True)
class HeldOut:
    """The largest size foretold by the smaller ones: `relative_error` is how far the foretold
    value lies above the measured median; `inside` whether the median lies in the band."""

    x: float
    measured: float
    foretold: float
    band: Band

    @property
    def relative_error(self) -> float:
        """(foretold - measured) / measured."""
        return self.foretold / self.measured - 1

    @property
    def inside(self) -> bool:
        """Whether the measured median lies within the band."""
        return self.band.low <= self.measured <= self.band.high


def hold_out_largest(series: Series, seed: int = 0) -> HeldOut | None:
    """The largest size as the others foretell it; None where too few would be left."""
    if len(series.sizes) < _LEAST_SIZES:
        return None
    largest = float(series.sizes[-1])
    fit = fit_power(series.up_to(float(series.sizes[-2])), seed=seed)
    return HeldOut(largest, float(series.medians[-1]), float(fit.at(largest)), fit.band_at(largest))


def predict(fit: PowerFit, series: Series, x: float, *, far: bool = False) -> tuple[float, Band]:
    """The figure at x, and its interval.

    Raises:
        TooFarError: x is more than `FURTHEST` times the largest size, and `far` is not asked for.
    """
    largest = float(series.sizes[-1])
    if x > FURTHEST * largest and not far:
        raise TooFarError(
            f"{x:g} is {x / largest:.1f} times the largest size measured ({largest:g}); a curve is "
            f"followed to {FURTHEST:g} times; measure larger sizes, or ask for it with --far"
        )
    return float(fit.at(x)), fit.band_at(x)
