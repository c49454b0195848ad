"""Data made by another process: how it ends, and that it ends with this one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.processes import runs, started, until
from treebench.errors import AlreadyToldError, DataError
from treebench.runner import prepare

if TYPE_CHECKING:
    from pathlib import Path

ASKING = """
import os, subprocess, sys, time
words = ["-m", "treebench.cli.bound", str(os.getpid()), "data", "make", "synthetic-dense"]
print(subprocess.Popen([sys.executable, *words]).pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let a shell script stand where the data would be made."""
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path))


def test_what_is_missing_is_made(cache: Path) -> None:
    folder = prepare.ensure_data({"tiny": [100]})["tiny"]
    assert {"train.parquet", "test.parquet", "train-100.parquet"} <= set(os.listdir(folder))
    assert os.listdir(cache) == [folder.name]


@pytest.mark.parametrize(
    ("script", "error", "said"),
    [
        ("exit 1", AlreadyToldError, ""),
        ("exit 0", AlreadyToldError, ""),
        ("exit 130", KeyboardInterrupt, ""),
        ("kill -9 $$", DataError, "tiny could not be made: SIGKILL ended it, perhaps for want"),
    ],
)
def test_an_end_that_made_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    error: type[BaseException],
    said: str,
) -> None:
    stand_in(tmp_path, monkeypatch, script)
    with pytest.raises(error) as caught:
        prepare.ensure_data({"tiny": []})
    assert str(caught.value).startswith(said)


def test_ctrl_c_is_passed_on_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    stand_in(
        tmp_path,
        monkeypatch,
        f"trap 'sleep 0.5; echo > {told}; exit' INT; sleep 0.3; kill -INT {os.getpid()}\n"
        "for _ in $(seq 1000); do sleep 0.05; done",  # ends by itself should nobody end it
    )
    with pytest.raises(KeyboardInterrupt):
        prepare.ensure_data({"tiny": []})
    assert told.exists()


def test_the_making_ends_with_who_asked_for_it_and_leaves_nothing(cache: Path) -> None:
    command = [sys.executable, "-c", ASKING]
    with started(command, stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        making = psutil.Process(int(asking.stdout.readline()))
        assert until(lambda: any(cache.glob("*.part")) or any(cache.glob(".*.part")))
        asking.send_signal(signal.SIGKILL)
    assert until(lambda: not runs(making))
    assert list(cache.iterdir()) == []
