"""Counters of real learners, from the config to the row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Treebench
from treebench.measure.callgrind import why_absent
from treebench.measure.counters import choose

CARD = """
name: cells
title: Numbers for counting misses
source: {kind: generate, rows: 20_000, test_rows: 1_000, features: 20}
task: binary
licence: CC0-1.0
"""
CONFIG = """
name: misses
data: {set: cells}
threads: 1
samples: 1
counters: COUNTERS
simulation: {rows: 1, trees: 0.5}
reference: {trainer: xgboost, method: exact, container: dmatrix, n_estimators: 10, max_depth: 6}
"""


def run(treebench: Treebench, folder: Path, counters: str) -> list[dict[str, Any]]:
    (folder / "datasets").mkdir()
    (folder / "datasets" / "cells.yaml").write_text(CARD)
    (folder / "misses.yaml").write_text(CONFIG.replace("COUNTERS", counters))
    done = treebench("run", "misses.yaml")
    assert done.returncode == 0, done.stderr
    assert f"counters: {counters}" in done.stderr
    lines = (folder / "results" / "misses" / "samples.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["spec"]["trainer"] == "xgboost"]


@pytest.mark.slow
@pytest.mark.skipif(why_absent() is not None, reason=str(why_absent()))
def test_exact_misses_where_it_enumerates_splits(treebench: Treebench, folder: Path) -> None:
    timed, simulated = run(treebench, folder, "simulated")
    assert (timed["kind"], timed["counters"]) == ("timed", None)
    assert (simulated["kind"], simulated["status"]) == ("simulated", "ok")
    assert simulated["cell"] == timed["cell"]
    counters = simulated["counters"]
    assert counters["reduced"]["n_estimators"] == 5
    assert set(counters["phases"]) == {"construct", "fit", "predict"}
    first = counters["functions"]["fit"][0]
    assert first["function"] == "ColMaker::Builder::EnumerateSplit"
    assert first["read_misses"] == pytest.approx(0.9, abs=0.05)
    # 20,000 rows x 20 features, sorted by value, once per level of each of 5 trees: most of the
    # rows' gradients and positions are met out of order.
    assert 10e6 < counters["phases"]["fit"]["D1-read-misses"] < 40e6


@pytest.mark.skipif(choose("software").tier is None, reason="no perf here")
def test_software_counters_ride_with_the_timed_sample(treebench: Treebench, folder: Path) -> None:
    (row,) = run(treebench, folder, "software")
    assert row["counters"]["tier"] == "software"
    fit = row["counters"]["phases"]["fit"]
    assert 0.5 < fit["task-clock-ns"] / row["phases"]["fit"]["cpu_ns"] < 1.5
