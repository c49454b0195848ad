from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.analysis.rows import facts, failed, samples, spec
from tests.cli.runs import put_run
from treebench.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_a_report_is_a_page_and_every_picture_it_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = [spec(rows=rows) for rows in (20_000, 80_000)]
    rows = [row for cell in cells for row in samples(cell)]
    folder = put_run(tmp_path / "a run", facts(cells), rows)
    assert call("report", str(folder)) == 0
    out = capsys.readouterr().out.splitlines()
    report = folder / "report"
    written = {str(path) for path in report.rglob("*") if path.is_file()}
    assert set(out[:-1]) == written
    assert out[-1].startswith(f"next: open '{folder}/report/index.html' in a browser")
    page = (folder / "report" / "report.md").read_text()
    shown = set(re.findall(r"\(([\w-]+\.(?:png|svg))\)", page))
    assert shown == {path.name for path in report.iterdir() if path.suffix in (".png", ".svg")}
    assert (report / "csv" / "results.csv").read_text().count("\n") == 3
    assert "time-by-rows.png" in shown


def test_the_paths_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = put_run(tmp_path / "one", facts([spec()], planned=1), samples(spec(), 1))
    assert call("report", str(folder), "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["run"] == "test"
    assert said["files"][0] == str(folder / "report" / "index.html")


def test_nothing_measured_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = put_run(tmp_path / "dead", facts([spec()]), [failed(spec(), 0, "oom", "killed")])
    assert call("report", str(folder)) == 4
    assert "ended well, so there is nothing to report" in capsys.readouterr().err
    assert not (folder / "report").exists()
