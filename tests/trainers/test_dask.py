"""Training on Dask clusters for real; what needs none is in test_dask_plan."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import pytest

from tests.processes import runs
from tests.trainers.dask_runs import TWINS, Run, accuracy_or_r2, run, sorted_files, write_rows
from tests.trainers.problems import TASKS, small, table
from treebench.data.manifest import LAYOUTS
from treebench.errors import DataError
from treebench.trainers.child_processes import WorkerLostError
from treebench.trainers.dask_cluster import DaskCluster
from treebench.trainers.dask_jobs import Jobs
from treebench.trainers.effective import differences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from treebench.data.manifest import Layout, Task

SET_BY_NANNIES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED")
TWO_JOBS = {"threads": 2, "n_jobs": 2}


@pytest.fixture(autouse=True)
def _nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever becomes of a cluster, its processes and files are gone, and this process's
    environment is what it was."""
    monkeypatch.setenv("DASK_TEMPORARY_DIRECTORY", str(tmp_path))
    before = {name: os.environ.get(name) for name in SET_BY_NANNIES}
    yield
    assert dask_processes() == []
    assert list(tmp_path.glob("treebench-dask-*")) == []
    assert {name: os.environ.get(name) for name in SET_BY_NANNIES} == before


def dask_processes() -> list[psutil.Process]:
    found = []
    for child in filter(runs, psutil.Process().children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            found += [child] if "spawn_main" in " ".join(child.cmdline()) else []
    return found


def check_scores(name: str, task: Task, layout: Layout, folder: Path, **stated: Any) -> Run:
    """Trained on sorted data, the distributed model is as good as its twin in one process."""
    files = sorted_files(folder, task)
    params = small(n_estimators=20, max_leaves=30, learning_rate=0.3, **TWO_JOBS, **stated)
    ours = run(name, params, files, task, layout)
    twin = run(TWINS[name], params, files, task, layout)
    # 0.01 is what another seed makes, too, on 12,000 rows.
    assert accuracy_or_r2(ours, task) == pytest.approx(accuracy_or_r2(twin, task), abs=0.01)
    assert ours.predicted.shape == twin.predicted.shape
    assert ours.trainer.shape(ours.model).n_trees == twin.trainer.shape(twin.model).n_trees
    check_record(ours)
    return ours


def check_record(ours: Run) -> None:
    """What the model tells of itself is what was asked for, and ready for JSON."""
    effective = ours.trainer.effective(ours.model)
    assert set(ours.native) <= set(effective), "the model tells all that was asked for"
    assert differences(ours.native, effective) == {}
    parallel = ours.trainer.ran_parallel(ours.model)
    assert parallel is not None
    assert json.loads(json.dumps([effective, parallel], allow_nan=False)) == [effective, parallel]
    assert parallel["backends"] == {"fit": "dask", "predict": "threads"}
    assert (parallel["n_jobs"], parallel["threads_per_job"]) == (2, 1)
    assert parallel["worker_restarts"] == 0
    assert parallel["workers_cpu_ns"] > 10**8
    assert len(ours.trainer.dump(ours.model)) > 1000


@pytest.mark.parametrize(
    "name",
    [
        # One whose workers train alone; below, one whose workers train together.
        "dask-forest",
        pytest.param("dask-xgboost", marks=pytest.mark.slow),
        pytest.param("dask-joblib-forest", marks=pytest.mark.slow),
        pytest.param("dask-lightgbm", marks=pytest.mark.slow),
    ],
)
def test_sorted_data_is_learned_as_in_one_process(name: str, tmp_path: Path) -> None:
    ours = check_scores(name, "binary", "dense-c", tmp_path)
    parallel = ours.trainer.ran_parallel(ours.model)
    assert parallel is not None
    data_bytes = ours.train.data_bytes
    if ours.trainer.streams(ours.native):
        # The rows pass neither through the client nor through the scheduler. The model does.
        assert parallel["shard_rows"] == [6000, 6000]
        assert parallel["client_bytes"]["construct"] < data_bytes / 2
        saved = len(ours.trainer.dump(ours.model))
        assert parallel["client_bytes"]["fit"] < data_bytes / 2 + 4 * saved
    else:
        assert parallel["client_bytes"]["construct"] < data_bytes / 2
        assert parallel["client_bytes"]["fit"] > 2 * data_bytes


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_task_and_layout(name: str, task: Task, layout: Layout, tmp_path: Path) -> None:
    check_scores(name, task, layout, tmp_path)


KILLED = [
    # A forest's worker dies alone; a booster's leaves the others waiting for it.
    pytest.param("dask-forest", id="dask-forest"),
    *(
        pytest.param(name, id=name, marks=pytest.mark.slow)
        for name in ("dask-joblib-forest", "dask-xgboost", "dask-lightgbm")
    ),
]


@pytest.mark.parametrize("name", KILLED)
def test_a_worker_that_is_killed_in_fit_is_an_error_at_once(name: str, tmp_path: Path) -> None:
    """GIVEN a fit of minutes WHEN a worker gets SIGKILL THEN it fails within seconds."""
    killed: list[float] = []
    killer = threading.Timer(3, lambda: killed.append(kill_one()))

    files = sorted_files(tmp_path, "binary", 40_000)
    long = small(n_estimators=20_000, max_leaves=4000, **TWO_JOBS)
    try:
        with pytest.raises(WorkerLostError, match=r"\(2 workers\) was ended by SIGKILL while"):
            run(name, long, files, before_fit=lambda _: killer.start())
    finally:
        killer.cancel()
    # Most of it is the closing of the cluster, on a busy machine.
    assert time.monotonic() - killed[0] < 200


def kill_one() -> float:
    """Kill a worker, and tell when."""
    dask_processes()[0].send_signal(signal.SIGKILL)
    return time.monotonic()


@pytest.mark.slow
def test_a_shard_without_a_class_is_named(tmp_path: Path) -> None:
    """GIVEN a class of one row THEN the shard that has it not says so."""
    X = table(3000)
    y = (X[:, 0] > 0).astype(np.float32)
    y[17] = 2
    path = write_rows(tmp_path / "train.parquet", X, y)
    with pytest.raises(
        DataError, match=r"shard \d of 2 has no row of class 2, .* has 1; lower n_j"
    ):
        run("dask-forest", small(**TWO_JOBS), (path, path), "multiclass")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dask-xgboost", "dask-lightgbm"])
def test_native_categories_reach_the_workers(name: str, tmp_path: Path) -> None:
    """GIVEN labels that are a set of categories THEN one split on categories finds them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 3)).astype(np.float32)
    X[:, 1] = random.integers(0, 8, 6000)
    y = np.isin(X[:, 1], [1, 4, 6]).astype(np.float32)
    path = write_rows(tmp_path / "train.parquet", X, y)
    stump = small(n_estimators=30, max_leaves=2, learning_rate=0.5, **TWO_JOBS)
    native = dataclasses.replace(stump, categorical="native")
    found = run(name, native, (path, path), cardinalities={1: 8})
    assert accuracy_or_r2(found, "binary") == 1
    check_record(found)


@pytest.mark.slow
def test_a_single_job_is_a_cluster_of_one(tmp_path: Path) -> None:
    files = sorted_files(tmp_path, "binary", 3000)
    for name in TWINS:
        ours = run(name, small(n_estimators=5, threads=2, n_jobs=1), files)
        effective = ours.trainer.effective(ours.model)
        assert differences(ours.native, effective) == {}
        assert (effective["workers"], effective["threads_per_worker"]) == (1, 2)
        assert accuracy_or_r2(ours, "binary") > 0.7


@pytest.mark.slow
def test_the_trees_of_a_scattered_forest_are_those_of_one_process(tmp_path: Path) -> None:
    files = sorted_files(tmp_path, "binary", 3000)
    both = ("dask-joblib-forest", "sklearn-forest")
    ours, twin = (run(name, small(**TWO_JOBS, seed=5), files) for name in both)
    np.testing.assert_array_equal(ours.predicted, twin.predicted)


def test_workers_have_the_allocator_settings_and_threads_of_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIVEN a setting of our own THEN workers have it, and none of Dask's; nobody listens beyond
    this machine."""
    monkeypatch.setenv("MALLOC_ARENA_MAX", "3")
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    cluster = DaskCluster(Jobs(workers=2, threads_per_worker=1, threads=2))
    try:
        environments = cluster.client.run(lambda: dict(os.environ)).values()
        assert len(environments) == 2
        assert {environment["OMP_NUM_THREADS"] for environment in environments} == {"1"}
        listening = [
            connection.laddr.ip
            for process in (psutil.Process(), *dask_processes())
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert len(listening) >= 5
        assert set(listening) == {"127.0.0.1"}
    finally:
        cluster.close()
    assert cluster.facts()["allocator"] == {"MALLOC_ARENA_MAX": "3"}
