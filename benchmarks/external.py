"""`python -m benchmarks.external [--rows 1000000] [--features 100] [--samples 5] [--trees 20]`.

What containers for data larger than memory cost: time of construct + fit (and of load, where there
is one) and peak memory, as ratios to the same library's container of the whole matrix. One run of
treebench, interleaved in blocks, on generated data; nothing is judged, it prints.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

PHASES = ("load", "convert", "construct", "fit")
WHOLE = {"xgboost": "quantile", "lightgbm": "dataset"}
CARD = """
name: larger
title: Generated, dense
source: {{kind: generate, rows: {rows}, test_rows: {test_rows}, features: {features}}}
task: binary
licence: CC0-1.0
"""
CONFIG = """
name: external
data: {{set: larger}}
layout: dense-c
threads: {threads}
samples: {samples}
deadline: 3600s
reference: {{trainer: xgboost, container: quantile, n_estimators: {trees}, max_depth: 6}}
variants:
  - {{container: dmatrix}}
  - {{container: iterator}}
  - {{container: external}}
  - {{trainer: lightgbm, container: dataset}}
  - {{trainer: lightgbm, container: sequence}}
"""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="treebench-external-") as name:
        folder = Path(name)
        (folder / "datasets").mkdir()
        (folder / "datasets" / "larger.yaml").write_text(CARD.format(**options))
        (folder / "external.yaml").write_text(CONFIG.format(**options))
        command = [sys.executable, "-m", "treebench", "run", "external.yaml", "--out", "run"]
        environment = {**os.environ, "TREEBENCH_CACHE": str(folder / "cache")}
        subprocess.run(command, cwd=folder, env=environment, check=True)
        lines = (folder / "run" / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    _print(_by_series([json.loads(line) for line in lines]))


def _options() -> dict[str, int | str]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--threads", default="physical")
    given = parser.parse_args()
    return {**vars(given), "test_rows": max(1, given.rows // 10)}


def _by_series(rows: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, float]]:
    """Medians over the samples of each trainer and container."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        trainer = row["spec"]["trainer"]
        if row["status"] == "ok" and trainer in WHOLE:
            # LightGBM's own container is no parameter of the cell: it has no other unasked.
            container = row["spec"]["params"].get("container", WHOLE[trainer])
            found.setdefault((trainer, container), []).append(row)
    return {series: _medians(samples) for series, samples in found.items()}


def _medians(samples: list[dict[str, Any]]) -> dict[str, float]:
    return {
        "wall_ns": median(_sum(sample, "wall_ns") for sample in samples),
        "peak_rss_bytes": median(_peak(sample) for sample in samples),
        "auc": median(sample["score"]["auc"] for sample in samples),
    }


def _sum(sample: dict[str, Any], figure: str) -> int:
    return sum(sample["phases"][name][figure] for name in PHASES if name in sample["phases"])


def _peak(sample: dict[str, Any]) -> int:
    peaks: list[int] = [
        sample["phases"][name]["peak_rss_bytes"] for name in PHASES if name in sample["phases"]
    ]
    return max(peaks)


def _print(series: dict[tuple[str, str], dict[str, float]]) -> None:
    print(f"{'':24}{'load to fit':>14}{'ratio':>8}{'peak RSS':>12}{'ratio':>8}{'AUC':>9}")
    for (trainer, container), own in series.items():
        whole = series[trainer, WHOLE[trainer]]
        print(
            f"{trainer + ' ' + container:24}{own['wall_ns'] / 1e9:12.2f} s"
            f"{own['wall_ns'] / whole['wall_ns']:8.2f}"
            f"{own['peak_rss_bytes'] / 2**20:8.0f} MiB"
            f"{own['peak_rss_bytes'] / whole['peak_rss_bytes']:8.2f}{own['auc']:9.4f}"
        )


if __name__ == "__main__":
    main()
