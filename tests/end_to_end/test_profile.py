"""A profile of real learners, from a run to the picture."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Treebench
from tests.processes import started, until
from treebench.measure import perf_record, py_spy

CONFIG = """
name: profiled
data: {set: cells}
threads: 1
samples: 1
reference: {trainer: xgboost, method: exact, container: dmatrix, n_estimators: 10, max_depth: 6}
variants:
  - {method: hist, n_estimators: 30}
  - {trainer: lightgbm, n_estimators: 30}
"""
CARD = """
name: cells
title: Numbers to fit
source: {kind: generate, rows: 20_000, test_rows: 1_000, features: 20}
task: binary
licence: CC0-1.0
"""
pytestmark = pytest.mark.slow

PERF = perf_record.refused("cpu-clock")
SPY = py_spy.refused()


@pytest.fixture
def run(treebench: Treebench, folder: Path) -> Path:
    (folder / "datasets").mkdir()
    (folder / "datasets" / "cells.yaml").write_text(CARD)
    (folder / "profiled.yaml").write_text(CONFIG)
    done = treebench("run", "profiled.yaml")
    assert done.returncode == 0, done.stderr
    return folder / "results" / "profiled"


def told(treebench: Treebench, *arguments: str) -> dict[str, Any]:
    done = treebench("profile", "profiled", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def stacks(facts: dict[str, Any], folder: Path) -> str:
    picture, text = (folder / str(name) for name in facts["files"])
    ET.fromstring(picture.read_text())  # noqa: S314 - this project wrote it
    return str(text.read_text())


@pytest.mark.skipif(PERF is not None, reason=str(PERF))
def test_stacks_reach_from_train_to_where_each_learner_works(
    treebench: Treebench, run: Path, folder: Path
) -> None:
    shown = treebench("show", "profiled", "--json").stdout
    exact = told(treebench, "method=exact", "--tool", "perf")
    assert (exact["status"], exact["lost"], exact["cut_stacks"]) == ("ok", 0, 0)
    text = stacks(exact, folder)
    assert "XGBoosterUpdateOneIter" in text
    assert "ColMaker::Builder::EnumerateSplit" in text
    assert "HistEvaluator::EnumerateSplit" in stacks(told(treebench, "method=hist"), folder)
    assert "DenseBin::ConstructHistogram" in stacks(told(treebench, "trainer=lightgbm"), folder)
    kinds = kinds_of(run)
    assert kinds.count("profile") == 3
    # A profile disturbs what it looks at, so that it is in no figure.
    assert treebench("show", "profiled", "--json").stdout == shown
    assert treebench("validate", "profiled").returncode == 0
    again = treebench("run", "profiled.yaml")
    assert again.returncode == 0
    assert kinds_of(run) == kinds


@pytest.mark.skipif(SPY is not None, reason=str(SPY))
def test_py_spy_sees_pythons_functions(treebench: Treebench, run: Path, folder: Path) -> None:
    facts = told(treebench, "method=exact", "--tool", "py-spy", "--frequency", "199")
    assert facts["python_frames"]
    assert "train [xgboost]" in stacks(facts, folder)


def test_a_cell_that_is_none_ends_with_the_list(treebench: Treebench, run: Path) -> None:
    done = treebench("profile", "profiled", "zz")
    assert done.returncode == 1
    assert "xgboost exact, cells, 20,000 rows, dense-c, 1 thread" in done.stderr
    assert "Traceback" not in done.stderr


def test_other_data_than_the_runs_is_refused(treebench: Treebench, run: Path, folder: Path) -> None:
    (folder / "datasets" / "cells.yaml").write_text(CARD.replace("features: 20", "features: 21"))
    done = treebench("profile", "profiled", "method=exact")
    assert done.returncode == 1
    assert "is not what profiled used" in done.stderr
    assert not (run / "profiles").exists()


@pytest.mark.skipif(PERF is not None, reason=str(PERF))
def test_a_killed_profile_leaves_nothing(
    command: list[str], environment: dict[str, str], run: Path, folder: Path
) -> None:
    with started(
        [*command, "profile", "profiled", "method=exact", "--tool", "perf"],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert until(lambda: list(run.glob(".profile.*/perf.data")))
        mark = next(run.glob(".profile.*")).name.rpartition(".")[2]
        process.send_signal(signal.SIGKILL)
    assert until(lambda: not list(run.glob(".profile.*")) and not marked(mark))
    assert not (run / "profiles").exists()


def kinds_of(run: Path) -> list[str]:
    lines = (run / "samples.jsonl").read_text().splitlines()
    return [json.loads(line)["kind"] for line in lines]


def marked(mark: str) -> list[str]:
    """The processes of one profiler."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if f"TREEBENCH_SAMPLE={mark}".encode() in variables:
            found.append(pid)
    return found
