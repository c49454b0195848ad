"""Sweeps on Dask clusters as a person runs them, and what is left when they are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.end_to_end.conftest import Treebench
from tests.processes import runs, started, until

pytestmark = pytest.mark.slow

CONFIG = """
name: dask
data: {set: tiny, rows: 1000}
threads: 2
oversubscribe: true
samples: 1
deadline: 500s
reference: {trainer: dask-forest, n_estimators: 6, max_leaves: 8}
variants:
  - {trainer: dask-joblib-forest}
  - {trainer: dask-xgboost}
  - {trainer: dask-lightgbm}
"""
LONG = "trainer=dask-forest", "--set", "reference.n_estimators=500000"


@pytest.fixture
def dask_folder(tmp_path: Path) -> Path:
    (tmp_path / "dask.yaml").write_text(CONFIG)
    return tmp_path


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    """By trainer, its row."""
    lines = (folder / "results/dask/samples.jsonl").read_text().splitlines()
    return {row["spec"]["trainer"]: row for row in map(json.loads, lines)}


def test_every_trainer_gives_a_row_that_tells_of_its_cluster(
    dask_folder: Path, treebench: Treebench
) -> None:
    run = treebench("run", "dask.yaml")
    assert run.returncode == 0, run.stdout + run.stderr
    rows = rows_of(dask_folder)
    assert set(rows) == {
        *("control", "dask-forest", "dask-joblib-forest", "dask-xgboost", "dask-lightgbm")
    }
    del rows["control"]
    for row in rows.values():
        assert row["status"] == "ok"
        assert row["score"]["auc"] > 0.7
        assert row["parallel"]["backends"] == {"fit": "dask", "predict": "threads"}
        assert row["parallel"]["n_jobs"] == 2
        assert row["parallel"]["worker_restarts"] == 0
        assert row["phases"]["construct"]["note"]
        # Two workers, each with its libraries, beside the measured process.
        assert row["phases"]["fit"]["summed_rss_peak_bytes"] > 250 * 2**20
    assert rows["dask-forest"]["model"]["n_trees"] == 6
    assert rows["dask-forest"]["parallel"]["shard_trees"] == [3, 3]


def test_kill_minus_nine_of_the_supervisor_leaves_no_process_and_no_file(
    dask_folder: Path, environment: dict[str, str], command: list[str], treebench: Treebench
) -> None:
    """GIVEN workers in a fit of minutes WHEN the supervisor gets SIGKILL THEN all end."""
    scratch = dask_folder / "tmp"
    scratch.mkdir()
    assert treebench("plan", "dask.yaml").returncode == 0  # makes the data
    with begun(command, dask_folder, {**environment, "TMPDIR": str(scratch)}) as process:
        workers = growing(process.pid)
        measured = {worker.ppid() for worker in workers} - {process.pid}
        semaphores = [
            path for pid in measured for path in Path("/dev/shm").glob(f"sem.loky-{pid}-*")
        ]
        assert semaphores
        os.kill(process.pid, signal.SIGKILL)
    assert until(lambda: not any(map(runs, workers)))
    assert until(lambda: not list(scratch.rglob("treebench-dask-*")))
    assert until(lambda: not any(path.exists() for path in semaphores))


def test_a_killed_worker_is_a_row_and_the_sweep_goes_on(
    dask_folder: Path, environment: dict[str, str], command: list[str], treebench: Treebench
) -> None:
    assert treebench("plan", "dask.yaml").returncode == 0  # makes the data
    with begun(command, dask_folder, environment) as process:
        busiest(growing(process.pid)).send_signal(signal.SIGKILL)
        # Nothing was measured well, so that the run ends with exit code 4.
        assert process.wait(timeout=300) == 4
    row = rows_of(dask_folder)["dask-forest"]
    assert (row["status"], row["error"]["phase"]) == ("killed", "fit")
    assert "SIGKILL" in row["error"]["message"]


def begun(
    command: list[str], folder: Path, environment: dict[str, str]
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """A run of the one cell that takes minutes."""
    return started(
        [*command, "run", "dask.yaml", "--only", *LONG],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def growing(supervisor: int) -> list[psutil.Process]:
    """All processes of a run, once both of Dask's workers grow trees."""
    found: list[psutil.Process] = []

    def two_grow() -> bool:
        found[:] = psutil.Process(supervisor).children(recursive=True)
        return sum(map(grows, found)) == 2

    assert until(two_grow, 300)
    return found


def grows(process: psutil.Process) -> bool:
    """Whether it is a worker of Dask's that has computed for longer than imports take."""
    try:
        return "spawn_main" in " ".join(process.cmdline()) and process.cpu_times().user > 8
    except psutil.NoSuchProcess:
        return False


def busiest(processes: list[psutil.Process]) -> psutil.Process:
    return max(filter(grows, processes), key=lambda process: process.cpu_times().user)
