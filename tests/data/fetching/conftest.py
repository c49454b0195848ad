from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own, and no proxy between it and the loopback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    return tmp_path
