"""What lies in `pick.json`, and what becomes of a damaged or foreign one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.picking.world import MIB, World, picked, question
from treebench.errors import RunFolderError
from treebench.picking.state import FILE_NAME, State, read_state


def test_what_was_tried_reads_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    state = State(path, data_sha256="d")
    picked(question(4096 * MIB), World(), state)
    again = read_state(path, "d")
    assert again.tried == state.tried
    assert again.outcome == json.loads(json.dumps(state.outcome))
    assert not list(tmp_path.glob(".*"))


def test_that_of_other_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    State(path, data_sha256="d").save()
    with pytest.raises(RunFolderError, match=r"other data.*--fresh"):
        read_state(path, "e")


LISTED = '{"point": {"learner": [1, 2, 3, 4], "numbers": []}}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"schema": 1, "tried": [{}], "data_sha256": "d"}',
        f'{{"schema": 1, "tried": [{LISTED}], "data_sha256": "d"}}',
    ],
)
def test_a_damaged_one_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(text)
    with pytest.raises(RunFolderError, match=r"is damaged.*--fresh") as told:
        read_state(path, "d")
    assert len(told.value.problems) == 1


def test_a_newer_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text('{"schema": 99, "tried": [], "data_sha256": "d"}')
    with pytest.raises(RunFolderError, match="schema 99"):
        read_state(path, "d")


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    state = State(tmp_path / "gone" / FILE_NAME)
    with pytest.raises(RunFolderError, match="cannot write"):
        state.save()
