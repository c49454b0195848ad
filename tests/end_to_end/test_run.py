"""A sweep from YAML to table and report, with real learners in real workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.end_to_end.conftest import Treebench
from tests.processes import PATIENCE_S, runs, started, until
from treebench.store.journal import read_rows
from treebench.store.run_folder import open_run

# xgboost and lightgbm in two layouts, hist-gbdt in the dense one, at two sizes.
CELLS = 10
DENSE = ("--only", "layout=dense-c")
SAMPLES = 2 * 6
"""Of the dense cells. What is sparse is in the tests below."""
UNHEARD: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def rows_in(folder: Path) -> int:
    journal = folder / "results/small/samples.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def counted(folder: Path) -> Counter[tuple[str, int]]:
    rows = read_rows(folder / "results/small/samples.jsonl")
    return Counter(
        (r.cell, r.block) for r in rows if r.status == "ok" and r.spec["dataset"] == "tiny"
    )


def test_from_config_to_report(folder: Path, treebench: Treebench) -> None:
    plan = treebench("plan", "small.yaml", "--json")
    assert plan.returncode == 0, plan.stderr
    planned = json.loads(plan.stdout)
    assert len(planned["cells"]) == CELLS
    assert {cell["spec"]["trainer"] for cell in planned["unsupported"]} == {"sklearn-hist-gbdt"}

    run = treebench("run", "small.yaml", *DENSE)
    assert run.returncode == 0, run.stderr
    assert "lightgbm" in run.stdout
    assert "Traceback" not in run.stderr

    taken = open_run(folder / "results/small")
    assert len(taken.rows) == SAMPLES + 2  # and a control sample in each block
    for row in taken.rows:
        assert row.status == "ok"
        for phase in row.phases.values():
            assert phase.wall_ns is not None
            assert phase.peak_rss_bytes is not None
            assert phase.missing == {}
    own = [row for row in taken.rows if row.spec["dataset"] == "tiny"]
    assert all(row.score is not None and row.score["auc"] > 0.6 for row in own)
    assert all(row.model is not None and row.model.n_trees == 3 for row in own)
    dense = [row for row in own if row.spec["rows"] == 1000]
    assert {row.data_bytes for row in dense} == {1000 * dense[0].spec["features"] * 4}

    again = treebench("run", "small.yaml", *DENSE)
    assert again.returncode == 0, again.stderr
    assert len(open_run(folder / "results/small").rows) == SAMPLES + 2

    report = treebench("report", "results/small")
    assert report.returncode == 0, report.stderr
    made = {path.name for path in (folder / "results/small/report").iterdir()}
    assert "report.md" in made
    assert any(name.endswith(".png") for name in made)
    assert any(name.endswith(".svg") for name in made)
    assert treebench("validate", "small").returncode == 0


def test_another_sweep_in_the_same_folder_is_refused_and_fresh_keeps_the_first(
    folder: Path, treebench: Treebench
) -> None:
    only = ["--only", "trainer=lightgbm, rows=200, layout=csr"]
    assert treebench("run", "small.yaml", *only, "--set", "samples=1").returncode == 0
    other = ["--set", "samples=1", "--set", "reference.n_estimators=2"]
    refused = treebench("run", "small.yaml", *only, *other)
    assert refused.returncode == 1
    assert "--fresh keeps them aside" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert treebench("run", "small.yaml", *only, *other, "--fresh").returncode == 0
    assert (folder / "results/small.old1/samples.jsonl").exists()


def test_a_cell_that_fails_is_a_row_exit_code_2_and_the_rest_is_there(
    folder: Path, treebench: Treebench
) -> None:
    text = (folder / "small.yaml").read_text()
    text += "  - {trainer: xgboost, extra: {no_such_parameter: 1}}\n"
    (folder / "small.yaml").write_text(text)
    only = ["--only", "trainer=xgboost, rows=200, layout=csr", "--set", "samples=1"]
    run = treebench("run", "small.yaml", *only)
    assert run.returncode == 2, run.stderr
    assert "no_such_parameter" in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
    statuses = Counter(row.status for row in open_run(folder / "results/small").rows)
    assert statuses == {"ok": 2, "error": 1}


def test_the_outcome_is_told_though_nobody_reads_the_table(
    folder: Path, environment: dict[str, str], command: list[str]
) -> None:
    text = (folder / "small.yaml").read_text()
    text += "  - {trainer: xgboost, extra: {no_such_parameter: 1}}\n"
    (folder / "small.yaml").write_text(text)
    only = ["--only", "trainer=xgboost, rows=200, layout=csr", "--set", "samples=1"]
    receiving, sending = os.pipe()
    os.close(receiving)
    try:
        run = subprocess.run(
            [*command, "run", "small.yaml", *only],
            stdout=sending,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment,
            check=False,
        )
    finally:
        os.close(sending)
    assert run.returncode == 2, run.stderr
    assert "Traceback" not in run.stderr


def test_a_deadline_that_nothing_meets_is_exit_code_4(folder: Path, treebench: Treebench) -> None:
    only = ["--only", "trainer=xgboost, rows=200, layout=csr", "--set", "samples=1"]
    run = treebench("run", "small.yaml", *only, "--set", "deadline=0.2s")
    assert run.returncode == 4
    assert "no sample ended well" in run.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "ending",
    [signal.SIGKILL, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)],
)
def test_stopped_in_the_middle_the_same_command_ends_with_each_sample_once(
    ending: signal.Signals,
    folder: Path,
    environment: dict[str, str],
    command: list[str],
    treebench: Treebench,
) -> None:
    run = "run", "small.yaml", "--only", "rows=200, layout=csr"
    n_samples = 4  # of two cells, beside the control's two
    with started([*command, *run], cwd=folder, env=environment, **UNHEARD) as process:
        # One of three rows is none of the control's.
        assert until(lambda: rows_in(folder) >= 3 or process.poll() is not None)
        workers = psutil.Process(process.pid).children(recursive=True)
        os.kill(process.pid, ending)
        code = process.wait(PATIENCE_S)
    assert code == (-signal.SIGKILL if ending == signal.SIGKILL else 130)
    assert workers
    assert until(lambda: not any(map(runs, workers)))
    before = counted(folder)
    assert 0 < len(before) < n_samples

    assert treebench(*run).returncode == 0
    after = counted(folder)
    assert len(after) == n_samples
    assert set(after.values()) == {1}
    assert set(before) <= set(after)


def test_two_runs_at_once_in_one_folder(
    folder: Path, environment: dict[str, str], command: list[str], treebench: Treebench
) -> None:
    with started([*command, "run", "small.yaml"], cwd=folder, env=environment, **UNHEARD) as first:
        journal = folder / "results/small/samples.jsonl"
        assert until(lambda: journal.exists() or first.poll() is not None)
        second = treebench("run", "small.yaml")
        assert second.returncode == 1
        assert "another treebench is running" in second.stderr
        first.send_signal(signal.SIGINT)
        assert first.wait(PATIENCE_S) == 130
