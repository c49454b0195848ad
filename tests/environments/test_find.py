"""Environments found and built: with pip and a wheel of the test's own, and with stand-ins."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.environments.wheels import put_wheel
from treebench.environments import cached, find, pip
from treebench.environments.environment import Environment, EnvironmentBuildError
from treebench.environments.specs import read_spec

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all pip knows."""
    folder = tmp_path / "wheels"
    put_wheel(folder, "tinylib", "1.0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


class StandIn:
    """In the place of pip and venv: counts, and does what it is told."""

    def __init__(self) -> None:
        self.installed: list[tuple[str, ...]] = []
        self.raises: list[BaseException | None] = []
        self.going_on = threading.Event()
        self.going_on.set()
        self.began = threading.Event()

    def make_venv(self, folder: Path) -> Path:
        python = folder / "bin" / "python"
        python.parent.mkdir(parents=True, exist_ok=True)
        python.unlink(missing_ok=True)
        python.symlink_to(sys.executable)
        return python

    def install(
        self, python: Path, arguments: Sequence[str], constraints: Sequence[str], at: Path
    ) -> None:
        self.installed.append(tuple(constraints))
        self.began.set()
        assert self.going_on.wait(120)
        error = self.raises.pop(0) if self.raises else None
        if error is not None:
            raise error


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn()
    monkeypatch.setattr(pip, "make_venv", made.make_venv)
    monkeypatch.setattr(pip, "install", made.install)
    return made


def folders_in(cache: Path) -> list[str]:
    return sorted(each.name for each in (cache / "environments").iterdir() if each.is_dir())


def build(cache: Path, spec: str = "tinylib==1.0", **more: Any) -> Environment:
    return find.environment_of("old", spec, cache, worker=(), **more)


def test_it_is_built_once_and_found_again(wheels: Path, tmp_path: Path) -> None:
    told: list[str] = []
    built = build(tmp_path, tell=told.append)
    assert built.versions["tinylib"] == "1.0"
    said = subprocess.run(
        [built.python, "-c", "import tinylib; print(tinylib.VERSION)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "1.0\n"
    assert told == ["building environment old: tinylib==1.0"]
    assert build(tmp_path, tell=told.append) == built
    assert len(told) == 1
    assert folders_in(tmp_path) == [built.python.parent.parent.name]


@pytest.mark.slow
def test_an_open_spec_means_what_there_is_today(wheels: Path, tmp_path: Path) -> None:
    first = build(tmp_path, "tinylib")
    assert first.versions["tinylib"] == "1.0"
    put_wheel(wheels, "tinylib", "1.1")
    second = build(tmp_path, "tinylib")
    assert second.versions["tinylib"] == "1.1"
    assert len(folders_in(tmp_path)) == 2


def test_a_file_of_exact_versions_is_found_again_without_asking_the_index(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "night.txt"
    file.write_text("tinylib==1.0\n")
    monkeypatch.delattr(pip, "resolved")
    built = build(tmp_path, str(file))
    assert build(tmp_path, str(file)) == built
    assert len(stand_in.installed) == 1


def test_what_an_open_spec_means_is_read_from_pips_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.json"
    asked: list[Sequence[str]] = []

    def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        facts = [{"metadata": {"name": name, "version": "1.5"}} for name in ("Tiny_Lib", "b")]
        report.write_text(json.dumps({"install": facts}))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(pip, "_run", run)
    found = pip.resolved(tmp_path / "python", ["tiny_lib", "b>=1"], report)
    assert found == {"tiny-lib": "1.5", "b": "1.5"}
    (command,) = asked
    assert list(command[:4]) == [str(tmp_path / "python"), "-m", "pip", "install"]
    assert list(command[-4:]) == ["--report", str(report), "tiny_lib", "b>=1"]
    assert {"--dry-run", "--ignore-installed", "--no-deps"} <= set(command)


def test_a_spec_that_cannot_be_resolved_has_pips_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: No matching distribution for b>=9\n")
    monkeypatch.setattr(pip, "_run", lambda command: failed)
    with pytest.raises(pip.NotInstalledError, match="No matching distribution for b>=9"):
        pip.resolved(tmp_path / "python", ["b>=9"], tmp_path / "report.json")


def test_what_cannot_be_built_is_one_line_with_pips_reason(wheels: Path, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentBuildError) as caught:
        build(tmp_path, "tinylib==9.0")
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith("environment old: tinylib==9.0 cannot be installed: ")
    assert "(from versions: 1.0)" in said
    assert folders_in(tmp_path) == []


def test_offline_is_said() -> None:
    refusal = pip._refusal(
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError()'\n"
        "ERROR: Could not find a version that satisfies a==1 (from versions: none)\n"
        "ERROR: No matching distribution found for a==1\n"
    )
    assert refusal.offline
    assert refusal.reason.startswith("Could not find a version")
    told = find._told(refusal, find._Recipe(read_spec("a==1"), ()))
    assert "pip does not reach its package index" in str(told)


def test_an_interrupted_build_leaves_nothing_and_is_taken_up_again(
    stand_in: StandIn, tmp_path: Path
) -> None:
    stand_in.raises = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path)
    assert folders_in(tmp_path) == []
    built = build(tmp_path)
    assert folders_in(tmp_path) == [built.python.parent.parent.name]


def test_what_a_killed_build_left_is_swept(stand_in: StandIn, tmp_path: Path) -> None:
    built = build(tmp_path)
    folder = built.python.parent.parent
    left = folder.with_name(f".draft-{folder.name}-abcd")
    folder.rename(left)
    (left / "treebench-environment.json").unlink()
    assert build(tmp_path).python == built.python
    assert folders_in(tmp_path) == [folder.name]


def test_drafts_of_others_are_swept_unless_they_are_being_built(
    stand_in: StandIn, tmp_path: Path
) -> None:
    folder = tmp_path / "environments"
    for name in ("aaaa", "bbbb"):
        (folder / f".draft-{name}-abc_d").mkdir(parents=True)
    with cached.held(folder / "bbbb", lambda line: None):
        built = build(tmp_path)
    assert folders_in(tmp_path) == [".draft-bbbb-abc_d", built.python.parent.parent.name]


def test_a_folder_without_its_facts_is_no_environment(stand_in: StandIn, tmp_path: Path) -> None:
    built = build(tmp_path)
    (built.python.parent.parent / "treebench-environment.json").unlink()
    build(tmp_path)
    assert len(stand_in.installed) == 2


def test_two_builds_at_once_are_one(stand_in: StandIn, tmp_path: Path) -> None:
    stand_in.going_on.clear()
    told: list[str] = []
    found: list[Environment] = []
    first = threading.Thread(target=lambda: found.append(build(tmp_path)))
    first.start()
    assert stand_in.began.wait(120)

    def waiting(line: str) -> None:
        told.append(line)
        stand_in.going_on.set()

    found.append(build(tmp_path, tell=waiting))
    first.join(120)
    assert len(stand_in.installed) == 1
    assert found[0] == found[1]
    assert len(told) == 1
    assert told[0].startswith("another treebench builds ")


def test_one_whose_python_has_gone_is_built_anew(stand_in: StandIn, tmp_path: Path) -> None:
    built = build(tmp_path)
    built.python.unlink()
    built.python.symlink_to(tmp_path / "gone")
    assert build(tmp_path).versions == built.versions
    assert len(stand_in.installed) == 2


def test_what_does_not_go_with_ours_is_tried_with_numpy_1(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conflict = pip.NotInstalledError("numpy and old conflict", conflict=True, offline=False)
    stand_in.raises = [conflict]
    find.environment_of("old", "old==1", tmp_path, ("xgboost",), worker=("numpy", "pyarrow"))
    ours, older = stand_in.installed
    assert [each.partition("==")[0] for each in ours] == ["numpy", "pyarrow", "xgboost"]
    assert older == (ours[2], "numpy<2", "pyarrow<22")


def test_what_is_named_is_not_held_to_our_version(stand_in: StandIn, tmp_path: Path) -> None:
    find.environment_of("old", "numpy==2.1.0", tmp_path, ("xgboost",), worker=("numpy",))
    (constraints,) = stand_in.installed
    assert [each.partition("==")[0] for each in constraints] == ["xgboost"]


def test_what_cannot_be_imported_either_way_is_said(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "versions_in", lambda python: {"python": "3.11", "lightgbm": "4.0.0"})
    monkeypatch.setattr(find, "import_failure", lambda python, names: ("lightgbm", "no numpy.core"))
    with pytest.raises(
        EnvironmentBuildError, match=r"lightgbm 4.0.0 cannot be imported \(no numpy"
    ):
        build(tmp_path, "lightgbm==4.0.0", beside=("lightgbm",))
    assert len(stand_in.installed) == 2
    assert folders_in(tmp_path) == []


def test_what_is_too_old_is_refused_before_anything_is_built(
    stand_in: StandIn, tmp_path: Path
) -> None:
    with pytest.raises(EnvironmentBuildError, match=r"lightgbm 2\.3\.1 is too old for the worker"):
        build(tmp_path, "lightgbm==2.3.1")
    assert stand_in.installed == []


def test_an_interpreter_is_taken_as_it_is(tmp_path: Path) -> None:
    found = find.environment_of("new", sys.executable, tmp_path, ("xgboost",))
    assert found.python == Path(sys.executable)
    assert found.versions_of(["xgboost", "unheard-of"])["unheard-of"] is None
    assert not (tmp_path / "environments").exists()


def test_an_interpreter_that_lacks_what_the_worker_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "versions_in", lambda python: {"python": "3.12.1", "numpy": "2.0"})
    with pytest.raises(EnvironmentBuildError, match="lacks scipy, pyarrow, threadpoolctl"):
        find.environment_of("new", sys.executable, tmp_path)


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "environments").write_text("a file")
    with pytest.raises(EnvironmentBuildError, match="environments cannot be kept in"):
        build(tmp_path)
