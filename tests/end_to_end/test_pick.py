"""Picking with real learners, real limits, and a real Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Treebench
from tests.processes import PATIENCE_S, started, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ONE = ("--threads", "1", "--trainers", "lightgbm")


def test_a_pick_is_proven_and_its_files_work(treebench: Treebench, folder: Path) -> None:
    done = treebench("pick", "tiny", "--memory", "400MiB", *ONE, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    pick = answer["pick"]
    assert pick["failure"] is None
    assert pick["peak_bytes"] <= 400 << 20
    assert pick["score"] > 0.7
    foreseen = pick["foreseen_bytes"]
    assert foreseen["low"] <= pick["peak_bytes"] <= foreseen["high"]
    held: dict[str, object] = {}
    exec(compile(Path(folder / answer["files"]["Python"]).read_text(), "p", "exec"), held)  # noqa: S102
    shown = treebench("show", "results/pick-tiny")
    assert "lightgbm" in shown.stdout
    ran = treebench("run", str(folder / answer["files"]["treebench cell"]), "--set", "samples=1")
    assert ran.returncode == 0, ran.stderr
    again = treebench("pick", "tiny", "--memory", "400MiB", *ONE, "--json")
    assert json.loads(again.stdout)["spent"]["samples_now"] == 0
    # What was learnt since the first proposal makes the foreseen figures a little closer.
    for name in ("peak_bytes", "score"):
        assert json.loads(again.stdout)["pick"][name] == pick[name]
    assert json.loads(again.stdout)["config"] == answer["config"]


def test_a_budget_that_nothing_meets_ends_with_4(treebench: Treebench) -> None:
    done = treebench("pick", "tiny", "--memory", "100MiB", *ONE)
    assert done.returncode == 4, done.stderr
    assert "the smallest budget that could be met is" in done.stdout
    assert "proven: trained under that limit" in done.stdout


def test_ctrl_c_keeps_the_samples(
    treebench: Treebench, folder: Path, environment: dict[str, str], command: list[str]
) -> None:
    treebench("data", "make", "tiny")
    state = folder / "results/pick-tiny/pick.json"
    with started(
        [*command, "pick", "tiny", "--memory", "400MiB", *ONE],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        # A row stands in the journal a moment before what it taught stands in the state.
        assert until(
            lambda: state.exists() and len(json.loads(state.read_text())["tried"]) > 1, 300
        )
        os.kill(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130
    assert "the same command goes on from here" in said
    kept = json.loads(state.read_text())
    assert len(kept["tried"]) >= 2
    again = treebench("pick", "tiny", "--memory", "400MiB", *ONE, "--json")
    assert again.returncode == 0, again.stderr
    spent = json.loads(again.stdout)["spent"]
    assert spent["samples"] - spent["samples_now"] == len(kept["tried"])
