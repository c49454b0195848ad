"""The file of accepted shifts: what it says of mistakes, and two that write it at once."""

from __future__ import annotations

import fcntl
import threading
from typing import TYPE_CHECKING

import pytest

from tests.history import made
from treebench.errors import RunFolderError
from treebench.history.acknowledged import Acknowledged, acknowledge, read_acknowledged

if TYPE_CHECKING:
    from pathlib import Path

FIRST = Acknowledged("m", "abc", "fit_time", made.name(3), made.name(4), "safer", "tiny, hist")
SECOND = Acknowledged("m", "def", "fit_time", made.name(3), made.name(4), "exact ties")


def test_an_entry_comes_back_and_is_written_anew_not_twice(tmp_path: Path) -> None:
    for each in (FIRST, SECOND, FIRST):
        acknowledge(tmp_path, each)
    assert read_acknowledged(tmp_path) == (SECOND, FIRST)


def test_two_at_once_lose_no_entry(tmp_path: Path) -> None:
    path = acknowledge(tmp_path, FIRST)
    other = threading.Thread(target=acknowledge, args=(tmp_path, SECOND))
    with (tmp_path / ".acknowledged.yaml.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        other.start()
        other.join(0.2)
        assert other.is_alive(), "it waits"
        path.write_text(path.read_text().replace("cell: abc", "cell: ghi"))
    other.join(20)
    assert [each.cell for each in read_acknowledged(tmp_path)] == ["ghi", "def"]


def test_mistakes_are_told_all_at_once_in_the_words_of_every_file(tmp_path: Path) -> None:
    path = tmp_path / "acknowledged.yaml"
    path.write_text(
        "acknowledged:\n"
        f"- {{machine: m, cell: a, figure: fit_time, since: {made.name(1)}, seen: x, reason: ''}}\n"
        "- {machine: m, cell: 1, figure: fit_time, since: x, sen: x, reason: r}\n"
    )
    with pytest.raises(RunFolderError) as caught:
        read_acknowledged(tmp_path)
    assert sorted(caught.value.problems) == [
        f"{path}: acknowledged.0.reason is ''; it must not be empty",
        f"{path}: acknowledged.1.cell is 1; it must be text",
        f"{path}: acknowledged.1.seen is missing; add it",
        f"{path}: acknowledged.1.sen is no key here (did you mean seen?); allowed: cell, figure, "
        f"machine, place, reason, seen, since",
    ]


def test_a_night_that_is_none_is_named_by_its_key(tmp_path: Path) -> None:
    path = tmp_path / "acknowledged.yaml"
    path.write_text(
        "acknowledged:\n"
        f"- {{machine: m, cell: a, figure: f, since: {made.name(1)}, seen: tonight, reason: r}}\n"
    )
    with pytest.raises(RunFolderError, match=r"acknowledged\.0\.seen is 'tonight'; write a night"):
        read_acknowledged(tmp_path)


def test_a_file_that_is_no_mapping_is_said(tmp_path: Path) -> None:
    (tmp_path / "acknowledged.yaml").write_text("- one\n")
    with pytest.raises(RunFolderError, match=r"the file is \['one'\]; it must be a mapping"):
        read_acknowledged(tmp_path)
