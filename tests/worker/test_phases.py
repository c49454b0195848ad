"""A whole trial on data whose answer is known, in this process and with a stage that waits for
nobody."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from tests.data.made_parquet import made_facts, write_table
from tests.trainers.problems import IN_ONE_GO
from treebench.data.manifest import Layout, Task
from treebench.errors import ConfigError
from treebench.trainers.base import Problem
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Unsupported, resolve
from treebench.worker.phases import run_trial, threads_seen
from treebench.worker.protocol import Trial

PHASES = ["import", "load", "convert", "construct", "fit", "load_test", "predict", "save"]
ROWS = 400


class OpenStage:
    """A stage without a supervisor."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.said: list[tuple[list[str], dict[str, Any]]] = []

    def say(self, message: dict[str, Any]) -> None:
        self.said.append(([*self.seen], message))

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        self.seen.append(phase)
        yield


def answers(task: Task, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Labels that the first column decides, with a gap about each threshold."""
    if task == "binary":
        y = x > 0.5
    elif task == "multiclass":
        y = np.floor(x * 3)
    else:
        y = np.where(x > 0.5, 7.0, -2.0)
    return y.astype(np.float32)


def write(path: Path, task: Task, seed: int, shuffled: bool) -> str:
    rng = np.random.default_rng(seed)
    X = rng.random((ROWS, 3), dtype=np.float32)
    # Only the middles of twelfths: no test value lies between two training values and a threshold.
    X[:, 0] = (rng.integers(0, 12, ROWS) + 0.5) / 12
    y = answers(task, X[:, 0])
    write_part(path, X, rng.permutation(y) if shuffled else y)
    return str(path)


def write_part(path: Path, X: NDArray[np.float32], y: NDArray[np.float32]) -> None:
    fields = [
        pa.field(name, pa.float32(), nullable=False) for name in ("a", "b", "c", "__target__")
    ]
    columns = [*X.T, y]
    arrays = [pa.array(np.ascontiguousarray(column)) for column in columns]
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    write_table(path, table, made_facts("wide", X), group_rows=150, compression="none")


def with_a_category(path: Path) -> None:
    """Make the last feature of a written part a category of one code."""
    rng = np.random.default_rng(3)
    X = rng.random((ROWS, 3), dtype=np.float32)
    X[:, 2] = 0
    y = answers("binary", X[:, 0])
    write_part(path, X, y)


def trial(
    name: str,
    task: Task,
    layout: Layout,
    folder: Path,
    shuffled: bool = False,
    latency: bool = False,
) -> Trial:
    n_classes = {"binary": 2, "multiclass": 3, "regression": 0}[task]
    problem = Problem(task, ROWS, 3, n_classes, layout)
    params = Params(n_estimators=60, learning_rate=0.3, max_leaves=8, threads=1)
    planned = resolve(TRAINERS[name], params, problem)
    if isinstance(planned, Unsupported):
        pytest.skip(planned.reason)
    return Trial(
        trainer=name,
        native=planned.native,
        warm_up_native=planned.native,
        problem=asdict(problem),
        train_path=write(folder / "train.parquet", task, 1, shuffled),
        test_path=write(folder / "test.parquet", task, 2, shuffled),
        features=3,
        latency=latency,
    )


@pytest.mark.parametrize("layout", ["dense-c", "csr"])
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("name", sorted(IN_ONE_GO))
def test_a_known_answer_is_found_and_scored_as_such(
    name: str, task: Task, layout: Layout, tmp_path: Path
) -> None:
    stage = OpenStage()
    told = run_trial(trial(name, task, layout, tmp_path), cast("Any", stage))
    assert stage.seen == PHASES
    score = told["score"]
    if task == "binary":
        assert score["auc"] == pytest.approx(1.0)
        assert score["accuracy"] == 1.0
    elif task == "multiclass":
        assert score["accuracy"] == 1.0
    else:
        assert score["rmse"] < 0.05
        assert score["r2"] > 0.999
    assert told["differing_params"] == {}
    assert told["model"]["n_leaves"] >= told["model"]["n_trees"]
    if layout == "dense-c":
        assert told["data_bytes"] == ROWS * 3 * 4


def test_a_file_of_other_rows_is_refused(tmp_path: Path) -> None:
    one = trial("lightgbm", "binary", "dense-c", tmp_path)
    assert one.problem is not None
    problem = {**one.problem, "n_rows": ROWS - 1}
    with pytest.raises(
        ValueError, match=r"train.parquet holds 400 rows, not 399; delete its folde"
    ):
        run_trial(dataclasses.replace(one, problem=problem), cast("Any", OpenStage()))


def test_labels_that_nothing_explains_score_as_a_coin(tmp_path: Path) -> None:
    one = trial("lightgbm", "binary", "dense-c", tmp_path, shuffled=True)
    told = run_trial(one, cast("Any", OpenStage()))
    assert told["score"]["auc"] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("layout", ["dense-c", "dense-f", "csr", "csc"])
@pytest.mark.parametrize("name", sorted(IN_ONE_GO))
def test_latency_is_taken_after_all_that_is_judged(
    name: str, layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treebench.worker.latency.MOST_CALLS", 5)
    stage = OpenStage()
    told = run_trial(trial(name, "binary", layout, tmp_path, latency=True), cast("Any", stage))
    assert stage.seen == [*PHASES, "latency"]
    assert {batch: each["repeats"] for batch, each in told["latency"].items()} == {
        "1": 5,
        "100": 5,
        "10000": 0,
        "all": 5,
    }
    assert 0 < told["latency"]["1"]["p50_ns"] < 10**10


def test_unknown_names_are_refused_before_any_data_is_read(tmp_path: Path) -> None:
    one = trial("xgboost", "binary", "dense-c", tmp_path)
    one.native["no_such_name"] = 1
    stage = OpenStage()
    with pytest.raises(ConfigError, match="no_such_name"):
        run_trial(one, cast("Any", stage))
    assert stage.seen == ["import"]


IMPORTS = """
import sys
from contextlib import contextmanager
from treebench.worker.phases import run_trial, threads_seen
from treebench.worker.protocol import Trial

@contextmanager
def stage(phase):
    before = set(sys.modules)
    yield
    if phase != "import":
        print(*(f"{phase}:{name}" for name in sorted(set(sys.modules) - before)))

run_trial(Trial.from_line(sys.stdin.buffer.read()), stage)
"""


@pytest.mark.parametrize("name", sorted(IN_ONE_GO))
def test_nothing_is_imported_within_a_judged_phase(name: str, tmp_path: Path) -> None:
    plain = trial(name, "binary", "dense-c", tmp_path)
    one = dataclasses.replace(plain, onehot=True, cardinalities={2: 1}, features=3)
    for path in (one.train_path, one.test_path):
        with_a_category(Path(str(path)))
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], input=one.to_line(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.split() == []


def test_of_two_pools_with_one_file_name_the_larger_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = [("/a/libgomp.so.1", 1), ("/b/libgomp.so.1", 4), ("/c/libgomp.so.1", 2)]
    pools = [{"filepath": path, "num_threads": threads} for path, threads in found]
    monkeypatch.setattr("threadpoolctl.threadpool_info", lambda: pools)
    assert threads_seen() == {"libgomp.so.1": 4}
