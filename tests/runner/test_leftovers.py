"""What a run left that was killed whole goes at the next start, and nothing else does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import started, until
from treebench.measure.callgrind import CallgrindProbe
from treebench.measure.cgroup import Unavailable
from treebench.measure.owner import owned_name
from treebench.measure.tree_memory import open_cgroup
from treebench.runner import caretaker_process
from treebench.runner.caretaker import Caretaker
from treebench.runner.leftovers import remove_empty_cgroups, remove_folders

KILLED_WHOLE = """
import os, signal
from treebench.measure.callgrind import CallgrindProbe
from treebench.measure.cgroup import Cgroup
from treebench.measure.tree_memory import open_cgroup
from treebench.runner.caretaker import Caretaker
with Caretaker() as caretaker:
    probe, cgroup = CallgrindProbe(("fit",)), open_cgroup()
    caretaker.made("folder", probe.folder)
    probe.__enter__()
    print(probe.folder, flush=True)
    print(cgroup.folder if isinstance(cgroup, Cgroup) else "", flush=True)
    os.kill(caretaker._process.pid, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def dead() -> str:
    """A name whose maker has ended."""
    makes = "from treebench.measure.owner import owned_name; print(owned_name('test', 1))"
    ended = subprocess.run([sys.executable, "-c", makes], capture_output=True, check=True)
    return ended.stdout.decode().strip()


def test_what_a_sample_started_ends_with_the_next_start_and_that_of_one_alive_goes_on(
    dead: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    sleeps = ["sleep", "600"]
    of_dead = {**os.environ, "TREEBENCH_SCRATCH": str(tmp_path / dead)}
    of_living = {**os.environ, "TREEBENCH_SCRATCH": str(tmp_path / owned_name("scratch", 1))}
    with started(sleeps, env=of_dead) as orphan, started(sleeps, env=of_living) as other:
        with Caretaker():
            assert orphan.wait(120) == -signal.SIGKILL
        assert other.poll() is None


def test_both_are_there_after_a_session_was_killed_whole_and_gone_after_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_WHOLE],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    left = [Path(line) for line in killed.stdout.decode().splitlines() if line]
    assert all(path.is_dir() for path in left)
    with Caretaker():
        assert [path for path in left if path.exists()] == []


def test_a_cgroup_that_a_process_is_in_stays(dead: str) -> None:
    mine = open_cgroup()
    if isinstance(mine, Unavailable):
        pytest.skip(mine.reason)
    mine.remove()
    mine.folder = mine.folder.with_name(dead)
    mine.folder.mkdir()
    with started(mine.entering(["cat"]), stdin=subprocess.PIPE):
        assert until(mine.processes)
        remove_empty_cgroups([mine.folder.parent])
        assert mine.folder.is_dir()
    remove_empty_cgroups([mine.folder.parent])
    assert not mine.folder.exists()


def test_a_folder_goes_where_there_is_no_shared_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caretaker_process, "_SHARED_MEMORY", str(tmp_path / "nowhere"))
    with subprocess.Popen(["true"]) as ended:
        pass
    (tmp_path / "shared" / f"pool-{ended.pid}-worker").mkdir(parents=True)
    caretaker_process.remove_shared(str(tmp_path / "shared"))
    assert list(tmp_path.iterdir()) == []


def test_only_folders_of_the_dead_go(tmp_path: Path, dead: str) -> None:
    kept = ["treebench-notes", owned_name("test", 2), f"{dead}x-y", "other"]
    for name in (*kept, dead):
        (tmp_path / name / "inside").mkdir(parents=True)
    outside = tmp_path / "other"
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / dead).symlink_to(outside)
    remove_folders([tmp_path, tmp_path / "links", tmp_path / "absent"])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, "links"])
    assert (outside / "inside").is_dir()
    assert (tmp_path / "links" / dead).is_symlink()


def test_the_folder_of_another_person_is_not_ours_to_remove(
    tmp_path: Path, dead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / dead).mkdir()
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    remove_folders([tmp_path])
    assert (tmp_path / dead).is_dir()


def test_a_probe_names_its_folder_after_its_process() -> None:
    assert str(os.getpid()) in CallgrindProbe(("fit",)).folder.name.split("-")
