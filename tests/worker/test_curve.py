"""The curve of a trial: which iterations, when they ended, and which was best."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from tests.worker.test_phases import PHASES, OpenStage, trial, write
from treebench.analysis.scores import main_score as shown_first
from treebench.worker.clock import IterationClock
from treebench.worker.curve import CUT_OFF, MOST_ITERATIONS, Curve, main_score, spaced
from treebench.worker.phases import run_trial

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.worker.protocol import Trial


def told(one: Trial) -> dict[str, Any]:
    stage = OpenStage()
    answer = run_trial(one, cast("Any", stage))
    assert stage.seen == [*PHASES, *(["curve"] if answer["curve"] is not None else [])]
    return answer


def validated(one: Trial, folder: Path, *, curve: bool = True, shuffled: bool = False) -> Trial:
    path = write(folder / "validation.parquet", "binary", 3, shuffled)
    return dataclasses.replace(one, curve=curve, validation_path=path)


@pytest.mark.parametrize(
    ("n_iterations", "most", "chosen"),
    [
        (3, 60, [1, 2, 3]),
        (60, 60, [*range(1, 61)]),
        (10, 4, [2, 5, 8, 10]),
        (1, 60, [1]),
        (1000, 4, [250, 500, 750, 1000]),
    ],
)
def test_iterations_are_evenly_spaced_up_to_the_last(
    n_iterations: int, most: int, chosen: list[int]
) -> None:
    assert spaced(n_iterations, most) == chosen


def test_never_more_than_sixty_and_never_one_twice() -> None:
    for n_iterations in range(1, 400):
        found = spaced(n_iterations, MOST_ITERATIONS)
        assert len(found) == min(n_iterations, 60)
        assert found == sorted(set(found))
        assert found[-1] == n_iterations


def test_the_clock_counts_from_the_start_of_the_fit() -> None:
    ticks = iter([100, 130, 190])
    clock = IterationClock(lambda: next(ticks))
    clock.start()
    clock()
    clock()
    assert clock.walls_ns == [30, 90]


@pytest.mark.parametrize("name", ["xgboost", "lightgbm", "sklearn-hist-gbdt"])
def test_a_curve_ends_at_the_model_s_own_score(name: str, tmp_path: Path) -> None:
    answer = told(validated(trial(name, "binary", "dense-c", tmp_path), tmp_path))
    curve = answer["curve"]
    points = curve["iterations"]
    # LightGBM stops where no leaf can be split: its curve has the iterations that it kept.
    n_trees = answer["model"]["n_trees"]
    assert (n_trees < 60) == (name == "lightgbm")
    assert (curve["metric"], curve["n_iterations"]) == ("auc", n_trees)
    assert [point["iteration"] for point in points] == [*range(1, n_trees + 1)]
    assert points[-1]["test"] == pytest.approx(answer["score"])
    walls = [point["wall_ns"] for point in points]
    assert walls == sorted(walls)
    assert walls[0] > 0
    # The first column alone decides, so that a single tree knows all there is to know.
    assert points[0]["validation"]["auc"] == pytest.approx(1.0)
    assert curve["best_iteration"] == 1
    assert curve["missing"] == {}
    assert answer["differing_params"] == {}


def test_without_a_validation_part_nothing_is_best(tmp_path: Path) -> None:
    one = dataclasses.replace(trial("lightgbm", "binary", "dense-c", tmp_path), curve=True)
    curve = told(one)["curve"]
    assert curve["best_iteration"] is None
    assert curve["missing"]["best_iteration"].startswith("there is no validation part")
    assert {point["validation"] for point in curve["iterations"]} == {None}


def test_a_validation_part_alone_is_scored_at_the_last_iteration(tmp_path: Path) -> None:
    one = validated(trial("xgboost", "binary", "dense-c", tmp_path), tmp_path, curve=False)
    curve = told(one)["curve"]
    assert [point["iteration"] for point in curve["iterations"]] == [60]
    assert curve["iterations"][0]["validation"]["auc"] == pytest.approx(1.0)
    assert curve["iterations"][0]["wall_ns"] is None
    assert "curve: true was not asked for" in curve["missing"]["iterations"]
    assert curve["best_iteration"] is None


@pytest.mark.parametrize("validated_too", [False, True])
def test_what_is_known_is_said_before_the_iterations_are_scored(
    validated_too: bool, tmp_path: Path
) -> None:
    one = dataclasses.replace(trial("xgboost", "binary", "dense-c", tmp_path), curve=True)
    stage = OpenStage()
    answer = run_trial(validated(one, tmp_path) if validated_too else one, cast("Any", stage))
    ((seen, known),) = stage.said
    assert seen == PHASES
    assert known == {"say": "known", **answer, "curve": known["curve"]}
    assert known["curve"]["iterations"] == [
        {"iteration": 60, "wall_ns": None, "validation": None, "test": answer["score"]}
    ]
    assert known["curve"]["metric"] == answer["curve"]["metric"]
    assert known["curve"]["missing"]["iterations"] == CUT_OFF
    why = known["curve"]["missing"]["validation"]
    assert (why == CUT_OFF) == validated_too
    assert why == known["curve"]["missing"]["best_iteration"]


def test_nothing_is_said_where_no_curve_is_wanted(tmp_path: Path) -> None:
    stage = OpenStage()
    run_trial(trial("xgboost", "binary", "dense-c", tmp_path), cast("Any", stage))
    assert stage.said == []


def test_one_tree_has_its_last_point_and_says_why(tmp_path: Path) -> None:
    curve = told(validated(trial("sklearn-tree", "binary", "dense-c", tmp_path), tmp_path))["curve"]
    assert [point["iteration"] for point in curve["iterations"]] == [1]
    assert curve["missing"]["iterations"].startswith("it is one tree")
    assert curve["missing"]["wall_ns"] == "it is one tree"


def test_a_forest_has_scores_by_tree_and_no_times(tmp_path: Path) -> None:
    one = validated(trial("sklearn-forest", "binary", "dense-c", tmp_path), tmp_path)
    curve = told(one)["curve"]
    assert len(curve["iterations"]) == 60
    assert {point["wall_ns"] for point in curve["iterations"]} == {None}
    assert "side by side" in curve["missing"]["wall_ns"]


def test_rows_that_stay_in_their_file_have_the_same_curve(tmp_path: Path) -> None:
    whole = validated(trial("xgboost", "binary", "dense-c", tmp_path), tmp_path)
    native = {**whole.native, "container": "QuantileDMatrix from DataIter"}
    streamed = dataclasses.replace(whole, native=native, warm_up_native=native, streamed=True)
    stage = OpenStage()
    curve = run_trial(streamed, cast("Any", stage))["curve"]
    assert curve["n_iterations"] == 60
    for point, other in zip(curve["iterations"], told(whole)["curve"]["iterations"], strict=True):
        assert point["test"] == pytest.approx(other["test"], abs=1e-6)


def test_clocks_that_are_not_as_many_as_iterations_are_no_times(tmp_path: Path) -> None:
    class Trainer:
        stages = True

        def iterations(self, model: Any) -> int:
            return 2

        def staged(self, model: Any, X: Any, problem: Any, iterations: list[int]) -> Any:
            return (np.asarray(X[:, 0] > 0.1 * one, np.float32) for one in iterations)

        def predict(self, model: Any, X: Any, problem: Any) -> Any:
            return np.asarray(X[:, 0], np.float32)

    from treebench.data.matrix import Part
    from treebench.trainers.base import Problem

    one = dataclasses.replace(trial("lightgbm", "binary", "dense-c", tmp_path), curve=True)
    X = np.random.default_rng(0).random((20, 1)).astype(np.float32)
    test = Part(X, (X[:, 0] > 0.5).astype(np.float32), "dense-c", {})
    clock = IterationClock(lambda: 1)
    clock.start()
    clock()
    problem = Problem("binary", 20, 1, 2, "dense-c")
    curve = Curve(one, cast("Any", Trainer()), problem, clock).of(None, test)
    assert [point["wall_ns"] for point in curve["iterations"]] == [None, None]
    assert "said 1 times" in curve["missing"]["wall_ns"]
    assert "the model has 2" in curve["missing"]["wall_ns"]


@pytest.mark.parametrize(
    "names",
    [("logloss", "accuracy", "auc"), ("logloss", "accuracy"), ("rmse", "mae", "r2"), ("rmse",)],
)
def test_the_main_score_is_the_one_that_tables_show(names: tuple[str, ...]) -> None:
    assert main_score(dict.fromkeys(names, 0.5)) == shown_first(names)
