"""Forests on processes: the same trees, grown where the row says, from data come as it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.trainers.problems import labels, laid_out, planned, problem, table, train
from treebench.data.manifest import LAYOUTS, Layout
from treebench.data.matrix import Part
from treebench.measure.environment import ALLOCATOR_VARIABLES
from treebench.runner.caretaker_process import _POOL_FOLDER
from treebench.trainers.child_processes import allocator_settings
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS

NAMES = ("loky-forest-pickled", "loky-forest-memmap", "multiprocessing-forest")


class Watch:
    """What was seen of the processes below this one: by process, the files of the pool it maps."""

    def __init__(self) -> None:
        self.mapped: dict[int, set[str]] = {}
        self.pools: set[str] = set()


@contextmanager
def watching(folder: Path) -> Iterator[Watch]:
    watch, over = Watch(), threading.Event()

    def look() -> None:
        while not over.wait(0.005):
            watch.pools |= {one.name for one in folder.iterdir()}
            for child in psutil.Process().children(recursive=True):
                with suppress(OSError):
                    maps = Path(f"/proc/{child.pid}/maps").read_text().splitlines()
                    found = {line.split()[-1] for line in maps if str(folder) in line}
                    watch.mapped.setdefault(child.pid, set()).update(found)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()


def fitted(name: str, params: Params, X: Any, y: Any, layout: Layout) -> tuple[Any, Any]:
    """The model and what ran side by side."""
    trainer, of = TRAINERS[name], problem("binary", layout, *X.shape)
    native = planned(name, params, of).native
    trainer.import_library()
    container = trainer.construct(Part(X, y, layout, {}), native, of)
    try:
        model = trainer.fit(container, native, of)
    finally:
        trainer.finish(container)
    return model, trainer.ran_parallel(model)


def grows_for_loky(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        words = " ".join(process.cmdline())
        return "loky" in words and "tracker" not in words
    return False


POINTS = [
    pytest.param(
        name,
        layout,
        marks=() if (name, layout) in {("loky-forest-memmap", "csr")} else pytest.mark.slow,
    )
    for name in NAMES
    for layout in LAYOUTS
]


@pytest.mark.parametrize(("name", "layout"), POINTS)
def test_trees_are_those_of_threads_grown_in_processes_from_data_that_came_as_is_said(
    name: str, layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path))
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "123456")
    dense = table(100_000, 6, zeros=0.2)
    y, X = labels(dense, "binary"), laid_out(dense, layout)
    params = Params(n_estimators=6, max_depth=6, n_jobs=2, threads=1)
    threads, on_threads = fitted("sklearn-forest", params, X, y, layout)
    with watching(tmp_path) as watch:
        model, ran = fitted(name, params, X, y, layout)

    of = problem("binary", layout, *dense.shape)
    few = X[:500]
    np.testing.assert_allclose(
        TRAINERS[name].predict(model, few, of),
        TRAINERS["sklearn-forest"].predict(threads, few, of),
        rtol=0,
        atol=1e-12,
    )
    assert on_threads == {"backends": {"fit": "threads", "predict": "threads"}, "n_jobs": 2}
    assert ran["backends"] == {"fit": name.split("-")[0], "predict": "threads"}
    assert (ran["n_jobs"], ran["workers_started"], ran["workers_respawned"]) == (2, 2, 0)
    assert ran["workers_cpu_ns"] > 50_000_000
    assert ran["allocator"] == allocator_settings()
    assert ran["allocator"]["MALLOC_TRIM_THRESHOLD_"] == "123456"
    mapping = [pid for pid, files in watch.mapped.items() if files]
    if name == "loky-forest-pickled":
        assert ran["memmapped_bytes"] == 0
        assert mapping == []
    else:
        held = dense.nbytes if layout[:5] == "dense" else 2 * dense.nbytes * 0.8
        assert ran["memmapped_bytes"] == pytest.approx(held, rel=0.01)
        assert len(mapping) == 2
    # Nothing is left, and whoever cleans up after a kill can tell whose pool it was.
    assert list(tmp_path.iterdir()) == []
    (owner,) = {_POOL_FOLDER.match(pool)[1] for pool in watch.pools}  # type: ignore[index]
    assert int(owner) == os.getpid()
    assert not any(map(grows_for_loky, psutil.Process().children(recursive=True)))


@pytest.mark.parametrize("name", NAMES)
def test_one_job_starts_no_process_and_says_so(name: str) -> None:
    X = table(300)
    trained = train(name, Params(n_estimators=3, threads=1), X, labels(X, "binary"))
    ran = trained.trainer.ran_parallel(trained.model)
    assert ran is not None
    assert ran["backends"] == {"fit": "sequential", "predict": "sequential"}
    assert (ran["workers_started"], ran["memmapped_bytes"]) == (0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_warming_up_starts_no_process(name: str, tmp_path: Path) -> None:
    X = table(64, 4)
    of = problem(n_rows=64, n_features=4)
    native = planned(name, Params(n_estimators=1, n_jobs=2), of).native
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    TRAINERS[name].import_library()
    with watching(tmp_path) as watch:
        TRAINERS[name].warm_up(Part(X, labels(X, "binary"), "dense-c", {}), native, of)
    assert set(watch.mapped) <= before


def test_every_setting_of_an_allocator_that_a_row_knows_is_told_of_the_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ALLOCATOR_VARIABLES:
        # Not set for the process itself: these take effect in its children.
        monkeypatch.setenv(name, "")
    assert set(allocator_settings()) >= set(ALLOCATOR_VARIABLES)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("multiprocessing-forest", "WorkerLostError"),
        pytest.param("loky-forest-memmap", "TerminatedWorkerError", marks=pytest.mark.slow),
    ],
)
def test_a_killed_process_ends_the_fit(name: str, error: str) -> None:
    X, over = table(60_000, 10), threading.Event()
    params = Params(n_estimators=3000, n_jobs=2, threads=1)
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    # loky's processes import scikit-learn first, which is not what is to be interrupted.
    least_cpu_s = 5 if name.startswith("loky") else 0.3

    def kill_one() -> None:
        while not over.wait(0.1):
            for child in psutil.Process().children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    if child.pid not in before and sum(child.cpu_times()[:2]) > least_cpu_s:
                        child.kill()
                        return

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        with pytest.raises(Exception, match="process") as caught:
            fitted(name, params, X, labels(X, "binary"), "dense-c")
    finally:
        over.set()
        killer.join()
    assert type(caught.value).__name__ == error
    assert ("SIGKILL" in str(caught.value)) == (error == "TerminatedWorkerError")


HOARDERS = """
import json
import os
import sys
import time

import joblib

from treebench.trainers.process_pool import ProcessPool


def hoard(size):
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])
    vars(sys).setdefault("hoarded", []).append(block)  # this function itself is sent anew each time
    time.sleep(1.2)  # loky looks once a second
    return os.getpid()


pool = ProcessPool("loky", 2, memmap=False)
try:
    with pool.in_force():
        tasks = (joblib.delayed(hoard)(200 * 2**20) for _ in range(8))
        pids = joblib.Parallel(n_jobs=2, batch_size=1)(tasks)
finally:
    pool.close()
json.dump({"pids": pids, **pool.facts()}, sys.stdout)
"""
"""Tasks that keep memory for ever, as a leak does. In a process of its own: loky warns of each
worker it retires from the thread that manages them, which a warning made an error would end."""


@pytest.mark.slow
def test_processes_that_loky_retires_for_their_memory_are_counted() -> None:
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HOARDERS],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    ran = json.loads(told.stdout)
    assert len(set(ran["pids"])) > 2
    assert ran["workers_started"] >= len(set(ran["pids"]))
    assert ran["workers_respawned"] == ran["workers_started"] - 2
