from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from treebench.errors import RunFolderError
from treebench.runner.start import begin


def facts(**config: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "started_at": "2025-06-01T10:00:00+00:00",
        "command": ["treebench", "run", "x"],
        "config": config,
        "machine": {"fingerprint": "f"},
        "versions": {},
        "allocator": {},
        "code": "c",
        "plan": {"cells": []},
    }


def test_samples_with_and_without_latency_do_not_mix(tmp_path: Path) -> None:
    begin(tmp_path, facts(latency=True))
    assert begin(tmp_path, facts(latency=True)) == []
    with pytest.raises(RunFolderError, match="latency was true, now false"):
        begin(tmp_path, facts(latency=False))


def test_a_run_from_before_there_was_latency_goes_on(tmp_path: Path) -> None:
    begin(tmp_path, facts())
    assert begin(tmp_path, facts(latency=False)) == []
