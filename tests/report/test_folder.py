from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from treebench.errors import RunFolderError
from treebench.report.folder import write_report

if TYPE_CHECKING:
    from pathlib import Path


def test_a_report_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    write_report(tmp_path, {"report.md": b"one", "old.png": b"x"})
    paths = write_report(tmp_path, {"report.md": b"two"})
    assert paths == [tmp_path / "report" / "report.md"]
    assert paths[0].read_bytes() == b"two"
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["report.md"]
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_failure_keeps_the_earlier_report_and_leaves_nothing_behind(tmp_path: Path) -> None:
    write_report(tmp_path, {"report.md": b"one"})
    with pytest.raises(RunFolderError, match="cannot write"):
        write_report(tmp_path, {"report.md": b"two", "no/such/folder.png": b"x"})
    assert (tmp_path / "report" / "report.md").read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_what_a_killed_process_left_is_taken_away_and_what_a_running_one_writes_is_not(
    tmp_path: Path,
) -> None:
    with subprocess.Popen(["true"]) as ended:
        pass
    for name in (f".report.{ended.pid}", f".report.{ended.pid}.earlier", ".report.1"):
        (tmp_path / name).mkdir()
    write_report(tmp_path, {"report.md": b"one"})
    assert {path.name for path in tmp_path.iterdir()} == {"report", ".report.1"}
