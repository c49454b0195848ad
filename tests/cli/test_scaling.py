from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.analysis.curves.growing import SIZES, grown_rows, hist, lightgbm
from tests.analysis.rows import facts, failed, realistic
from tests.cli.runs import put_run
from tests.cli.test_show import call
from treebench.report import folder as report_folder

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.plan.cell import CellSpec


def linear(cell: CellSpec) -> float:
    return 2000.0 * cell.rows


@pytest.fixture
def grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    cells = [*map(hist, SIZES), *map(lightgbm, SIZES)]
    return put_run(tmp_path / "results" / "grown", facts(cells), grown_rows(cells, linear))


def test_a_run_is_shown_and_drawn(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("scaling", "grown", "--figure", "fit_time") == 0
    said = capsys.readouterr().out
    assert "fit_time against rows: wall time of the phase fit" in said
    assert "xgboost hist  6: 10k to 320k" in said
    assert "What theory says" in said
    path = grown / "report" / "scaling-fit_time-by-rows.png"
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.with_suffix(".svg").is_file()
    assert f"next: look at results/grown/report/{path.name}" in said


def test_pictures_are_put_beside_an_earlier_report(grown: Path) -> None:
    (grown / "report").mkdir()
    (grown / "report" / "report.md").write_text("earlier")
    assert call("scaling", "grown", "--figure", "fit_time") == 0
    assert (grown / "report" / "report.md").read_text() == "earlier"
    assert {path.suffix for path in (grown / "report").iterdir()} == {".md", ".png", ".svg"}


def test_a_folder_that_cannot_be_written_is_said(
    grown: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (grown / "report").write_text("a file")
    assert call("scaling", "grown", "--figure", "fit_time") == 1
    assert "cannot write results/grown/report" in capsys.readouterr().err
    assert report_folder.PAGE_NAME == "report.md"


def test_a_prediction_has_its_interval(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("scaling", "grown", "--figure", "fit_time", "--at", "1000000")
    assert call(*arguments) == 0
    said = capsys.readouterr().out
    assert re.search(r"flights, xgboost hist: (1\.9|2\.0)\d s, 90 % interval \S+ s to", said)
    assert call(*arguments, "--json") == 0
    raw = json.loads(capsys.readouterr().out)
    assert [each["series"] for each in raw["predictions"]] == ["xgboost hist", "lightgbm"]
    for each in raw["predictions"]:
        assert each["low"] <= each["value"] <= each["high"]
        assert each["value"] == pytest.approx(2e9, rel=0.15)
        assert each["refused"] is None
    assert raw["curves"][0]["axis"] == "rows"
    assert len(raw["files"]) == 2


def test_too_far_is_refused_unless_asked_for(
    grown: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("scaling", "grown", "--figure", "fit_time", "--at", "3200000")
    assert call(*arguments) == 1
    assert "10.0 times the largest size measured" in capsys.readouterr().err
    assert call(*arguments, "--far") == 0
    assert "90 % interval" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--axis", "max_bin"), "--axis is 'max_bin', which does not vary in grown; use: rows"),
        (("--figure", "speed"), "'speed' is no figure"),
        (("--only", "speed=1"), "'speed' is no field of a cell"),
        (("--at", "-5"), "--at is -5; it must be a number above 0"),
        (("--host", "one"), "it was taken on no cluster"),
    ],
)
def test_mistakes_are_said_in_one_line(
    grown: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert call("scaling", "grown", *arguments) == 1
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_at_needs_to_know_its_axis(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [hist(rows, n_estimators=trees) for rows in SIZES[:3] for trees in (5, 10, 20)]
    put_run(grown.with_name("two"), facts(cells), grown_rows(cells, linear))
    assert call("scaling", "two", "--figure", "fit_time", "--at", "50") == 1
    assert "add --axis with one of: rows, n_estimators" in capsys.readouterr().err
    assert (
        call("scaling", "two", "--figure", "fit_time", "--at", "50", "--axis", "n_estimators") == 0
    )
    assert "fit_time over several axes at once" in capsys.readouterr().out


def test_one_trainer_alone(grown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("scaling", "grown", "--figure", "fit_time", "--only", "trainer=lightgbm") == 0
    said = capsys.readouterr().out
    assert "lightgbm" in said
    assert "xgboost" not in said.split("What theory says")[0]


def test_nothing_that_varies_or_fits_ends_with_4(
    grown: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [hist(10_000)]
    put_run(grown.with_name("still"), facts(cells), grown_rows(cells, linear))
    assert call("scaling", "still") == 4
    assert "no number varies within a series of still" in capsys.readouterr().err
    cells = [hist(rows) for rows in SIZES]
    bad = [failed(cell, 0, "error", "no") for cell in cells]
    put_run(grown.with_name("bad"), facts(cells), bad)
    assert call("scaling", "bad", "--figure", "fit_time") == 4
    told = capsys.readouterr().out
    assert "no curve, no size has a sample with this figure" in told
    assert "rows 10,000 and 20,000 and 40,000 and 80,000 and 160,000 and 320,000 are left" in told
    assert told.endswith("next: treebench show bad\n")
    assert not (grown.with_name("bad") / "report").exists()
    put_run(grown.with_name("few"), facts(cells[:2]), grown_rows(cells[:2], linear))
    assert call("scaling", "few", "--figure", "fit_time") == 4
    assert "with three or more values of an axis" in capsys.readouterr().out


def test_a_run_on_several_hosts_is_shown_by_host(
    grown: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [hist(rows) for rows in SIZES]
    rows = [
        dataclasses.replace(row, must_match={"host": f"host-{row.block % 2}"})
        for row in grown_rows(cells, linear)
    ]
    put_run(grown.with_name("hosts"), facts(cells), rows)
    assert call("scaling", "hosts", "--figure", "fit_time", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said["hosts"]) == ["host-0", "host-1"]
    files = [path for part in said["hosts"].values() for path in part["files"]]
    assert len(set(files)) == 4


def test_the_report_has_curves(
    grown: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treebench.report.charts.pictures", lambda _: [])
    assert call("report", "grown") == 0
    page = (grown / "report" / "report.md").read_text()
    assert "## How cost grows" in page
    assert "scaling-construct_fit_time-by-rows.png" in page
    assert (grown / "report" / "scaling-construct_fit_time-by-rows.png").is_file()
    assert "next" in capsys.readouterr().out


def test_the_realistic_run_does_not_break_it(
    grown: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_run(grown.with_name("sweep"), *realistic())
    assert call("scaling", "sweep", "--figure", "fit_time", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    problems = {each["place"] for each in said["curves"] if each["problem"]}
    assert "flights-onehot" in problems
    assert any(each["segments"] for each in said["curves"])
