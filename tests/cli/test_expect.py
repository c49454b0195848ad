"""`run --expect`, and what `show` and `log` make of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.analysis.rows import EXACT, HIST, facts, samples, spec
from tests.cli.runs import put_run
from treebench.cli import main

EXACT_CELL, HIST_CELL = spec(params=EXACT), spec(params=HIST)


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")


def put(name: str, expect: str | None, started_at: str = "2025-06-01T10:00:00+00:00") -> None:
    stated = facts([EXACT_CELL, HIST_CELL], name=name)
    rows = [*samples(EXACT_CELL), *samples(HIST_CELL)]
    more = {"expect": expect, "note": f"about {name}", "started_at": started_at}
    put_run(Path("results") / name, {**stated, **more}, rows)


@pytest.mark.parametrize(
    ("expect", "outcome"),
    [
        ("fit_time(hist) < 0.3 * fit_time(exact)", "holds"),
        ("fit_time(hist) > fit_time(exact)", "fails"),
        ("fit_time(hist) < fit_time(nobody)", "cannot tell"),
        ("faster, I hope", "cannot tell"),
    ],
)
def test_show_says_expected_measured_and_verdict(
    expect: str, outcome: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put("mine", expect)
    assert call("show", "mine") == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"expected {expect}: {outcome}")
    assert ("measured" in last) == (outcome in ("holds", "fails"))
    assert call("show", "mine", "--json") == 0
    said = json.loads(capsys.readouterr().out)["expected"]
    assert (said["text"], said["outcome"]) == (expect, outcome)


def test_both_sides_are_shown_in_their_unit(capsys: pytest.CaptureFixture[str]) -> None:
    put("mine", "fit_time(hist) < 0.3 * fit_time(exact)")
    call("show", "mine")
    assert "measured 15" in (last := capsys.readouterr().out.splitlines()[-1])
    assert " ms (" in last


def test_the_report_says_it_too() -> None:
    put("mine", "fit_time(hist) < 0.3 * fit_time(exact)")
    assert call("report", "mine") == 0
    page = (Path("results") / "mine" / "report" / "report.md").read_text()
    assert r"Expected: fit\_time(hist) \< 0.3 \* fit\_time(exact): holds; measured 15" in page


def test_a_run_without_expectation_says_nothing_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    put("mine", None)
    call("show", "mine")
    assert "expected" not in capsys.readouterr().out
    call("show", "mine", "--json")
    assert json.loads(capsys.readouterr().out)["expected"] is None


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ("fit_time(hist) <", "cannot be read"),
        ("fit_time(hist)", "compares nothing"),
        ("speed(hist) < 1", "'speed' is no figure"),
    ],
)
def test_an_expectation_that_cannot_be_read_stops_the_run_before_it_begins(
    expect: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("run", "quickstart", "--expect", expect) == 1
    assert said in capsys.readouterr().err
    assert not Path("results").exists()


def test_log_lists_runs_by_date_with_note_and_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    put("second", "fit_time(hist) < fit_time(exact)", "2025-06-02T10:00:00+00:00")
    put("first", None, "2025-06-01T10:00:00+00:00")
    (Path("results") / "broken").mkdir()
    (Path("results") / "broken" / "run.json").write_text("{")
    assert call("log") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2025-06-01 10:00  first  10 samples, in results/first")
    assert lines[1] == "  note: about first"
    assert lines[2].startswith("2025-06-02 10:00  second")
    assert lines[4].startswith("  expected fit_time(hist) < fit_time(exact): holds; measured")
    assert lines[5].startswith("results/broken: results/broken/run.json is damaged")
    assert lines[-1] == "next: treebench show results/second"


def test_log_for_programs_and_of_an_empty_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("log") == 1
    assert "no run in results; make one" in capsys.readouterr().err
    put("mine", "fit_time(hist) < fit_time(exact)")
    assert call("log", "results", "--json") == 0
    [entry] = json.loads(capsys.readouterr().out)
    assert (entry["run"], entry["samples_ok"], entry["note"]) == ("mine", 10, "about mine")
    assert entry["expected"]["outcome"] == "holds"
