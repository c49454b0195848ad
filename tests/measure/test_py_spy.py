"""Reading py-spy's raw format, and sampling a real process with it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.measure.busy import busy_python
from treebench.measure import py_spy
from treebench.measure.py_spy import PySpyProbe, parse, refusal
from treebench.measure.stacks import WORKER

WHY_NOT = py_spy.refused()


def test_frames_of_python_and_of_libraries() -> None:
    stacks = parse(
        [
            "thread (7): MainThread;0x7f45 (libc.so.6);<module> (treebench/worker/__main__.py);"
            "run (treebench/worker/phases.py);train (xgboost/training.py);"
            "xgboost::tree::ColMaker::Builder::EnumerateSplit<a<b>> (libxgboost.so);0x12 (l.so) 4",
            'thread (9): "pool-1";wait (threading.py) 2',
        ]
    )
    assert stacks.weights == {
        (
            "main thread",
            WORKER,
            "train [xgboost]",
            "ColMaker::Builder::EnumerateSplit [libxgboost.so]",
            "[l.so]",
        ): 4,
        ("thread pool-1", "wait [threading.py]"): 2,
    }
    assert stacks.n_samples == 6


def test_what_py_spy_does_not_write_is_an_error() -> None:
    with pytest.raises(ValueError, match="where a stack belongs"):
        parse(["no count at the end"])


def test_a_refusal_names_the_remedy() -> None:
    assert "ptrace_scope" in refusal("Error: Permission Denied: Try running again with sudo\n")
    assert refusal("Error: something else\nmore") == "py-spy: Error: something else"


@pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
def test_only_the_phase_is_sampled(tmp_path: Path) -> None:
    with busy_python() as pid, PySpyProbe(97, "fit", tmp_path, os.environ) as probe:
        probe.attach(pid)
        probe.begin("construct")
        probe.end("construct")
        assert not list(tmp_path.iterdir())
        probe.begin("fit")
        time.sleep(0.5)
        probe.end("fit")
        assert probe.problem is None
        assert any("spin" in frame for stack in probe.stacks().weights for frame in stack)


def test_a_process_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    with busy_python() as pid:
        pass
    with PySpyProbe(97, "fit", tmp_path, os.environ) as probe:
        probe.attach(pid)
        probe.begin("fit")
        probe.end("fit")
        assert probe.problem
        assert probe.stacks().weights == {}
