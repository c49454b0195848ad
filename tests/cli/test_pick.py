"""`pick` as far as nothing is measured: what was asked, whose data it is, how far it is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.picking.world import MIB, World, dead, picked, question
from treebench.cli import main
from treebench.cli.pick_data import pick_data
from treebench.cli.pick_progress import PickProgress
from treebench.cli.pick_take import JournalTake, usable_rows
from treebench.errors import DataError
from treebench.picking.cells import Cells, Size
from treebench.picking.space import holdings, learners, starting_point
from treebench.picking.tried import Tried
from treebench.plan.build import PlannedCell
from treebench.runner.code_version import code_version
from treebench.runner.local import LocalExecutor
from treebench.store.journal import Journal, read_rows
from treebench.store.row import SampleRow, Status


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A file of 200 rows with a number, a text and a label."""
    path = tmp_path / "mine.parquet"
    table = {
        "x": [float(i % 37) for i in range(200)],
        "kind": ["ab"[i % 2] for i in range(200)],
        "late": [int(i % 3 == 0) for i in range(200)],
    }
    pq.write_table(pa.table(table), path)
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tiny"], "--memory"),
        (["tiny", "--memory", "much"], "--memory is 'much'; it must be a size"),
        (["tiny", "--memory", "1GiB", "--time", "soon"], "--time is 'soon'; it must be a time"),
        (["tiny", "--memory", "1GiB", "--threads", "0"], "--threads is '0'; allowed"),
        (["tiny", "--memory", "1GiB", "--threads", "9999"], "may use"),
        (["tiny", "--memory", "1GiB", "--trainers", "dask-xgboost"], "--trainers has dask-xgboost"),
        (["tiny", "--memory", "1GiB", "--trainers", ","], "--trainers has no name"),
        (["nothing-like-it", "--memory", "1GiB"], "no data set is called"),
        (["gone.parquet", "--memory", "1GiB"], "gone.parquet"),
        (["tiny", "--memory", "1GiB", "--target", "y"], "leave out --target"),
    ],
)
def test_a_mistake_is_told_in_a_line_and_nothing_is_left(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("pick", *arguments) == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert said in lines[-1]
    assert not Path("results").exists()


def test_a_file_needs_its_label(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("pick", str(own), "--memory", "1GiB") == 1
    assert "--target" in capsys.readouterr().err


def test_what_the_import_has_to_be_told_is_said_with_the_command_that_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import datetime

    days = [datetime.date(2020, 1, 1 + i % 28) for i in range(60)]
    pq.write_table(pa.table({"day": days, "y": [i % 2 for i in range(60)]}), tmp_path / "d.parquet")
    assert call("pick", "d.parquet", "--target", "y", "--memory", "1GiB") == 1
    told = capsys.readouterr().err
    assert "`--datetime epoch`" in told
    assert (
        "--datetime is an option of `treebench data import d.parquet --target y`; import it so, "
        "then pick by the data set's name"
    ) in told


def test_a_file_is_imported_once(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = pick_data(str(own), "late")
    assert first.name == "mine"
    assert first.manifest.train_rows == first.search_manifest.train_rows + (
        first.search_manifest.test_rows
    )
    capsys.readouterr()
    again = pick_data(str(own), "late")
    assert again.manifest.identity_sha256 == first.manifest.identity_sha256
    assert "imported before, as mine" in capsys.readouterr().err


def test_a_file_that_has_changed_since_is_not_taken_for_the_old_one(own: Path) -> None:
    pick_data(str(own), "late")
    pq.write_table(pq.read_table(own).slice(0, 150), own)
    with pytest.raises(DataError, match="--force"):
        pick_data(str(own), "late")


class Lines:
    """What would be on the screen."""

    def __init__(self) -> None:
        self.statuses: list[tuple[int, int, str]] = []
        self.lines: list[str] = []

    def status(self, done: int, total: int, text: str) -> None:
        self.statuses.append((done, total, text))

    def line(self, text: str) -> None:
        self.lines.append(text)


def test_progress_counts_up_to_what_it_foresaw_and_says_the_best_so_far() -> None:
    display = Lines()
    picked(question(4096 * MIB), World(), told=PickProgress(display))
    done = [each[0] for each in display.statuses]
    assert done == list(range(len(done)))
    assert all(number < total for number, total, _ in display.statuses)
    assert display.statuses[0][2].startswith("pilot: toy.search")
    assert "best AUC" in display.statuses[-1][2]
    assert "left" in display.statuses[-1][2]
    assert display.statuses[-1][2].startswith("proof: toy 100,000")


def test_progress_tells_a_death() -> None:
    display = Lines()
    world = World(kills={("method", "exact"): "oom"})
    picked(question(4096 * MIB), world, told=PickProgress(display))
    assert any("oom in fit: it was killed" in line for line in display.lines)


def a_cell() -> PlannedCell:
    asked = question(4096 * MIB)
    learner = learners(asked)[0]
    cell = Cells(asked).cell(starting_point(learner), holdings(learner)[0], Size(1000))
    assert isinstance(cell, PlannedCell)
    return cell


def a_sample(metric: str, score: float) -> Tried:
    learner = learners(question(4096 * MIB))[0]
    return Tried(
        starting_point(learner), holdings(learner)[0], 0, Size(1000), "c", "ok", metric, score
    )


@pytest.mark.parametrize(
    ("metric", "first", "later", "shown"),
    [("r2", 0.0, 0.5, "0.5"), ("r2", 0.5, 0.0, "0.5"), ("auc", 0.7, 0.8, "0.8")],
)
def test_the_best_so_far_is_the_best_whatever_its_sign(
    metric: str, first: float, later: float, shown: str
) -> None:
    display = Lines()
    told = PickProgress(display)
    for score in (first, later):
        told.ended(a_sample(metric, score))
    told.began("rung 1", a_cell())
    assert f" {shown}" in display.statuses[-1][2]


@pytest.mark.parametrize(
    ("status", "kept"),
    [("oom", True), ("timeout", False), ("interrupted", False), ("error", False)],
)
def test_a_sample_that_may_end_otherwise_is_taken_again_by_the_next(
    status: Status, kept: bool
) -> None:
    facts = {"machine": {"fingerprint": "m"}, "code": "c", "versions": {"xgboost": "3"}}
    row: SampleRow = dead(a_cell(), status, "fit")
    row.must_match.update({"machine": "m", "code": "c", "versions": {"xgboost": "3"}})
    assert bool(usable_rows([row], facts)) is kept
    assert not usable_rows([row], {**facts, "code": "d"})


def test_data_that_goes_away_ends_the_picking_with_the_remedy(tmp_path: Path) -> None:
    """Every further sample would fail in the same way, through no fault of its own."""
    code, folders = code_version(), {"toy.search": tmp_path / "gone"}
    executor = LocalExecutor("run", folders, 9.0, {"fingerprint": "f"}, code)
    facts = {"code": code, "plan": {"cells": []}}
    with Journal(tmp_path / "samples.jsonl") as journal:
        take = JournalTake(executor, tmp_path, journal, facts)
        with pytest.raises(DataError, match=r"data is gone, .*type the same command again"):
            take(a_cell(), 9.0)
    (row,) = read_rows(tmp_path / "samples.jsonl")
    assert row.status == "error"
    assert take.rows == {}
