"""Iteration by iteration: clocks that change nothing, and a model cut off is a smaller model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.trainers.problems import N_CLASSES, TASKS, labels, table
from treebench.data.matrix import Part
from treebench.trainers.base import Problem
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.sklearn_hist_gbdt import RoundsPrinted
from treebench.trainers.support import Planned, resolve

if TYPE_CHECKING:
    from treebench.data.manifest import Layout, Task
    from treebench.trainers.base import Trainer

ROUNDS, FEWER = 9, 4
CLOCKED = ("xgboost", "lightgbm", "sklearn-gbdt", "sklearn-hist-gbdt")
CONTAINERS = ("dmatrix", "quantile", "iterator", "external")


@dataclass(frozen=True)
class Ready:
    """A trainer with its data and parameters."""

    trainer: Trainer
    part: Part
    problem: Problem
    native: dict[str, Any]

    def model(self, clock: Any = None) -> Any:
        container = self.trainer.construct(self.part, self.native, self.problem)
        try:
            if clock is None:
                return self.trainer.fit(container, self.native, self.problem)
            return self.trainer.fit_with_clock(container, self.native, self.problem, clock)
        finally:
            self.trainer.finish(container)

    def predicted(self, model: Any) -> Any:
        return self.trainer.predict(model, self.part.X, self.problem)

    def staged(self, model: Any, iterations: list[int]) -> list[Any]:
        return [*self.trainer.staged(model, self.part.X, self.problem, iterations)]


def ready(
    name: str,
    task: Task = "binary",
    layout: Layout = "dense-c",
    rounds: int = ROUNDS,
    **stated: Any,
) -> Ready:
    from scipy import sparse

    X: Any = table(400, 4, zeros=0.3)
    y = labels(X, task)
    X = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}.get(layout, np.asarray)(X)
    problem = Problem(task, 400, 4, N_CLASSES[task], layout)
    params = Params(n_estimators=rounds, max_leaves=6, threads=1, **stated)
    planned = resolve(TRAINERS[name], params, problem)
    assert isinstance(planned, Planned), planned
    return Ready(TRAINERS[name], Part(X, y, layout, {}), problem, planned.native)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", CLOCKED)
def test_a_clock_is_called_once_an_iteration_and_changes_no_byte(name: str, task: Task) -> None:
    one, calls = ready(name, task), []
    model = one.model(lambda: calls.append(1))
    assert len(calls) == one.trainer.iterations(model) == ROUNDS
    assert one.trainer.dump(model) == one.trainer.dump(one.model())
    assert one.trainer.effective(model) == one.trainer.effective(one.model())


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_of_xgboost_has_a_clock(container: str) -> None:
    one, calls = ready("xgboost", container=container, method="hist"), []
    model = one.model(lambda: calls.append(1))
    assert len(calls) == ROUNDS
    assert one.trainer.dump(model) == one.trainer.dump(one.model())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("xgboost", "dense-c"),
        ("xgboost", "csr"),
        ("xgboost", "csc"),
        ("lightgbm", "dense-c"),
        ("lightgbm", "csc"),
        ("sklearn-gbdt", "csc"),
        ("sklearn-hist-gbdt", "dense-c"),
        ("sklearn-forest", "csc"),
    ],
)
def test_a_stage_predicts_as_a_model_of_so_many_iterations(
    name: str, layout: Layout, task: Task
) -> None:
    whole, small = ready(name, task, layout), ready(name, task, layout, rounds=FEWER)
    model = whole.model()
    first, fewer, last = whole.staged(model, [1, FEWER, ROUNDS])
    assert first.shape == last.shape
    np.testing.assert_allclose(last, whole.predicted(model), rtol=1e-6)
    np.testing.assert_allclose(fewer, small.predicted(small.model()), rtol=1e-6)
    assert not np.allclose(first, last)


@pytest.mark.parametrize(
    ("task", "extra"),
    [
        ("binary", {}),
        ("binary", {"objective": "binary:hinge"}),
        ("multiclass", {}),
        ("regression", {}),
        ("regression", {"objective": "reg:quantileerror", "quantile_alpha": 0.3}),
        ("regression", {"objective": "reg:pseudohubererror", "huber_slope": 2.0}),
    ],
)
def test_stages_of_xgboost_are_its_predictions_to_the_bit(
    task: Task, extra: dict[str, Any]
) -> None:
    plain = ready("xgboost", task, method="exact")
    one = Ready(plain.trainer, plain.part, plain.problem, {**plain.native, **extra})
    model = one.model()
    fewer, last = one.staged(model, [FEWER, ROUNDS])
    assert (last == one.predicted(model)).all()
    of_fewer = model.booster.inplace_predict(one.part.X, iteration_range=(0, FEWER))
    assert (fewer == of_fewer).all()


@pytest.mark.parametrize(
    "extra",
    [
        {"objective": "cross_entropy"},
        {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5},
        {"sigmoid": 2.0},
    ],
)
def test_lightgbm_models_whose_margins_do_not_add_up_plainly(extra: dict[str, Any]) -> None:
    one = ready("lightgbm")
    changed = Ready(one.trainer, one.part, one.problem, {**one.native, **extra})
    model = changed.model()
    fewer, last = changed.staged(model, [FEWER, ROUNDS])
    np.testing.assert_allclose(last, changed.predicted(model))
    np.testing.assert_allclose(fewer, model.predict(one.part.X, num_iteration=FEWER))


def test_iterations_that_lightgbm_drops_have_no_clock() -> None:
    one = ready("lightgbm")
    # Each of 400 rows in a leaf of at least 200: there is one split to make at most.
    few = Ready(one.trainer, one.part, one.problem, {**one.native, "min_data_in_leaf": 201})
    calls: list[int] = []
    model = few.model(lambda: calls.append(1))
    assert len(calls) in (0, few.trainer.iterations(model))
    assert len(calls) < ROUNDS


def test_what_cannot_be_cut_off_says_why() -> None:
    tree = TRAINERS["sklearn-tree"]
    problem = Problem("binary", 10, 2, 2, "dense-c")
    with pytest.raises(TypeError, match="by iteration: it is one tree"):
        tree.staged(None, np.zeros((2, 2), np.float32), problem, [1])
    with pytest.raises(TypeError, match="does not clock its iterations: it is one tree"):
        tree.fit_with_clock(None, {}, problem, lambda: None)
    assert not TRAINERS["dask-forest"].stages


@pytest.mark.parametrize("name", sorted(TRAINERS))
def test_a_trainer_that_clocks_also_stages(name: str) -> None:
    trainer = TRAINERS[name]
    assert trainer.stages or not trainer.clocks_iterations
    assert not (trainer.clocks_iterations and trainer.starts_processes)


def test_only_lines_of_rounds_are_counted() -> None:
    calls: list[int] = []
    out = RoundsPrinted(lambda: calls.append(1))
    print("Fitting gradient boosted rounds:", file=out)
    print("[1/2] ", end="", flush=True, file=out)
    assert calls == []
    print("1 tree, 6 leaves, max depth = 3, in 0.001s", file=out)
    assert calls == [1]
    print("[2/2] 1 tree", file=out)
    print("Fit 2 trees in 0.1 s [12 leaves]", file=out)
    assert len(calls) == 2


def test_the_last_stage_of_dart_is_its_prediction() -> None:
    import numpy as np
    import xgboost as xgb

    from treebench.trainers.xgboost_stages import staged_margins

    matrix = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)
    labels = (matrix[:, 0] + matrix[:, 1] > 0).astype(np.float32)
    settings = {"objective": "binary:logistic", "booster": "dart", "rate_drop": 0.5, "nthread": 1}
    booster = xgb.train(settings, xgb.DMatrix(matrix, labels, nthread=1), 12)
    *_, last = staged_margins(booster, matrix, [4, 8, 12])
    np.testing.assert_allclose(last, booster.inplace_predict(matrix), rtol=1e-6)
