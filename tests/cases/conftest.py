from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, with cards and made sets of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path
