"""Latency from the config's key to the table, with real learners in real workers."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.conftest import Treebench
from treebench.store.journal import read_rows
from treebench.store.row import PHASES

FEW = ("--set", "samples=1", "--set", "memory_samples=1", "--set", "latency=true")


def test_latency_is_measured_where_asked_for_and_outside_what_is_judged(
    folder: Path, treebench: Treebench
) -> None:
    done = treebench(
        "run", "small.yaml", *FEW, "--only", "rows=200, layout=dense-c, trainer!=xgboost"
    )
    assert done.returncode == 0, done.stderr
    rows = read_rows(folder / "results/small/samples.jsonl")
    timed = [row for row in rows if row.kind == "timed" and row.latency]
    assert {row.spec["trainer"] for row in timed} == {"lightgbm", "sklearn-hist-gbdt"}
    for row in timed:
        assert list(row.phases)[-1] == "latency"
        single = (row.latency or {})["1"]
        assert 0 < single["p50_ns"] <= single["p90_ns"]
        assert (row.latency or {})["10000"]["missing"]["p50_ns"].startswith("the test part has")
    assert "latency" not in PHASES
    # THEN neither the control cell nor samples that watch memory spend time on it
    others = [row for row in rows if row.kind != "timed" or row.spec["trainer"] == "control"]
    assert {"memory", "timed"} <= {row.kind for row in others}
    assert all(row.latency is None and "latency" not in row.phases for row in others)

    shown = treebench("show", "small", "--latency")
    assert "1 row at a time" in shown.stdout
    raw = json.loads(treebench("show", "small", "--json").stdout)
    cell = next(each for each in raw["cells"] if each["latency"])
    judged = sum(each["wall_ns"]["median"] for each in cell["phases"].values())
    assert cell["total_wall_ns"]["median"] == judged
    assert "latency" not in cell["phases"]

    mixed = treebench("run", "small.yaml", *FEW[:4])
    assert mixed.returncode == 1
    assert "latency was true, now false" in mixed.stderr
