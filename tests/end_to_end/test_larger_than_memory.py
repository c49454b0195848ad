"""Data three times as large as the memory limit, trained a part at a time."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROWS, FEATURES, LIMIT_MIB = 2_400_000, 200, 600
CARD = f"""
name: large
title: Three times the memory limit
source: {{kind: generate, rows: {ROWS}, test_rows: 300_000, features: {FEATURES}, seed: 3}}
task: binary
licence: CC0-1.0
"""
# With 15 bins LightGBM keeps half a byte for each value; its usual sample alone would be 960 MB.
CONFIG = """
name: {name}
data: {{set: large}}
layout: dense-c
threads: 1
samples: 1
deadline: 1200s
{limit}
reference:
  {{trainer: xgboost, container: quantile, n_estimators: 8, max_depth: 5, max_bin: 15}}
variants:
  - {{container: external}}
  - {{trainer: lightgbm, container: dataset, extra: {{bin_construct_sample_cnt: 20000}}}}
  - {{trainer: lightgbm, container: sequence, extra: {{bin_construct_sample_cnt: 20000}}}}
"""


def run(
    name: str, limit: str, folder: Path, command: list[str], environment: dict[str, str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of a sweep by trainer and container."""
    (folder / f"{name}.yaml").write_text(CONFIG.format(name=name, limit=limit))
    subprocess.run(
        [*command, "run", f"{name}.yaml"],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        timeout=3000,
    )
    lines = (folder / "results" / name / "samples.jsonl").read_text().splitlines()
    return {
        (row["spec"]["trainer"], row["spec"]["params"].get("container", "dataset")): row
        for row in map(json.loads, lines)
        if row["spec"]["trainer"] != "control"
    }


@pytest.mark.slow
def test_three_times_the_limit_trains_a_part_at_a_time(
    folder: Path, command: list[str], environment: dict[str, str]
) -> None:
    """GIVEN a matrix of three times the limit WHEN it is trained whole THEN the sample is oom; a
    part at a time it trains, to the score that the whole matrix gives without the limit."""
    assert ROWS * FEATURES * 4 >= 3 * LIMIT_MIB * 2**20
    (folder / "datasets").mkdir()
    (folder / "datasets" / "large.yaml").write_text(CARD)
    limited = run("limited", f"memory_limit: {LIMIT_MIB}MiB", folder, command, environment)
    free = run("free", "", folder, command, environment)
    for trainer, whole, streamed in (
        ("xgboost", "quantile", "external"),
        ("lightgbm", "dataset", "sequence"),
    ):
        assert limited[trainer, whole]["status"] == "oom"
        row = limited[trainer, streamed]
        assert row["status"] == "ok", row["error"]
        assert "load" not in row["phases"]
        expected = free[trainer, whole]["score"]["auc"]
        assert row["score"]["auc"] == pytest.approx(expected, abs=0.002)
