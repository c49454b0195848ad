"""What a killed supervisor leaves is cleaned up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import started, until
from treebench.measure.cgroup import Unavailable
from treebench.measure.tree_memory import open_cgroup
from treebench.runner.caretaker import Caretaker

SUPERVISOR = """
import sys, time
from pathlib import Path
from treebench.runner.caretaker import Caretaker
caretaker = Caretaker()
caretaker.made("folder", Path(sys.argv[1]))
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_folder_goes_with_its_supervisor(tmp_path: Path, ending: signal.Signals) -> None:
    left = tmp_path / "left"
    (left / "deep").mkdir(parents=True)
    command = [sys.executable, "-c", SUPERVISOR, str(left)]
    with started(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, ending)
        assert process.wait() == -ending
    assert until(lambda: not left.exists())


def test_what_was_removed_in_the_ordinary_way_is_not_touched(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    with Caretaker() as caretaker:
        caretaker.made("folder", folder)
        caretaker.gone(folder)
    assert folder.exists()


@pytest.mark.parametrize("name", ["two\nlines", " spaces ", "h\xe4user", os.fsdecode(b"byte \xff")])
def test_a_path_may_have_any_letters(tmp_path: Path, name: str) -> None:
    left, kept = tmp_path / name, tmp_path / f"{name} kept"
    for folder in (left, kept):
        folder.mkdir()
    with Caretaker() as caretaker:
        caretaker.made("folder", left)
        caretaker.made("folder", kept)
        caretaker.gone(kept)
    assert [path.name for path in tmp_path.iterdir()] == [kept.name]


def test_one_that_was_killed_is_replaced_and_told_of_all_that_exists(tmp_path: Path) -> None:
    earlier, later, kept = (tmp_path / name for name in ("earlier", "later", "kept"))
    for folder in (earlier, later, kept):
        folder.mkdir()
    with Caretaker() as caretaker:
        caretaker.made("folder", earlier)
        caretaker.made("folder", kept)
        caretaker._process.kill()
        caretaker._process.wait()
        caretaker.gone(kept)
        caretaker.made("folder", later)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]


def test_one_that_was_killed_in_the_end_is_not_missed() -> None:
    with Caretaker() as caretaker:
        caretaker._process.kill()
    assert caretaker._process.returncode == -signal.SIGKILL


def test_a_cgroup_goes_with_what_runs_in_it() -> None:
    cgroup = open_cgroup()
    if isinstance(cgroup, Unavailable):
        pytest.skip(cgroup.reason)
    with started(cgroup.entering(["sleep", "600"])) as inside:
        with Caretaker() as caretaker:
            caretaker.made("cgroup", cgroup.folder)
            assert until(lambda: (cgroup.folder / "cgroup.procs").read_text())
        assert inside.wait() == -signal.SIGKILL
    assert not cgroup.folder.exists()
