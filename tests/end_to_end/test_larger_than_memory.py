"""Data three times as large as the memory limit, trained a part at a time."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FEATURES = 200
CARD = """
name: large
title: Three times the memory limit
source: {{kind: generate, rows: {rows}, test_rows: 300_000, features: 200, seed: 3}}
task: binary
licence: CC0-1.0
"""
# LightGBM's usual sample alone would be 960 MB.
CONFIG = """
name: {name}
data: {{set: large}}
layout: dense-c
threads: 1
samples: 1
deadline: 1200s
{limit}
reference:
  {{{base}, n_estimators: 8, max_depth: 5, max_bin: 15, container: {whole}}}
variants:
  - {{container: {streamed}}}
"""


XGBOOST = ("trainer: xgboost", "quantile", "external")
LIGHTGBM = (
    "trainer: lightgbm, extra: {bin_construct_sample_cnt: 5000}",
    "dataset",
    "sequence",
)


def run(
    limit: str, series: tuple[str, str, str], folder: Path, command: list[str], env: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """The rows of a sweep by container."""
    base, whole, streamed = series
    name = "limited" if limit else "free"
    text = CONFIG.format(name=name, limit=limit, base=base, whole=whole, streamed=streamed)
    (folder / f"{name}.yaml").write_text(text)
    subprocess.run(
        [*command, "run", f"{name}.yaml"],
        cwd=folder,
        env=env,
        capture_output=True,
        check=False,
        timeout=3000,
    )
    lines = (folder / "results" / name / "samples.jsonl").read_text().splitlines()
    return {
        row["spec"]["params"].get("container", whole): row
        for row in map(json.loads, lines)
        if row["spec"]["trainer"] != "control"
    }


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    # LightGBM needs a byte for each value while it builds, three quarters of the limit here.
    ("series", "limit_mib", "rows"),
    [(XGBOOST, 600, 2_400_000), (LIGHTGBM, 1400, 5_600_000)],
    ids=["external", "sequence"],
)
def test_three_times_the_limit_trains_a_part_at_a_time(
    folder: Path,
    command: list[str],
    environment: dict[str, str],
    series: tuple[str, str, str],
    limit_mib: int,
    rows: int,
) -> None:
    """GIVEN a matrix of three times the limit WHEN it is trained whole THEN the sample is oom; a
    part at a time it trains, to the score that the whole matrix gives without the limit."""
    assert rows * FEATURES * 4 >= 3 * limit_mib * 2**20
    (folder / "datasets").mkdir()
    (folder / "datasets" / "large.yaml").write_text(CARD.format(rows=rows))
    limited = run(f"memory_limit: {limit_mib}MiB", series, folder, command, environment)
    free = run("", series, folder, command, environment)
    _, whole, streamed = series
    assert limited[whole]["status"] == "oom"
    row = limited[streamed]
    assert row["status"] == "ok", row["error"]
    assert "load" not in row["phases"]
    expected = free[whole]["score"]["auc"]
    assert row["score"]["auc"] == pytest.approx(expected, abs=0.002)
