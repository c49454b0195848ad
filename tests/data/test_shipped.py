from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from treebench import shipped


def test_in_a_checkout_the_folders_lie_beside_the_package() -> None:
    root = Path(__file__).parents[2]

    assert shipped.shipped_folder("datasets") == root / "datasets"
    assert shipped.shipped_folder("configs") == root / "configs"
    assert shipped.in_checkout()


def test_in_a_wheel_the_folders_lie_inside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "PACKAGE", tmp_path / "treebench")
    (tmp_path / "treebench" / "shipped" / "datasets").mkdir(parents=True)

    assert shipped.shipped_folder("datasets") == tmp_path / "treebench" / "shipped" / "datasets"
    assert not shipped.in_checkout()


def test_the_wheel_puts_them_there_without_made_sets() -> None:
    root = Path(__file__).parents[2]
    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]["wheel"]

    assert wheel["sources"] == {
        kind: f"treebench/shipped/{kind}" for kind in ("configs", "datasets")
    }
    assert wheel["exclude"] == ["/datasets/cache"]
