"""Who ends at once after an answer, and who clears up first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from treebench.trainers.registry import TRAINERS
from treebench.worker.protocol import Trial

CLEAR_UP = {
    "control",
    "dask-forest",
    "dask-joblib-forest",
    "dask-lightgbm",
    "dask-xgboost",
    "loky-forest-memmap",
    "loky-forest-pickled",
    "multiprocessing-forest",
}
WORKER = """
import atexit, os, sys
from treebench.worker import __main__ as worker
def run(trial, stage):
    sys.stdout.write("printed before")
    return {}
worker._run = run
atexit.register(print, ", cleared up")
sys.exit(worker.main(int(sys.argv[1]), int(sys.argv[2]), os.getppid()))
"""
"""A worker that has nothing to train, with something to clear up."""


def ended(trainer: str, stdout: int | IO[bytes]) -> tuple[int, list[str], bytes | None]:
    """The exit code, what was said to the supervisor, and what was printed."""
    receive, to_worker = os.pipe()
    from_worker, send = os.pipe()
    os.write(to_worker, Trial(trainer).to_line())
    os.close(to_worker)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WORKER, str(receive), str(send)],
            stdout=stdout,
            pass_fds=(receive, send),
            # Unbuffered, nothing would be left to flush.
            env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
            check=False,
            timeout=60,
        )
    finally:
        os.close(receive)
        os.close(send)
    with os.fdopen(from_worker, "rb") as said:
        return done.returncode, [json.loads(line)["say"] for line in said], done.stdout


@pytest.mark.parametrize("trainer", [*sorted(TRAINERS), "control"])
def test_only_trainers_without_processes_end_at_once(trainer: str) -> None:
    code, said, printed = ended(trainer, subprocess.PIPE)
    cleared_up = b", cleared up\n" if trainer in CLEAR_UP else b""
    assert printed == b"printed before" + cleared_up
    assert said == ["hello", "result"]
    assert code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_log_that_cannot_be_written_is_no_error_after_a_result() -> None:
    with Path("/dev/full").open("wb") as full:
        code, said, _ = ended("lightgbm", full)
    assert said == ["hello", "result"]
    assert code == 0
