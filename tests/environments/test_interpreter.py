"""What an interpreter says of itself."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from pathlib import Path

import pytest

from treebench.environments.environment import EnvironmentBuildError
from treebench.environments.interpreter import import_failure, versions_in
from treebench.environments.oldest import OLDEST, too_old


def test_this_one_says_what_metadata_says() -> None:
    found = versions_in(Path(sys.executable))
    assert found["python"] == platform.python_version()
    assert found["scikit-learn"] == metadata.version("scikit-learn")


def test_a_program_that_is_no_python_is_refused() -> None:
    with pytest.raises(EnvironmentBuildError, match="does not answer as a Python interpreter does"):
        versions_in(Path("/bin/true"))


def test_one_that_is_gone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentBuildError, match="does not run"):
        versions_in(tmp_path / "python")


def test_a_file_in_the_current_folder_stands_in_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise RuntimeError('the wrong one')")
    monkeypatch.chdir(tmp_path)
    assert import_failure(Path(sys.executable), ["numpy"]) is None


def test_a_library_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n', encoding="utf-8"
    )
    python.chmod(0o755)
    (tmp_path / "lightgbm.py").write_text("raise ImportError('first\\nnumpy.core is gone')")
    assert import_failure(python, ["numpy", "lightgbm"]) == ("lightgbm", "numpy.core is gone")


@pytest.mark.parametrize("name", sorted(OLDEST))
def test_the_oldest_works_and_below_it_is_named(name: str) -> None:
    assert too_old({name: OLDEST[name]}) is None
    said = too_old({name: "0.0.1"})
    assert (
        said == f"{name} 0.0.1 is too old for the worker; the oldest that works is {OLDEST[name]}"
    )


def test_versions_are_numbers_not_text() -> None:
    assert too_old({"pyarrow": "100.0", "python": "3.111"}) is None
    assert too_old({"xgboost": None, "unheard-of": "0.1"}) is None
    assert too_old({"lightgbm": "4", "pyarrow": "17"}) is None
    assert too_old({"lightgbm": "3", "pyarrow": "17"}) is not None
