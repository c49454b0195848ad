"""Folders of a sample's own: there while it runs, gone afterwards, however it ends."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.processes import started, until
from tests.runner.fakes import cell, row
from treebench.machine.shared_memory import SHARED_MEMORY
from treebench.plan.build import PlannedCell
from treebench.runner.caretaker import Caretaker
from treebench.runner.caretaker_process import remove_shared
from treebench.runner.sample_folders import sample_folders

SUPERVISOR = """
import sys, time
from pathlib import Path
from tests.runner.test_sample_folders import of
from treebench.runner.caretaker import Caretaker
from treebench.runner.sample_folders import sample_folders
with Caretaker() as caretaker, sample_folders(of("loky-forest-memmap"), {}, caretaker) as folders:
    pool = folders.shared / f"pool-{sys.argv[1]}-x"
    pool.mkdir()
    (pool / "data.pkl").write_bytes(b"x")
    print(folders.shared, folders.environment["TREEBENCH_SCRATCH"], flush=True)
    time.sleep(600)
"""
NO_PROCESS = 2**22 + 1
"""Above the largest pid that Linux gives out."""


def of(trainer: str) -> PlannedCell:
    plain = cell(10)
    return dataclasses.replace(plain, spec=dataclasses.replace(plain.spec, trainer=trainer))


def semaphore(pid: int) -> Path:
    path = SHARED_MEMORY / f"sem.loky-{pid}-treebenchtest{os.getpid()}"
    path.write_bytes(b"")
    return path


@pytest.mark.parametrize("trainer", ["sklearn-forest", "control", "sklearn-tree"])
def test_one_process_needs_none(trainer: str) -> None:
    with sample_folders(of(trainer), {}, None) as folders:
        assert (folders.environment, folders.shared) == ({}, None)
        plain = row(of(trainer), 0)
        assert folders.noted(plain) == plain


def test_processes_have_a_shared_one_and_one_on_disk_and_the_row_tells() -> None:
    with Caretaker() as caretaker:
        with sample_folders(of("loky-forest-memmap"), {}, caretaker) as folders:
            assert folders.shared is not None
            named = {name: Path(path) for name, path in folders.environment.items()}
            assert named["JOBLIB_TEMP_FOLDER"] == folders.shared
            assert named["DASK_TEMPORARY_DIRECTORY"].parent == named["TREEBENCH_SCRATCH"]
            assert all(folder.stat().st_mode & 0o077 == 0 for folder in {folders.shared})
            (folders.shared / "held").write_bytes(b"x")
            noted = folders.noted(dataclasses.replace(row(cell(10), 0), parallel={"n_jobs": 2}))
        assert not any(folder.exists() for folder in named.values())
        assert caretaker._existing == {}
    assert noted.parallel is not None
    assert noted.parallel["n_jobs"] == 2
    assert noted.parallel["temp_folder"]["in"] == str(folders.shared.parent)
    assert noted.parallel["temp_folder"]["needed_bytes"] == 0


def test_they_go_with_a_supervisor_that_is_killed() -> None:
    left = semaphore(NO_PROCESS)
    command = [sys.executable, "-c", SUPERVISOR, str(NO_PROCESS)]
    with started(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folders = [Path(path) for path in process.stdout.readline().split()]
        assert all(folder.is_dir() for folder in folders)
        os.kill(process.pid, signal.SIGKILL)
    assert len(folders) == 2
    assert until(lambda: not any(path.exists() for path in [*folders, left]))


def test_semaphores_of_a_process_that_lives_stay(tmp_path: Path) -> None:
    mine = semaphore(os.getpid())
    try:
        shared = tmp_path / "shared"
        (shared / f"pool-{os.getpid()}-x").mkdir(parents=True)
        remove_shared(str(shared))
        assert not shared.exists()
        assert mine.exists()
    finally:
        mine.unlink()


def test_semaphores_of_one_that_ended_and_that_nobody_has_heard_of_yet_go(tmp_path: Path) -> None:
    with started(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        left = semaphore(ended.pid)
        (tmp_path / f"pool-{ended.pid}-x").mkdir()
        assert Path(f"/proc/{ended.pid}").exists()
        remove_shared(str(tmp_path))
    assert not left.exists()


def test_a_folder_that_cannot_be_removed_is_left_to_the_caretaker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(path: Any) -> None:
        """As where a file is held by a file system that does not let go."""

    with Caretaker() as caretaker:
        with monkeypatch.context() as patched:
            patched.setattr("treebench.runner.sample_folders.remove_shared", refuse)
            with sample_folders(of("loky-forest-pickled"), {}, caretaker) as folders:
                assert folders.shared is not None
        assert str(folders.shared) in caretaker._existing
    assert not folders.shared.exists()


def test_semaphores_named_after_the_worker_itself_go_too() -> None:
    """Dask's trainers import loky without a pool of its kind, and a killed one left twelve."""
    left = semaphore(NO_PROCESS)
    with sample_folders(of("dask-forest"), {}, None) as folders:
        folders.used_by(NO_PROCESS)
        assert left.exists()
    assert not left.exists()


def test_a_sample_without_processes_has_nobody_to_put_down() -> None:
    with sample_folders(of("sklearn-tree"), {}, None) as folders:
        folders.used_by(NO_PROCESS)
        assert folders.shared is None
