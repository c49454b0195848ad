"""A small copy differs from its cell in size and threads, and in nothing else."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from treebench.errors import ConfigError
from treebench.plan.build import PlannedCell, control_cell
from treebench.plan.cell import CellSpec
from treebench.plan.reduce import FEWEST_ROWS, reduced
from treebench.trainers.base import Problem
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Planned, resolve

TRIALS: list[tuple[str, dict[str, Any]]] = [
    ("xgboost", {"method": "exact", "max_leaves": 20}),
    ("xgboost", {"method": "hist", "container": "dmatrix", "max_bin": 63}),
    ("xgboost", {"method": "approx", "reg_lambda": 2.0}),
    ("lightgbm", {"histogram": "col-wise", "boosting": "goss"}),
    ("sklearn-hist-gbdt", {"max_depth": 4}),
    ("sklearn-gbdt", {"learning_rate": 0.3}),
    ("sklearn-forest", {"max_leaves": 9}),
    ("sklearn-tree", {"max_depth": 5}),
]


def planned(
    trainer: str, params: dict[str, Any], rows: int = 20_000, threads: int = 2
) -> PlannedCell:
    problem = Problem("binary", rows, 5, 2, "dense-c")
    resolved = resolve(TRAINERS[trainer], Params(**params, threads=threads), problem)
    assert isinstance(resolved, Planned)
    spec = CellSpec("toy", "0" * 64, rows, 5, "dense-c", trainer, resolved.params, {}, threads)
    return PlannedCell(spec, problem, resolved.native)


@pytest.mark.parametrize(("trainer", "params"), TRIALS)
def test_at_full_size_the_library_is_told_the_same(trainer: str, params: dict[str, Any]) -> None:
    cell = planned(trainer, params, threads=1)
    copy = reduced(cell, 1, 1).cell
    assert copy.native == cell.native
    assert copy.spec == cell.spec


@pytest.mark.parametrize(("trainer", "params"), TRIALS)
def test_only_size_and_threads_differ(trainer: str, params: dict[str, Any]) -> None:
    cell = planned(trainer, params)
    copy, size = (made := reduced(cell, 0.1, 0.05)).cell, made.size
    same = {name: value for name, value in cell.spec.params.items() if name != "n_estimators"}
    assert {n: v for n, v in copy.spec.params.items() if n != "n_estimators"} == same
    assert (copy.spec.rows, copy.spec.threads) == (size["rows"], size["threads"]) == (2000, 1)
    if trainer != "sklearn-tree":
        assert copy.spec.params["n_estimators"] == size["n_estimators"] == 5
    assert copy.problem == dataclasses.replace(_problem(cell), n_rows=2000)
    assert size["rows_share"] == 0.1


def test_a_small_cell_is_not_made_tiny() -> None:
    assert reduced(planned("lightgbm", {}, rows=1000), 0.01, 0.1).size["rows"] == FEWEST_ROWS
    assert reduced(planned("lightgbm", {}, rows=300), 0.01, 0.1).size["rows"] == 300


def test_a_memory_limit_is_not_the_simulators() -> None:
    cell = planned("lightgbm", {})
    limited = dataclasses.replace(
        cell, spec=dataclasses.replace(cell.spec, memory_limit_bytes=2**20)
    )
    assert reduced(limited, 0.1, 0.1).cell == reduced(cell, 0.1, 0.1).cell


def test_a_cell_that_cannot_be_small_is_said_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cell = planned("lightgbm", {})
    monkeypatch.setattr(
        type(TRAINERS["lightgbm"]), "unsupported", lambda *_: "it wants 10,000 rows"
    )
    with pytest.raises(ConfigError) as raised:
        reduced(cell, 0.1, 0.1)
    assert raised.value.problems == (
        "simulation: lightgbm on toy cannot be simulated at 2,000 rows and 10 tree(s): it wants "
        "10,000 rows; raise simulation.rows or simulation.trees, or leave it out with --only",
    )


def test_the_control_cell_is_not_simulated() -> None:
    with pytest.raises(ValueError, match="control"):
        reduced(control_cell(1), 0.1, 0.1)


def _problem(cell: PlannedCell) -> Problem:
    assert cell.problem is not None
    return cell.problem
