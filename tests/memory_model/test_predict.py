"""Predictions: what adds up, what bounds, and what pilots change."""

from __future__ import annotations

import pytest

from tests.memory_model.workloads import BASELINE_BYTES, observed, workload
from treebench.errors import ConfigError
from treebench.memory_model.calibration import Calibration, calibrate
from treebench.memory_model.predict import BASELINE_TERM, predict, predict_time
from treebench.memory_model.reference import reference
from treebench.memory_model.terms import family_of


def test_terms_add_up_to_the_peak_and_the_bounds_lie_around_it() -> None:
    said = predict(workload())
    assert sum(said.terms.values()) == pytest.approx(said.mid_bytes, abs=len(said.terms))
    assert said.low_bytes < said.mid_bytes < said.high_bytes
    assert said.n_pilots == 0


def test_pilots_draw_the_coefficients_towards_what_they_held() -> None:
    large = workload(rows=4_000_000, features=60, max_bin=15)
    shipped = reference().families[family_of(large)].coefficients
    more = {name: 1.2 * shipped[name] for name in ("bins by row", "bins by column")}
    truth = {**shipped, **more}
    pilots = [workload(rows=rows, features=60, max_bin=15) for rows in (100_000, 400_000)]
    known = calibrate([observed(one, truth) for one in pilots])
    told = observed(large, truth).peak_bytes
    said = predict(large, known)
    assert said.basis == "calibrated"
    assert said.n_pilots == 2
    assert said.terms[BASELINE_TERM] == BASELINE_BYTES
    without = predict(large)
    # Apart from the baseline, which is the pilots' own.
    grown = without.mid_bytes - without.terms[BASELINE_TERM]
    assert grown < said.mid_bytes - BASELINE_BYTES < told - BASELINE_BYTES
    assert said.low_bytes < told < said.high_bytes


def test_a_share_of_leaves_that_hangs_on_the_data_is_learned_from_two_pilots() -> None:
    of = {"n_estimators": 100, "n_jobs": 2}
    pilots = [workload("sklearn-forest", rows, **of) for rows in (20_000, 100_000)]
    large = workload("sklearn-forest", 500_000, **of)
    known = calibrate([observed(one, {"trees without a limit": 0.6}) for one in pilots])
    told = observed(large, {"trees without a limit": 0.6}).peak_bytes
    assert predict(large, known).mid_bytes == pytest.approx(told, rel=0.05)


def test_the_further_from_what_was_measured_the_wider() -> None:
    known = calibrate([observed(workload(rows=10_000), {})])
    near, far = (predict(workload(rows=rows), known) for rows in (10_000, 10_000_000))
    assert near.high_bytes / near.mid_bytes < far.high_bytes / far.mid_bytes


def test_a_trainer_in_many_processes_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="memory of dask-forest is not modelled"):
        predict(workload("dask-forest"))


def test_time_is_known_from_pilots_of_the_same_family_alone() -> None:
    known = calibrate([observed(workload(rows=rows), {}, rows / 1e5) for rows in (10_000, 80_000)])
    assert predict_time(workload(), None) is None
    assert predict_time(workload(), Calibration()) is None
    assert predict_time(workload("lightgbm"), known) is None
    low, mid, high = predict_time(workload(rows=400_000), known) or (0, 0, 0)
    assert low < mid < high
    assert mid == pytest.approx(5.0, rel=0.3)
