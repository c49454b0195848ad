"""What errors say to install is what pyproject.toml installs."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from treebench.extras import PACKAGES, SERVES, Extra, install_command, installed, why_absent

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))


@pytest.mark.parametrize("extra", PACKAGES)
def test_the_packages_are_those_of_the_extra(extra: Extra) -> None:
    wanted = PROJECT["project"]["optional-dependencies"][extra]
    assert [re.split(r"[<>=]", each)[0] for each in wanted] == list(PACKAGES[extra])


def test_a_path_with_spaces_stays_one_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/a b/python")
    assert install_command("profile") == "'/a b/python' -m pip install py-spy"


def test_the_first_module_that_is_absent_is_named() -> None:
    assert why_absent("x", "dask", "json", "csv") is None
    absent = f"x needs no_such, which is not installed: {install_command('dask')}"
    assert why_absent("x", "dask", "json", "no_such", "nor_this") == absent


def test_what_is_there_is_told_with_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, "pick", ("numpy", "no-such-package"))
    found = {each.extra: each for each in installed()}
    assert set(found) == set(PACKAGES) == set(SERVES)
    assert found["pick"].versions["numpy"] == version("numpy")
    assert found["pick"].versions["no-such-package"] is None
    assert not found["pick"].complete
