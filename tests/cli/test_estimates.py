"""What `plan` and `run` say of memory and time before anything runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_show import call

if TYPE_CHECKING:
    from pathlib import Path

SWEEP = ("quickstart", "--set", "data.set=tiny", "--set", "data.rows=[500]")


@pytest.fixture(autouse=True)
def _own_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_explain_says_where_the_memory_goes(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("plan", *SWEEP, "--only", "trainer=lightgbm", "--explain") == 0
    said = capsys.readouterr().out
    assert "Where the memory goes" in said
    assert "MiB  interpreter and libraries" in said
    assert "by the coefficients shipped with treebench" in said
    assert "time: not known, since no sample of its kind was taken here" in said


def test_json_has_the_estimate_of_each_cell(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("plan", *SWEEP, "--json") == 0
    for cell in json.loads(capsys.readouterr().out)["cells"]:
        memory = cell["estimate"]["memory"]
        assert memory["low_bytes"] < memory["mid_bytes"] < memory["high_bytes"]
        assert cell["estimate"]["seconds"] is None


def test_a_limit_below_the_libraries_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("plan", *SWEEP, "--set", "memory_limit=64MiB") == 0
    said = capsys.readouterr().out
    assert "may not fit their memory_limit" in said


def test_a_machine_that_is_too_small_is_warned_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treebench.report.plan_text.available_memory_bytes", lambda: 100 << 20)
    assert call("plan", *SWEEP) == 0
    assert "may not fit the 100 MiB of memory there is" in capsys.readouterr().out


def test_what_runs_in_other_processes_is_not_modelled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    forest = ("--set", "reference.trainer=loky-forest-memmap", "--set", "variants=[]")
    assert call("plan", *SWEEP, *forest, "--explain") == 0
    said = capsys.readouterr().out
    assert "the memory of loky-forest-memmap is not modelled" in said


def test_samples_of_the_run_tell_the_time_and_calibrate(capsys: pytest.CaptureFixture[str]) -> None:
    one = (*SWEEP, "--set", "samples=1", "--only", "trainer=lightgbm")
    assert call("run", *one) == 0
    assert call("plan", *one, "--explain") == 0
    said = capsys.readouterr().out
    assert "by samples of this run" in said
    assert "time: about" in said
