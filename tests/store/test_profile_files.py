"""Files of profiles, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from treebench.errors import RunFolderError
from treebench.store.profile_files import stacks_text, write_profile


def test_stacks_are_text_with_the_heaviest_first() -> None:
    assert stacks_text({("a", "b"): 1, ("a",): 5, ("a", "a"): 1}) == "a 5\na;a 1\na;b 1\n"


def test_files_lie_in_the_runs_folder_and_no_draft_stays(tmp_path: Path) -> None:
    assert write_profile(tmp_path, {"x.svg": "<svg/>"}) == ["profiles/x.svg"]
    assert write_profile(tmp_path, {"x.svg": "<svg>2</svg>"}) == ["profiles/x.svg"]
    assert [path.name for path in (tmp_path / "profiles").iterdir()] == ["x.svg"]
    assert (tmp_path / "profiles" / "x.svg").read_text() == "<svg>2</svg>"


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "profiles").write_text("a file in the way")
    with pytest.raises(RunFolderError, match="cannot write"):
        write_profile(tmp_path, {"x.svg": ""})
