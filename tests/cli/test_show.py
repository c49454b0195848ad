from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.analysis.forests import forests
from tests.analysis.rows import facts, failed, realistic, samples, spec
from tests.cli.runs import put_run
from treebench.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    put_run(tmp_path / "results" / "sweep", *realistic())
    return tmp_path / "results"


def test_a_run_is_found_by_name_and_by_path(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("show", "sweep") == 0
    by_name = capsys.readouterr().out
    assert call("show", str(results / "sweep")) == 0
    by_path = capsys.readouterr().out
    assert by_name.splitlines()[0].startswith("test: 28 cells, 136 samples")
    assert by_name.splitlines()[:30] == by_path.splitlines()[:30]


def test_json_has_raw_figures_with_units_in_their_names(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("show", "sweep", "--json", "--sort", "time") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["samples_finished"], said["samples_planned"]) == (136, 140)
    assert said["control"]["drift_percent"] is not None
    cell = next(c for c in said["cells"] if c["missing"].get("peak_rss_bytes"))
    assert cell["peak_rss_bytes"] is None
    assert cell["missing"]["peak_rss_bytes"] == ["fit: /proc/PID/clear_refs is not writable"]
    assert cell["construct_fit_wall_ns"]["level"] == 0.9375
    assert len(cell["construct_fit_wall_ns"]["samples"]) == 5
    times = [
        c["construct_fit_wall_ns"]["median"]
        for c in said["cells"]
        if c["construct_fit_wall_ns"] and c["spec"]["dataset"] == "flights"
    ]
    assert times == sorted(times)


def test_phases(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", "sweep", "--phases") == 0
    assert "Peak RSS of each phase" in capsys.readouterr().out


def test_one_cell_by_the_beginning_of_its_id(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("show", "sweep", "--cell", spec().id[:6]) == 0
    assert capsys.readouterr().out.startswith(f"{spec().id}: flights, 20,000 rows")
    assert call("show", "sweep", "--cell", spec().id, "--json") == 0
    assert [c["cell"] for c in json.loads(capsys.readouterr().out)["cells"]] == [spec().id]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "no run in nowhere nor in results/nowhere; in results/ there are: sweep"),
        (("sweep", "--sort", "colour"), "--sort is 'colour'; allowed: rows, time"),
        (("sweep", "--cell", "zz"), "--cell is 'zz', which no cell of sweep begins with"),
        (("sweep", "--cell", ""), "--cell is '', which begins 28 ids"),
    ],
)
def test_a_mistake_is_one_line(
    results: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert call("show", *arguments) == 1
    answer = capsys.readouterr()
    assert answer.out == ""
    assert answer.err.startswith(f"treebench: {said}")
    assert answer.err.count("\n") == 1


def test_nothing_measured_has_its_own_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = spec()
    folder = put_run(
        tmp_path / "dead", facts([cell], planned=1), [failed(cell, 0, "oom", "killed")]
    )
    assert call("show", str(folder)) == 4
    out = capsys.readouterr().out
    assert "1 of 1 oom: killed" in out
    assert f"next: treebench show {folder} --cell {cell.id}" in out


def test_a_run_that_has_just_begun_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [spec(), spec(layout="csr")]
    folder = put_run(tmp_path / "begun", facts(cells), samples(cells[0], 1))
    assert call("show", str(folder)) == 0
    assert "partial run: 1 of 10 samples have an outcome (10.0 %)" in capsys.readouterr().out


@pytest.fixture
def forests_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    put_run(tmp_path / "results" / "forests", *forests())


@pytest.mark.usefixtures("forests_run")
def test_cells_are_compared_at_equal_score(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", "forests", "--equal-score", "auto") == 0
    assert "AUC 0.8800 (the best score that every series reaches)" in capsys.readouterr().out
    assert call("show", "forests", "--equal-score", "0.885", "--json") == 0
    [compared] = json.loads(capsys.readouterr().out)
    assert {one["how"] for one in compared["series"]} == {"interpolated", "not reached"}


@pytest.mark.usefixtures("forests_run")
@pytest.mark.parametrize("asked", ["best", "nan", "inf", ""])
def test_a_score_that_is_none_is_refused(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", "forests", "--equal-score", asked) == 1
    said = capsys.readouterr().err
    assert f"--equal-score is {asked!r}; allowed: auto, or a score such as 0.9" in said


@pytest.mark.usefixtures("forests_run")
def test_the_table_has_the_trees_peak_where_jobs_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", "forests") == 0
    assert "tree peak" in capsys.readouterr().out
