"""The curve and its intervals, on series whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.scaling.planted import SIZES, planted
from treebench.analysis.scaling.power import curve, fit_power
from treebench.analysis.scaling.series import Series


@pytest.mark.parametrize("exponent", [-1.0, 0.5, 1.0, 1.37, 2.0])
@pytest.mark.parametrize("fixed", [0.0, 3.0])
def test_without_noise_the_truth_is_found(exponent: float, fixed: float) -> None:
    unit = 40_000.0
    series = planted(lambda x: fixed + 7 * (x / unit) ** exponent, 0, noise=0, repeats=1)
    fit = fit_power(series)
    assert fit.exponent == pytest.approx(exponent, abs=2e-3)
    assert fit.a == pytest.approx(fixed, abs=0.02)
    np.testing.assert_allclose(fit.at(series.x), series.y, rtol=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fixed", "exponent", "noise", "sizes", "repeats"),
    [
        (0.0, 1.0, 0.03, SIZES[:5], 5),
        (40.0, 1.0, 0.03, SIZES[:6], 5),
        (0.0, 1.1, 0.10, SIZES[:4], 5),
        (0.0, 0.5, 0.05, SIZES, 3),
    ],
)
def test_nine_of_ten_intervals_hold_the_exponent(
    fixed: float, exponent: float, noise: float, sizes: tuple[int, ...], repeats: int
) -> None:
    held = []
    for seed in range(500):
        series = planted(
            lambda x: fixed + 1e-3 * x**exponent, seed, sizes=sizes, repeats=repeats, noise=noise
        )
        band = fit_power(series, seed=seed).exponent_band
        held.append(band is not None and band.low <= exponent <= band.high)
    assert 0.84 <= np.mean(held) <= 0.96


def test_an_interval_that_is_usual_holds_the_exponent_most_of_the_time() -> None:
    held = []
    for seed in range(60):
        series = planted(lambda x: 5 + 1e-3 * x, seed, sizes=SIZES[:5])
        band = fit_power(series, seed=seed, resamples=200).exponent_band
        held.append(band is not None and band.low <= 1.0 <= band.high)
    assert np.mean(held) >= 0.75


def test_what_does_not_grow_has_no_exponent() -> None:
    flat = [planted(lambda _: 5.0, seed) for seed in range(20)]
    fits = [fit_power(series, resamples=50) for series in flat]
    # Noise alone leans up or down; what matters is that nothing certain is said of it.
    certain = [f for f in fits if f.exponent_band is not None and f.exponent_band.low > 0.05]
    assert len(certain) <= 4
    assert fit_power(Series.of([(1, 5), (2, 5), (4, 5)])).exponent is None


def test_more_noise_makes_wider_intervals() -> None:
    widths = []
    for noise in (0.01, 0.05, 0.2):
        band = fit_power(planted(lambda x: 1e-3 * x, 4, noise=noise)).exponent_band
        assert band is not None
        widths.append(band.high - band.low)
    assert widths == sorted(widths)


def test_a_curve_that_bends_as_no_power_does_is_less_certain_than_its_samples() -> None:
    wavy = planted(lambda x: 1e-3 * x * (1 + 0.2 * (-1) ** round(np.log2(x))), 1, noise=0.001)
    straight = planted(lambda x: 1e-3 * x, 1, noise=0.001)
    wide, narrow = (fit_power(series).exponent_band for series in (wavy, straight))
    assert wide is not None
    assert narrow is not None
    assert wide.high - wide.low > 5 * (narrow.high - narrow.low)


def test_a_new_sample_scatters_more_than_the_curve() -> None:
    fit = fit_power(planted(lambda x: 1e-3 * x, 3))
    of_curve, of_sample = fit.band_at(1e6), fit.band_at(1e6, new_sample=True)
    assert of_sample.high - of_sample.low > of_curve.high - of_curve.low
    assert of_curve.low < 1000 < of_curve.high


def test_two_sizes_are_too_few() -> None:
    with pytest.raises(ValueError, match="needs 3 sizes; there are 2"):
        fit_power(Series.of([(1, 1), (2, 2), (2, 3)]))


@pytest.mark.parametrize("bad", [(0, 1), (1, -1), (1, float("nan")), (float("inf"), 1)])
def test_values_no_curve_can_have_are_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="above zero"):
        Series.of([(1, 1), bad])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 3.0, 10.0, 500.0]), st.floats(1e-6, 1e6)),
        min_size=3,
        max_size=20,
    ).filter(lambda pairs: len({x for x, _ in pairs}) >= 3)
)
def test_any_series_is_fitted_by_a_curve_of_finite_values(pairs: list[tuple[float, float]]) -> None:
    fit = fit_power(Series.of(pairs), resamples=20)
    assert fit.a >= 0
    assert fit.b >= 0
    assert np.all(np.isfinite(fit.at(np.array([1.0, 500.0]))))
    assert np.all(np.isfinite(fit.resampled))


def test_the_fit_knows_no_unit() -> None:
    series = planted(lambda x: 4 + 1e-3 * x, 5)
    fit = fit_power(series)
    scaled = fit_power(Series(series.x * 1000, series.y / 1e9))
    assert scaled.exponent == pytest.approx(fit.exponent, abs=1e-6)
    assert scaled.at(4e7) == pytest.approx(fit.at(4e4) / 1e9)


def test_the_curve_is_what_it_says() -> None:
    np.testing.assert_allclose(curve(2, 3, 2, np.array([1.0, 2.0])), [5, 14])
