"""`pick` as far as nothing is measured: what was asked, whose data it is, how far it is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.picking.world import MIB, World, picked, question
from treebench.cli import main
from treebench.cli.pick_data import pick_data
from treebench.cli.pick_progress import PickProgress
from treebench.errors import DataError


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
