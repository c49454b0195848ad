"""Forests on processes, when something is killed: the row says so, and nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.runner.test_caretaker import until
from treebench.machine.shared_memory import SHARED_MEMORY

CONFIG = """
name: long
data: {set: tiny, rows: [2000]}
threads: 2
samples: 1
deadline: 200s
reference: {trainer: loky-forest-memmap, n_jobs: 2, n_estimators: 10_000}
"""
pytestmark = pytest.mark.slow


@contextmanager
def running(
    folder: Path, environment: dict[str, str], command: list[str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A sweep whose one fit would take very long."""
    (folder / "long.yaml").write_text(CONFIG)
    process = subprocess.Popen(
        [*command, "run", "long.yaml"],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def growers(supervisor: psutil.Process) -> list[psutil.Process]:
    """loky's processes that have begun to grow trees, sure to be past their imports."""
    found = []
    for process in supervisor.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            words = " ".join(process.cmdline())
            is_grower = "popen_loky" in words and "tracker" not in words
            if is_grower and sum(process.cpu_times()[:2]) > 5:
                found.append(process)
    return found


def first(what: Any, seconds: float = 120) -> Any:
    ends_at = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < ends_at:
        time.sleep(0.05)
    assert found
    return found


def test_a_killed_process_of_the_pool_is_a_row_that_says_so(
    folder: Path, environment: dict[str, str], command: list[str]
) -> None:
    with running(folder, environment, command) as process:
        supervisor = psutil.Process(process.pid)
        first(lambda: growers(supervisor))[0].kill()
        # It takes seconds; a busy machine gets more, but less than the deadline of the sample.
        assert process.wait(150) == 4
    journal = (folder / "results/long/samples.jsonl").read_text()
    rows = [json.loads(line) for line in journal.splitlines()]
    (row,) = [one for one in rows if one["spec"]["trainer"] == "loky-forest-memmap"]
    assert (row["status"], row["error"]["phase"]) == ("killed", "fit")
    assert "a process of its pool" in row["error"]["message"]
    assert row["parallel"]["temp_folder"]["in"] in (str(SHARED_MEMORY), tempfile.gettempdir())


def test_a_killed_supervisor_leaves_no_process_file_or_semaphore(
    folder: Path, environment: dict[str, str], command: list[str]
) -> None:
    with running(folder, environment, command) as process:
        supervisor = psutil.Process(process.pid)
        first(lambda: growers(supervisor))
        children = supervisor.children(recursive=True)
        pools = [path for where in places() for path in where.glob(f"treebench-*-{process.pid}-*")]
        own = SHARED_MEMORY.glob(f"treebench-memmaps-{process.pid}-*/pool-*")
        (worker,) = {folder.name.split("-")[1] for folder in own}
        semaphores = list(SHARED_MEMORY.glob(f"sem.loky-{worker}-*"))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert len(pools) == 2
    assert semaphores
    assert until(lambda: not any(path.exists() for path in [*pools, *semaphores]), 30)
    assert until(lambda: not any(map(runs, children)), 30)


def places() -> list[Path]:
    return [SHARED_MEMORY, Path(tempfile.gettempdir())]


def runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
