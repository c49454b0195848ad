"""Links in folders of results and of data: followed where a person put them for that, and nothing
that they lead to is changed or taken away."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.analysis.rows import CONTROL, exact_vs_hist, facts, samples
from tests.cli.runs import put_run
from tests.cli.test_show import call
from tests.data.imports import imported, refused
from treebench.report.folder import add_to_report
from treebench.store.run_folder import set_aside

CELLS = exact_vs_hist(sizes=(20_000,), layouts=("dense-c",))[:2]
ROWS = [row for cell in [*CELLS, CONTROL] for row in samples(cell)]


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder that is nobody's to write to, with a file that must stay."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def put(folder: Path) -> Path:
    return put_run(folder, facts(CELLS, name="r"), ROWS)


@pytest.mark.parametrize("verb", ["show r", "report r", "validate r", "log"])
def test_a_run_that_is_a_link_is_the_run_it_leads_to(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "disk" / "r")
    Path("results").mkdir()
    Path("results/r").symlink_to(tmp_path / "disk" / "r")
    assert call(*verb.split()) == 0
    assert capsys.readouterr().err == ""


def test_results_may_be_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "disk" / "r")
    Path("results").symlink_to(tmp_path / "disk")
    assert call("show", "r") == 0
    assert call("report", "r") == 0
    assert (tmp_path / "disk/r/report/index.html").is_file()


def test_a_link_back_lists_no_run_twice(capsys: pytest.CaptureFixture[str]) -> None:
    put(Path("results/r"))
    Path("results/all").symlink_to(".")
    Path("results/latest").symlink_to("r")
    Path("results/itself").symlink_to("itself")
    Path("results/nothing").symlink_to("/nowhere/at/all")
    assert call("log", "--json") == 0
    (only,) = json.loads(capsys.readouterr().out)
    assert only["folder"] == "results/r"
    for name in ("itself", "nothing"):
        assert call("show", name) == 1
        assert "no run in" in capsys.readouterr().err


def test_a_report_that_is_a_link_is_replaced_and_its_end_left_alone(elsewhere: Path) -> None:
    run = put(Path("results/r"))
    before = content(elsewhere)
    (run / "report").symlink_to(elsewhere)
    assert call("report", "r") == 0
    assert content(elsewhere) == before
    assert not (run / "report").is_symlink()
    assert (run / "report/index.html").is_file()
    left = {path.name for path in run.iterdir()}
    assert left == {"run.json", "samples.jsonl", "report"}


def test_what_is_added_to_a_report_does_not_follow_a_link_out(elsewhere: Path) -> None:
    run = put(Path("results/r"))
    before = content(elsewhere)
    (run / "report").symlink_to(elsewhere)
    add_to_report(run, {"scaling.md": b"x"})
    assert content(elsewhere) == before
    assert (run / "report/scaling.md").read_bytes() == b"x"


def test_an_earlier_run_that_is_a_link_is_kept_as_one(elsewhere: Path) -> None:
    put(elsewhere / "r")
    before = content(elsewhere)
    Path("results").mkdir()
    Path("results/r").symlink_to(elsewhere / "r")
    Path("results/r.old1").symlink_to("/nowhere/at/all")
    assert set_aside(Path("results/r")) == Path("results/r.old2")
    assert content(elsewhere) == before
    assert os.readlink("results/r.old2") == str(elsewhere / "r")
    assert os.readlink("results/r.old1") == "/nowhere/at/all"


def test_aside_is_no_name_that_a_link_to_nothing_has() -> None:
    put(Path("results/r"))
    Path("results/r.old1").symlink_to("/nowhere/at/all")
    assert set_aside(Path("results/r")) == Path("results/r.old2")


def table(start: int) -> pa.Table:
    rows = range(start, start + 20)
    return pa.table({"x": list(rows), "y": [row % 2 for row in rows]})


def test_linked_files_and_folders_of_data_are_read(tmp_path: Path) -> None:
    disk = tmp_path / "disk" / "year=2"
    disk.mkdir(parents=True)
    Path("data/year=1").mkdir(parents=True)
    pq.write_table(table(0), "data/year=1/a.parquet")
    pq.write_table(table(20), disk / "b.parquet")
    pq.write_table(table(40), tmp_path / "c.parquet")
    Path("data/year=2").symlink_to(disk)
    Path("data/year=1/c.parquet").symlink_to(tmp_path / "c.parquet")
    _, manifest, _ = imported("data")
    assert manifest.train_rows + manifest.test_rows == 60
    Path("all").symlink_to("data")
    _, again, _ = imported("all")
    assert again.content_sha256 == manifest.content_sha256


@pytest.mark.parametrize(
    ("link", "end", "said"),
    [
        ("data/b.parquet", "/nowhere.parquet", "data/b.parquet is a link to nothing; remove it"),
        ("data/b.parquet", "b.parquet", "data/b.parquet is a link to nothing; remove it"),
        ("data/b", ".", "data/b is a link back to a folder that it lies in; remove it"),
        ("data/in/b", "../..", "data/in/b/data is a link back to a folder that it lies in"),
    ],
)
def test_a_link_of_data_that_leads_nowhere_or_round_is_named(
    link: str, end: str, said: str
) -> None:
    Path("data/in").mkdir(parents=True)
    pq.write_table(table(0), "data/a.parquet")
    Path(link).symlink_to(end)
    (line,) = refused("data")
    assert line.startswith(said)


def test_a_made_set_that_is_a_link_to_nothing_is_made_again() -> None:
    pq.write_table(table(0), "t.parquet")
    folder, _, _ = imported("t.parquet")
    for path in sorted(folder.iterdir()):
        path.unlink()
    folder.rmdir()
    folder.symlink_to("/nowhere/at/all")
    assert imported("t.parquet", force=True)[0] == folder
    assert not folder.is_symlink()


def test_a_cache_may_be_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").mkdir()
    Path("cache").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("TREEBENCH_CACHE", "cache")
    pq.write_table(table(0), "t.parquet")
    folder, _, _ = imported("t.parquet")
    assert (tmp_path / "disk" / folder.name / "manifest.json").is_file()
