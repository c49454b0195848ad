"""A preset of one's own: from its file, by real learners, to page and verdicts, and once only."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.conftest import Treebench

PRESET = """
preset: little
title: Little
says: two libraries and a search, on little data
published: experiments
sweep: little
clock: construct_fit
score: best_iteration
lead: equal_clocks
least: {rows: 200, trees: 3}
data:
  - {set: tiny, rows: 500, beside: Higgs, why_beside: so, stands_in: tiny stands in for Higgs}
base: {n_estimators: 6, max_leaves: 8}
columns:
  - name: hist
    title: XGBoost hist
    library: xgboost
    setting: {trainer: xgboost, method: hist, container: quantile}
    search: {learning_rate: {low: 0.05, high: 0.3, log: true}}
  - name: lightgbm
    title: LightGBM
    library: lightgbm
    setting: {trainer: lightgbm}
    search: {learning_rate: {low: 0.05, high: 0.3, log: true}}
budget: {configurations: 2}
compares:
  - name: lead
    figure: time
    first: hist
    second: lightgbm
    published: [hist, lightgbm]
    main: true
orders:
  - {figure: score, columns: {hist: hist, lightgbm: lightgbm}}
"""


def test_a_preset_is_searched_measured_judged_and_written_once(
    folder: Path, treebench: Treebench
) -> None:
    (folder / "little.yaml").write_text(PRESET)
    typed = ("reproduce", "lightgbm-vs-xgboost", "--preset", "little.yaml", "--scale", "0.05")
    done = treebench(*typed)
    assert done.returncode == 0, done.stderr
    assert "little: On tiny at 200 rows LightGBM trains " in done.stdout.replace("\n", " ")
    out = folder / "results/lightgbm-vs-xgboost-scale-0.05"
    held = json.loads((out / "comparison.json").read_text())
    [table] = held["tables"]
    assert table["comparisons"][0]["published"] == 1.22
    assert table["comparisons"][0]["measured"]["low"] is not None
    for column in table["columns"]:
        assert column["chosen"].startswith("best of 2: learning_rate 0.")
        assert column["figures"]["best_iteration"]["point"] > 0.5
        assert column["figures"]["reach"]["point"] > 0
    assert "tiny stands in for Higgs" in (out / "comparison.md").read_text()
    assert "Content-Security-Policy" in (out / "comparison.html").read_text()
    journal = out / "little-tiny/samples.jsonl"
    rows = [json.loads(line) for line in journal.read_text().splitlines()]
    # Four settings once, the two chosen ones twice more.
    assert sum(row["spec"]["trainer"] != "control" for row in rows) == 4 + 2 * 2
    before = journal.read_bytes()
    again = treebench(*typed, "--json")
    assert again.returncode == 0, again.stderr
    assert journal.read_bytes() == before
    assert json.loads(again.stdout)["tables"] == held["tables"]
