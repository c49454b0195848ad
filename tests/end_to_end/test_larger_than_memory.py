"""Data three times as large as the memory limit, trained a part at a time."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROWS, FEATURES = 2_400_000, 200
LIMIT_MIB = 600
CARD = """
name: large
title: Three times the memory limit
source: {{kind: generate, rows: {rows}, test_rows: 300_000, features: 200, seed: 3{density}}}
task: binary
licence: CC0-1.0
"""
# LightGBM's usual sample alone would be 300 MB.
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
    done = subprocess.run(
        [*command, "run", f"{name}.yaml"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=2400,
    )
    assert done.returncode == (2 if limit else 0), done.stderr
    lines = (folder / "results" / name / "samples.jsonl").read_text().splitlines()
    return {
        row["spec"]["params"].get("container", whole): row
        for row in map(json.loads, lines)
        if row["spec"]["trainer"] != "control"
    }


@pytest.mark.slow
@pytest.mark.timeout(2400)
@pytest.mark.parametrize(
    # LightGBM holds a byte for each value that is not zero while it builds. If none were zero,
    # that would be a quarter of the matrix beside half a GiB of all else, and three times the
    # limit would need 7 GiB on disk. So its data is sparse; and a dense matrix of sparse rows
    # that is seen not to fit is refused before it is tried.
    ("series", "density", "without"),
    [(XGBOOST, "", "oom"), (LIGHTGBM, ", density: 0.03", "error")],
    ids=["external", "sequence"],
)
def test_three_times_the_limit_trains_a_part_at_a_time(
    folder: Path,
    command: list[str],
    environment: dict[str, str],
    series: tuple[str, str, str],
    density: str,
    without: str,
) -> None:
    """GIVEN a matrix of three times the limit WHEN it is trained whole THEN the sample fails for
    want of memory; a part at a time it trains, to the score of the whole without the limit."""
    assert ROWS * FEATURES * 4 >= 3 * LIMIT_MIB * 2**20
    (folder / "datasets").mkdir()
    (folder / "datasets" / "large.yaml").write_text(CARD.format(rows=ROWS, density=density))
    limited = run(f"memory_limit: {LIMIT_MIB}MiB", series, folder, command, environment)
    free = run("", series, folder, command, environment)
    _, whole, streamed = series
    assert limited[whole]["status"] == without
    assert limited[whole]["error"]["phase"] == "load"
    assert "GiB are available" in limited[whole]["error"]["message"] or without == "oom"
    row = limited[streamed]
    assert row["status"] == "ok", row["error"]
    assert "load" not in row["phases"]
    expected = free[whole]["score"]["auc"]
    assert row["score"]["auc"] == pytest.approx(expected, abs=0.002)
