"""A run on several hosts on the screen and in a report: each host by itself."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest

from tests.analysis.rows import realistic
from tests.cli.runs import put_run
from treebench.cli import main
from treebench.errors import ExitCode
from treebench.report.hosts_text import stems
from treebench.store.row import SampleRow


def on(host: str, row: SampleRow) -> SampleRow:
    return dataclasses.replace(row, must_match={**row.must_match, "host": host})


@pytest.fixture
def run(tmp_path: Path) -> str:
    """A run whose even blocks are of `left`, the odd ones of `right/2`."""
    facts, rows = realistic()
    machine = facts["machine"]
    hosts = {name: {"machine": {**machine, "cpu": name}} for name in ("left", "right/2")}
    parted = [on("right/2" if row.block % 2 else "left", row) for row in rows]
    return str(put_run(tmp_path / "run", {**facts, "hosts": hosts}, parted))


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    return int(end.value.code or 0)


def test_show_has_a_table_for_each_host(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", run) == ExitCode.OK
    shown = capsys.readouterr().out
    name = json.loads(Path(run, "run.json").read_text())["run"]
    assert "2 hosts (left, right/2); figures of two are not mixed" in shown.splitlines()[0]
    assert f"{name} on left: " in shown
    assert f"{name} on right/2: " in shown
    assert shown.count("control cell: ") == 2


def test_show_of_one_host_is_that_hosts_alone(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", run, "--host", "right/2") == ExitCode.OK
    assert "on left" not in capsys.readouterr().out
    assert call("show", run, "--host", "nobody") == ExitCode.USAGE
    assert "it has samples of left, right/2" in capsys.readouterr().err


def test_json_is_one_object_by_host(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", run, "--json") == ExitCode.OK
    shown = json.loads(capsys.readouterr().out)
    assert set(shown["hosts"]) == {"left", "right/2"}
    assert shown["hosts"]["left"]["cells"]


def test_a_report_has_a_page_for_each_host_and_one_that_leads_to_them(
    run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("report", run) == ExitCode.OK
    folder = Path(run, "report")
    first = (folder / "report.md").read_text()
    assert "none is mixed from two" in first
    for link in ("host1-left.md", "host2-right_2.md"):
        assert f"({link})" in first
        page = (folder / link).read_text()
        pictures = [
            word for word in page.replace("(", " ").replace(")", " ").split() if ".png" in word
        ]
        assert pictures
        assert all((folder / picture).is_file() for picture in pictures)
    assert capsys.readouterr().out.splitlines()[0] == os.fspath(folder / "index.html")
    leading = (folder / "index.html").read_text()
    assert 'href="host1-left.html"' in leading
    assert "spec-" in (folder / "host1-left.html").read_text()


def test_no_two_hosts_share_a_file() -> None:
    assert len(set(stems(["a/b", "a_b", "a b"]).values())) == 3
