"""A sweep on a real Dask cluster on loopback: a scheduler and hosts as processes of their own."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.conftest import Treebench
from tests.processes import runs
from treebench.runner.blocks import host_of
from treebench.store.journal import latest, read_rows
from treebench.store.row import SampleRow
from treebench.store.run_folder import read_facts

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PATIENCE_S = 400.0
BLOCKS = 3
CONFIG = f"""
name: shared
data: {{set: tiny, rows: 200}}
threads: 1
samples: {BLOCKS}
deadline: 200s
reference: {{trainer: xgboost, method: hist, container: quantile, n_estimators: 2, max_leaves: 4}}
variants:
  - {{trainer: lightgbm}}
"""


def until(done: Callable[[], bool], what: str) -> None:
    ends_at = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < ends_at, f"waited in vain for {what}"
        time.sleep(0.05)


class Started:
    """Processes that this test started, and ends by their own ids."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.address = ""
        self._environment = environment
        self._processes: list[subprocess.Popen[bytes]] = []

    def process(self, *command: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"log{len(self._processes)}").open("wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process

    def scheduler(self) -> subprocess.Popen[bytes]:
        found = self.folder / "scheduler.json"
        found.unlink(missing_ok=True)
        process = self.process(
            *("dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", str(found), "--idle-timeout", "900"),
        )
        until(lambda: found.exists() and found.read_text().endswith("}"), "the scheduler")
        self.address = json.loads(found.read_text())["address"]
        return process

    def host(self, name: str) -> subprocess.Popen[bytes]:
        return self.process("treebench", "worker", self.address, "--host-name", name)

    def run(self, *options: str) -> subprocess.Popen[bytes]:
        return self.process("treebench", "run", "shared.yaml", "--cluster", self.address, *options)

    def log(self, process: subprocess.Popen[bytes]) -> str:
        return (self.folder / f"log{self._processes.index(process)}").read_text()

    def rows(self) -> list[SampleRow]:
        return read_rows(self.folder / "results/shared/samples.jsonl")

    def by(self, host: str) -> list[SampleRow]:
        return [row for row in self.rows() if host_of(row) == host]

    def end(self) -> None:
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def cluster(tmp_path: Path, environment: dict[str, str]) -> Iterator[Started]:
    (tmp_path / "shared.yaml").write_text(CONFIG)
    started = Started(tmp_path, environment)
    try:
        yield started
    finally:
        started.end()


def below(pid: int) -> list[psutil.Process]:
    return list(filter(runs, psutil.Process(pid).children(recursive=True)))


def check_whole(rows: list[SampleRow]) -> None:
    """Every cell has its samples, none twice, and every block is of one host."""
    counted = latest(rows)
    per_cell = Counter(row.cell for row in counted)
    assert len(per_cell) == 3
    assert set(per_cell.values()) == {BLOCKS}
    assert {row.status for row in counted} == {"ok"}
    assert all(
        len({host_of(row) for row in counted if row.block == block}) == 1 for block in range(BLOCKS)
    )
    taken = Counter((*row.key, host_of(row)) for row in rows)
    assert set(taken.values()) == {1}


def test_a_host_killed_in_the_middle_gives_its_block_back(cluster: Started) -> None:
    cluster.scheduler()
    cluster.host("left")
    killed = cluster.host("right")
    run = cluster.run()
    until(lambda: bool(cluster.by("right")) and bool(below(killed.pid)), "a row of both")
    its_processes = below(killed.pid)
    killed.send_signal(signal.SIGKILL)
    assert run.wait(PATIENCE_S) == 0, cluster.log(run)
    assert not any(map(runs, its_processes))
    rows = cluster.rows()
    check_whole(rows)
    lost = {row.block for row in cluster.by("right")}
    whole = {row.block for row in latest(rows) if host_of(row) == "right"}
    assert len(lost - whole) == 1
    assert "right is gone" in cluster.log(run)
    assert set(read_facts(cluster.folder / "results/shared")["hosts"]) == {"left", "right"}


def test_a_dead_scheduler_ends_the_run_and_the_same_command_goes_on(cluster: Started) -> None:
    scheduler = cluster.scheduler()
    first = cluster.host("left")
    run = cluster.run()
    until(lambda: len(cluster.by("left")) >= 2, "rows")
    scheduler.send_signal(signal.SIGKILL)
    assert run.wait(PATIENCE_S) == 1
    said = cluster.log(run)
    assert "is gone; samples that were taken are kept" in said
    assert "Traceback" not in said
    assert first.wait(PATIENCE_S) is not None
    before = cluster.rows()
    cluster.scheduler()
    cluster.host("left")
    assert cluster.run().wait(PATIENCE_S) == 0
    rows = cluster.rows()
    assert [row.key for row in rows[: len(before)]] == [row.key for row in before]
    check_whole(rows)


def test_ctrl_c_ends_the_samples_on_the_hosts(cluster: Started, treebench: Treebench) -> None:
    cluster.scheduler()
    host = cluster.host("left")
    run = cluster.run()
    until(lambda: bool(cluster.by("left")) and bool(below(host.pid)), "a row")
    run.send_signal(signal.SIGINT)
    assert run.wait(PATIENCE_S) == 130
    assert "the same command goes on" in cluster.log(run)
    until(lambda: not below(host.pid), "the end of its samples")
    assert host.poll() is None
    local = treebench("run", "shared.yaml", "--out", "results/shared")
    assert local.returncode == 1
    assert "taken on a cluster" in local.stderr
    assert cluster.run().wait(PATIENCE_S) == 0
    check_whole(cluster.rows())


def test_a_second_worker_of_the_same_name_is_turned_away(cluster: Started) -> None:
    cluster.scheduler()
    first, run = cluster.host("left"), cluster.run()
    until(lambda: bool(cluster.by("left")), "a row")
    second = cluster.host("left")
    assert second.wait(PATIENCE_S) == 1
    assert "a worker called left takes samples" in cluster.log(second)
    assert "Traceback" not in cluster.log(second)
    assert first.poll() is None
    run.send_signal(signal.SIGINT)
    assert run.wait(PATIENCE_S) == 130
