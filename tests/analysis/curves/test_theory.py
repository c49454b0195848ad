from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.analysis.curves.growing import hist, lightgbm
from tests.analysis.rows import EXACT, spec
from treebench.analysis.curves.steps import known_steps
from treebench.analysis.curves.theory import EXPONENT_AT, Expected, expected, verdict, way_of
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "1/n": lambda x: 1 / x,
    "constant": lambda _: 1.0,
    "log n": math.log,
    "sqrt n": math.sqrt,
    "n": lambda x: x,
    "n log n": lambda x: x * math.log(x),
    "n log^2 n": lambda x: x * math.log(x) ** 2,
    "2^n": lambda x: 2**x,
}


@pytest.mark.parametrize("shape", EXPONENT_AT)
def test_the_exponent_of_a_shape_is_its_slope_in_logarithms(shape: str) -> None:
    f, x, step = FUNCTIONS[shape], 20.0, 1.0001
    slope = math.log(f(x * step) / f(x / step)) / math.log(step**2)
    assert EXPONENT_AT[shape](x) == pytest.approx(slope, rel=1e-4, abs=1e-9)


def test_shapes_give_a_range_in_the_middle_of_the_sizes() -> None:
    low, high = Expected(("n", "n log n"), "", "").exponents(10_000, 1_000_000)
    assert low == 1
    assert high == pytest.approx(1 + 1 / math.log(100_000))


def test_pre_sorted_trees_sort_once_and_histograms_are_linear() -> None:
    exact = expected(spec("xgboost", EXACT), "fit_time", "rows")
    assert exact is not None
    assert exact.shapes == ("n", "n log n")
    for cell in (hist(), lightgbm()):
        linear = expected(cell, "fit_time", "rows")
        assert linear is not None
        assert linear.shapes == ("n",)


def test_a_forest_that_draws_features_may_grow_as_their_root() -> None:
    found = expected(spec("sklearn-forest"), "fit_time", "features")
    assert found is not None
    assert found.shapes == ("sqrt n", "n")


@pytest.mark.parametrize("figure", ["latency:1:p50", "predict_time"])
def test_families_of_figures_are_known_by_their_first_words(figure: str) -> None:
    found = expected(hist(), figure, "n_estimators")
    assert found is not None
    assert found.shapes == ("n",)
    assert expected(hist(), "score:auc", "rows") is None
    assert expected(hist(), "counter:fit:instructions", "rows") is not None
    assert expected(hist(), "counter:predict:instructions", "rows") is None


@pytest.mark.parametrize("trainer", TRAINERS)
def test_every_trainer_has_its_time_and_memory_against_rows(trainer: str) -> None:
    for figure in ("construct_fit_time", "peak_memory"):
        found = expected(spec(trainer), figure, "rows")
        assert found is not None
        assert found.source


def test_ways() -> None:
    assert way_of(spec("xgboost", EXACT)) == "presorted"
    assert way_of(hist(method="approx")) == "approx"
    assert way_of(spec("dask-lightgbm", {})) == "histogram"
    assert way_of(spec("loky-forest-memmap", {})) == "forest"
    assert way_of(spec("sklearn-tree", {})) == "sorting"


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.9, 1.05, "as expected"), (1.11, 1.3, "steeper"), (0.5, 0.99, "gentler")],
)
def test_an_interval_that_meets_the_range_is_as_expected(
    low: float, high: float, said: str
) -> None:
    assert verdict((1.0, 1.1), low, high) == said


def test_known_steps_lie_where_the_libraries_put_them() -> None:
    (sampling,) = known_steps(lightgbm(), "rows")
    assert sampling.lies_between(200_000, 260_000)
    assert not sampling.lies_between(100_000, 200_000)
    (stated,) = known_steps(lightgbm(extra={"bin_construct_sample_cnt": 50_000}), "rows")
    assert stated.lies_between(50_000, 80_000)
    (boosting,) = known_steps(spec("sklearn-hist-gbdt", {}), "rows")
    assert boosting.first == 200_001
    assert known_steps(spec("xgboost", EXACT), "rows") == []


def test_bins_take_two_bytes_from_257_on() -> None:
    for cell in (lightgbm(), hist()):
        (step,) = known_steps(cell, "max_bin")
        assert step.lies_between(256, 257)
        assert not step.lies_between(255, 256)
    assert known_steps(replace(hist(), layout="csr"), "max_bin") == []
