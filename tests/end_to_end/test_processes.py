"""Forests on processes, when something is killed: the row says so, and nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.processes import runs, started, until
from treebench.machine.shared_memory import SHARED_MEMORY

CONFIG = """
name: long
data: {set: tiny, rows: [2000]}
threads: 2
samples: 1
deadline: 500s
reference: {trainer: loky-forest-memmap, n_jobs: 2, n_estimators: 10_000}
"""
pytestmark = pytest.mark.slow


@contextmanager
def running(
    folder: Path, environment: dict[str, str], command: list[str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A sweep whose one fit would take very long."""
    (folder / "long.yaml").write_text(CONFIG)
    with started(
        [*command, "run", "long.yaml"],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        yield process


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


def first(what: Callable[[], list[psutil.Process]]) -> psutil.Process:
    """The first that is found, once one is."""
    found: list[psutil.Process] = []

    def look() -> bool:
        found[:] = what()
        return bool(found)

    assert until(look, 300)
    return found[0]


def test_a_killed_process_of_the_pool_is_a_row_that_says_so(
    folder: Path, environment: dict[str, str], command: list[str]
) -> None:
    with running(folder, environment, command) as process:
        supervisor = psutil.Process(process.pid)
        first(lambda: growers(supervisor)).kill()
        # It takes seconds; a busy machine gets more, but less than the deadline of the sample.
        assert process.wait(300) == 4
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
    assert until(lambda: not any(path.exists() for path in [*pools, *semaphores]))
    assert until(lambda: not any(map(runs, children)))


def places() -> list[Path]:
    return [SHARED_MEMORY, Path(tempfile.gettempdir())]
