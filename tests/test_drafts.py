"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from treebench.drafts import ROOM_OR_OUT, draft_of, has_ended, write_files, write_whole
from treebench.errors import DataError, RunFolderError

PLACE = "x[1].json"
"""A name with what a pattern would take for its own."""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_half(place: Path, stop: type[BaseException]) -> None:
    with draft_of(place) as draft:
        draft.write_text("tw")
        raise stop


def ended_pid() -> int:
    with subprocess.Popen(["true"]) as ended:
        pass
    return ended.pid


def test_the_earlier_file_is_there_until_the_whole_new_one_is(tmp_path: Path) -> None:
    place = tmp_path / PLACE
    place.write_text("one")
    with draft_of(place) as draft:
        draft.write_text("two")
        assert place.read_text() == "one"
        assert names(tmp_path) == [f".{PLACE}.{os.getpid()}.part", PLACE]
    assert place.read_text() == "two"
    assert names(tmp_path) == [PLACE]


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_what_was_stopped_half_way_leaves_the_earlier_file_alone(
    tmp_path: Path, stop: type[BaseException]
) -> None:
    (tmp_path / PLACE).write_text("one")
    with pytest.raises(stop):
        write_half(tmp_path / PLACE, stop)
    assert (tmp_path / PLACE).read_text() == "one"
    assert names(tmp_path) == [PLACE]


def test_the_disk_has_it_before_it_takes_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(os, "fsync", lambda _: seen.append(names(tmp_path)))
    write_whole(tmp_path / PLACE, b"one", DataError, ROOM_OR_OUT)
    assert seen == [[f".{PLACE}.{os.getpid()}.part"]]


def test_the_rights_are_those_that_the_person_gives_new_files(tmp_path: Path) -> None:
    earlier = os.umask(0o027)
    try:
        write_whole(tmp_path / PLACE, b"one", DataError, ROOM_OR_OUT)
    finally:
        os.umask(earlier)
    assert (tmp_path / PLACE).stat().st_mode & 0o777 == 0o640


def test_a_full_disk_is_said_in_the_callers_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    place = tmp_path / PLACE
    with pytest.raises(RunFolderError) as caught:
        write_whole(place, b"one", RunFolderError, ROOM_OR_OUT)
    reason = "(No space left on device); make room, or choose --out"
    assert str(caught.value) == f"cannot write {place} {reason}"
    with pytest.raises(DataError) as refused:
        write_files(tmp_path, {PLACE: b"one"}, DataError, ROOM_OR_OUT)
    assert str(refused.value) == f"cannot write {tmp_path} {reason}"
    assert names(tmp_path) == []


def test_files_lie_in_folders_by_their_names_and_none_takes_one_away(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    write_files(folder, {"a.md": b"one", "tables/b.csv": b"two"}, RunFolderError, ROOM_OR_OUT)
    assert (folder / "tables" / "b.csv").read_bytes() == b"two"
    write_files(folder, {"a.md": None, "never.md": None}, RunFolderError, ROOM_OR_OUT)
    assert names(folder) == ["tables"]


def test_drafts_of_killed_processes_go_and_those_of_others_and_of_other_files_stay(
    tmp_path: Path,
) -> None:
    ended = ended_pid()
    stays = [f".{PLACE}.1.part", f".x1.json.{ended}.part", f".{PLACE}.notes.part"]
    for name in (f".{PLACE}.{ended}.part", *stays):
        (tmp_path / name).write_text("half")
    write_whole(tmp_path / PLACE, b"one", DataError, ROOM_OR_OUT)
    assert names(tmp_path) == sorted([*stays, PLACE])


def test_a_process_has_ended_or_runs_whoever_it_belongs_to() -> None:
    assert has_ended(ended_pid())
    assert not has_ended(os.getpid())
    assert not has_ended(1)
