"""A run's folder."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.rows import facts, spec
from treebench.errors import RunFolderError
from treebench.store.run_folder import (
    PUT_BACK,
    find_run,
    locked,
    open_run,
    read_facts,
    set_aside,
    write_facts,
)

FACTS = facts([spec()], name="x")


def test_facts_are_written_whole(tmp_path: Path) -> None:
    write_facts(tmp_path, FACTS)
    assert read_facts(tmp_path) == FACTS
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert open_run(tmp_path).rows == []


def test_a_draft_that_a_killed_process_left_does_not_stay(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as ended:
        pass
    (tmp_path / f".run.json.{ended.pid}.part").write_text("half")
    write_facts(tmp_path, FACTS)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "damaged .* put a whole copy of it back, or measure anew: treebench run CONFIG"),
        ("[]", "no schema number.; put a whole copy of it back"),
        ('{"schema": 9}', "schema 9, this treebench reads up to 1"),
    ],
)
def test_facts_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(RunFolderError, match=message):
        read_facts(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("command", 3, "command: input should be a valid list"),
        ("machine", None, "machine: input should be a valid dictionary"),
        ("versions", [], "versions: input should be a valid dictionary"),
        ("plan", 3, "plan: input should be"),
        ("plan", {**FACTS["plan"], "samples": 0}, "plan.samples: input should be greater than or"),
        ("plan", {**FACTS["plan"], "cells": [{}]}, "plan.cells.0.id: field required"),
        ("plan", {**FACTS["plan"], "unsupported": [{}]}, "plan.unsupported.0.spec: field required"),
    ],
)
def test_facts_that_were_damaged_are_refused_with_the_place(
    tmp_path: Path, key: str, value: Any, said: str
) -> None:
    write_facts(tmp_path, {**FACTS, key: value})
    with pytest.raises(RunFolderError) as caught:
        read_facts(tmp_path)
    assert f"run.json is damaged ({said}" in str(caught.value)
    assert str(caught.value).endswith(f"); {PUT_BACK}")
    lacking = {name: fact for name, fact in FACTS.items() if name != key}
    write_facts(tmp_path, lacking)
    with pytest.raises(RunFolderError, match=rf"damaged \({key}: field required\)"):
        read_facts(tmp_path)


def test_facts_that_may_not_be_read_are_no_damaged_ones(tmp_path: Path) -> None:
    (tmp_path / "run.json").mkdir()
    with pytest.raises(RunFolderError, match=r"run.json cannot be read \(.*\); mend its rights$"):
        read_facts(tmp_path)


def test_a_run_is_found_by_name_and_by_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunFolderError, match="make one: treebench run"):
        find_run("a")
    (tmp_path / "results" / "a").mkdir(parents=True)
    write_facts(tmp_path / "results" / "a", FACTS)
    assert find_run("a") == Path("results/a")
    assert find_run("results/a") == Path("results/a")
    with pytest.raises(RunFolderError, match="in results/ there are: a"):
        find_run("b")


def test_two_writers_do_not_share_a_folder(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "r"),
        pytest.raises(RunFolderError, match="another treebench is running"),
        locked(tmp_path / "r"),
    ):
        pass
    with locked(tmp_path / "r"):
        pass


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(RunFolderError, match="choose another folder with --out"),
        locked(tmp_path / "file" / "r"),
    ):
        pass


def test_an_earlier_run_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    assert set_aside(folder) is None
    for number in (1, 2):
        folder.mkdir(exist_ok=True)
        write_facts(folder, FACTS)
        assert set_aside(folder) == tmp_path / f"r.old{number}"
    assert not folder.exists()
