"""`treebench aa`: what it takes, prints and ends with; the samples are a stand-in's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.comparing.two_runs import MATCHING, hungrier
from tests.analysis.rows import CONTROL, MIB, sample
from tests.cli.runs import put_run
from tests.cli.test_show import call
from treebench.cli import taking

if TYPE_CHECKING:
    from treebench.cli.planning import Planned

CONFIG = """
name: tiny
data: {set: wine, rows: [100]}
samples: 3
reference: {trainer: xgboost, method: hist, n_estimators: 5, max_leaves: 4}
"""
Text = pytest.CaptureFixture[str]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Planned]:
    """Plans are real and their samples made: in a folder named so, with one side hungrier."""
    seen: list[Planned] = []

    def take(
        planned: Planned, folder: Path, facts: dict[str, Any], retry_failed: bool, *, fresh: bool
    ) -> None:
        seen.append(planned)
        if fresh:
            taking.keep_aside(folder)
        rows = [
            replace(sample(cell, block), cell=cell_id, must_match=MATCHING)
            for block in range(planned.plan.samples)
            for cell_id, cell in [
                (CONTROL.id, CONTROL),
                *((each, planned.plan.cells[each].spec) for each in planned.chosen),
            ]
        ]
        if "alarming" in folder.name:
            rows = [hungrier(row, 99 * MIB) if row.block % 4 in (1, 2) else row for row in rows]
        put_run(folder, facts, rows)

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(taking, "take_here", take)
    Path("tiny.yaml").write_text(CONFIG)
    return seen


def test_a_quiet_environment_is_exit_code_0(asked: list[Planned], capsys: Text) -> None:
    assert call("aa", "tiny.yaml", "--rounds", "7") == 0
    said = capsys.readouterr().out
    assert said.startswith("results/tiny-aa against itself: 2 comparisons of 3 against 3 samples\n")
    assert "false alarms per run:  0 of 2 (0.0 %; 95 % interval 0.0 % to 84.2 %)" in said
    assert asked[0].plan.samples == 14
    assert asked[0].config.name == "tiny-aa"


def test_alarms_are_exit_code_3_and_named(asked: list[Planned], capsys: Text) -> None:
    assert call("aa", "tiny.yaml", "--rounds", "20", "--samples", "4", "--out", "alarming") == 3
    said = capsys.readouterr().out
    assert "false alarms per cell: 5 of 5 (100.0 %" in said.replace("100 %;", "100.0 %;")
    assert "comparison 1, wine, 100 rows, dense-c, xgboost hist: peak_memory worse, +" in said


def test_fresh_keeps_the_earlier_samples_aside(asked: list[Planned], capsys: Text) -> None:
    assert call("aa", "tiny.yaml", "--rounds", "6") == 0
    assert call("aa", "tiny.yaml", "--rounds", "6", "--fresh") == 0
    assert "the earlier run is kept in results/tiny-aa.old1" in capsys.readouterr().err
    assert len(asked) == 2


def test_json(asked: list[Planned], capsys: Text) -> None:
    assert call("aa", "tiny.yaml", "--rounds", "6", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["per_run"]["of"] == said["comparisons"] == 2
    assert said["per_run"]["high"] == pytest.approx(0.8419, abs=1e-4)


def test_too_few_rounds_are_refused(asked: list[Planned], capsys: Text) -> None:
    assert call("aa", "tiny.yaml", "--rounds", "2") == 1
    assert "one comparison takes 3 samples a side" in capsys.readouterr().err
    assert not asked
