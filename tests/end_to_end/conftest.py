"""A small sweep of real learners on generated data, and a way to run it as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CONFIG = """
name: small
data: {set: tiny, rows: [200, 1000]}
layout: [dense-c, csr]
threads: 1
samples: 2
deadline: 200s
reference: {trainer: xgboost, method: hist, container: quantile, n_estimators: 3, max_leaves: 8}
variants:
  - {trainer: lightgbm}
  - {trainer: sklearn-hist-gbdt}
"""

Treebench = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of made data for all tests of this folder."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "TREEBENCH_CACHE": str(cache), "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.yaml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def command() -> list[str]:
    return [sys.executable, "-m", "treebench"]


@pytest.fixture
def treebench(folder: Path, environment: dict[str, str], command: list[str]) -> Treebench:
    """Run a verb in `folder` and wait for it."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            check=False,
            timeout=800,
        )

    return call
