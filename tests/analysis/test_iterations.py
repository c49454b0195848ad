"""What is read from a curve whose answer is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.rows import MIB, MS, phase, row, spec
from treebench.analysis.cell_curve import cell_curve
from treebench.analysis.figures import figure_named
from treebench.analysis.sample import Missing
from treebench.errors import ConfigError
from treebench.store.row import SampleRow

TESTS = (0.60, 0.70, 0.80, 0.78)
VALIDATIONS = (0.65, 0.72, 0.75, 0.74)


def curve(**changed: Any) -> dict[str, Any]:
    points = [
        {
            "iteration": place + 1,
            "wall_ns": (place + 1) * 10 * MS,
            "test": {"auc": test, "logloss": 1 - test},
            "validation": {"auc": validation},
        }
        for place, (test, validation) in enumerate(zip(TESTS, VALIDATIONS, strict=True))
    ]
    known = {"metric": "auc", "n_iterations": 4, "iterations": points, "best_iteration": 3}
    return {**known, "missing": {}, **changed}


CUT_OFF: dict[str, Any] = {
    "iterations": [{"iteration": 4, "wall_ns": None, "test": {"auc": 0.78}, "validation": None}],
    "best_iteration": None,
    "missing": dict.fromkeys(("wall_ns", "validation", "best_iteration"), "the deadline came"),
}


def sample(**changed: Any) -> SampleRow:
    phases = {"construct": phase(5 * MS, MIB, MIB, MIB), "fit": phase(45 * MS, MIB, MIB, MIB)}
    return row(spec(rows=1000, features=10), phases=phases, curve=curve(**changed))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("best_iteration", 3),
        ("best_score", 0.80),
        ("best_validation", 0.75),
        ("best_time", 30 * MS),
        ("validation:auc", 0.74),
        ("time_to:auc>=0.75", 25 * MS),
        ("time_to:auc>=0.70", 20 * MS),
        ("time_to:auc>=0.5", 10 * MS),
        ("time_to:logloss<=0.25", 25 * MS),
        ("construct_time_to:auc>=0.75", 30 * MS),
    ],
)
def test_a_figure_of_the_curve(name: str, value: float) -> None:
    assert figure_named(name).of(sample()) == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "changed", "reason"),
    [
        ("time_to:auc>=0.9", {}, "auc never came to 0.9"),
        ("time_to:rmse<=1", {}, "no such score"),
        ("best_score", {"best_iteration": None, "missing": {"best_iteration": "none"}}, "none"),
        ("best_time", {"best_iteration": None}, "no reason was recorded"),
        ("validation:auc", CUT_OFF, "the deadline came"),
        ("time_to:auc>=0.5", CUT_OFF, "the deadline came"),
    ],
)
def test_a_figure_that_is_not_there_says_why(
    name: str, changed: dict[str, Any], reason: str
) -> None:
    found = figure_named(name).of(sample(**changed))
    assert isinstance(found, Missing)
    assert reason in found.reason


def test_without_times_there_is_no_time_to_a_score() -> None:
    points = [{**point, "wall_ns": None} for point in curve()["iterations"]]
    made = sample(iterations=points, missing={"wall_ns": "side by side"})
    for name in ("time_to:auc>=0.75", "best_time"):
        assert figure_named(name).of(made) == Missing("side by side")


def test_without_a_curve_the_key_to_write_is_named() -> None:
    bare = replace(sample(), curve=None)
    for name in ("best_iteration", "best_score", "time_to:auc>=0.75", "validation:auc"):
        found = figure_named(name).of(bare)
        assert isinstance(found, Missing)
        assert "curve: true" in found.reason


@pytest.mark.parametrize("text", ["auc>0.75", "auc", ">=0.75", "auc>=much", "auc >= 0.7 5"])
def test_what_is_no_score_to_reach(text: str) -> None:
    with pytest.raises(ConfigError, match=r"write it as auc>=0\.75"):
        figure_named(f"time_to:{text}")


def test_the_way_that_is_worse() -> None:
    assert figure_named("validation:auc").worse == "less"
    assert figure_named("validation:logloss").worse == "more"
    assert figure_named("time_to:auc>=0.75").worse == "more"


def test_a_cell_has_the_medians_of_its_samples() -> None:
    slow = [{**p, "wall_ns": p["wall_ns"] * 3} for p in curve()["iterations"]]
    found = cell_curve([sample(), sample(iterations=slow), sample()])
    assert found is not None
    assert [point.wall_ns for point in found.points] == [n * 10 * MS for n in (1, 2, 3, 4)]
    assert found.best is not None
    assert (found.best.iteration, found.best.test, found.best.validation) == (3, 0.80, 0.75)


def test_of_two_choices_the_lower_is_the_cell_s() -> None:
    found = cell_curve([sample(best_iteration=4), sample(best_iteration=2)])
    assert found is not None
    assert found.best_iteration == 2


def test_samples_without_a_curve_are_no_curve() -> None:
    assert cell_curve([replace(sample(), curve=None)]) is None


@pytest.mark.parametrize("cut_off_at", [0, 1])
def test_a_curve_that_was_cut_off_does_not_cut_the_others(cut_off_at: int) -> None:
    samples = [sample(), sample()]
    samples.insert(cut_off_at, sample(**CUT_OFF))
    found = cell_curve(samples)
    assert found is not None
    assert [point.test for point in found.points] == list(TESTS)
    assert found.best_iteration == 3
    assert found.missing == {}
