"""A claim of one's own, tried from its file to its page."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.conftest import Treebench

CLAIM = """
id: T1
title: Trees
claim: More trees take longer, and a hundred times longer.
source: this test
stated: {rows: 1_600}
least: {rows: 400, trees: 2}
sweep:
  name: trees
  data: {set: tiny, rows: 800}
  threads: 1
  samples: 3
  reference: {trainer: lightgbm, n_estimators: [4, 400], max_leaves: 8}
cells:
  few: n_estimators=4
  many: n_estimators=400
checks:
  - {name: longer, term: fit_time(many) / fit_time(few), at_least: 1.1, says: more take longer}
  - {name: by much, term: fit_time(many) / fit_time(few), stated: 1e6, within: 25%, says: a million}
"""


def test_a_claim_is_measured_judged_and_written_down_once(
    folder: Path, treebench: Treebench
) -> None:
    (folder / "t.yaml").write_text(CLAIM)
    done = treebench("reproduce", "t.yaml", "--scale", "0.5")
    assert done.returncode == 0, done.stderr
    assert "T1  Trees: holds in part (1 holds, 1 fails, scaled)" in done.stdout
    assert "a scaled run: 400 rows at most, for 800 at full size; 283 trees" in done.stdout
    out = folder / "results/claims-scale-0.5"
    page = (out / "T1.md").read_text()
    assert "treebench reproduce t.yaml --scale 0.5" in page
    assert "| by much | 1,000,000 |" in page
    assert (out / "T1.png").read_bytes().startswith(b"\x89PNG")
    [said] = json.loads((out / "claims.json").read_text())["claims"]
    assert [each["verdict"] for each in said["checks"]] == ["holds", "fails"]
    journal = out / "trees" / "samples.jsonl"
    before = journal.read_bytes()
    again = treebench("reproduce", "t.yaml", "--scale", "0.5", "--json")
    assert again.returncode == 0, again.stderr
    assert journal.read_bytes() == before
    assert json.loads(again.stdout)["claims"][0]["verdict"] == "holds in part"


def test_an_expectation_of_a_cell_that_is_not_in_the_sweep_stops_the_run_before_any_sample(
    folder: Path, treebench: Treebench
) -> None:
    done = treebench("run", "small.yaml", "--expect", "fit_time(exact) < fit_time(lightgbm)")
    assert done.returncode == 1
    assert "--expect: no cell is called 'exact'" in done.stderr
    assert not (folder / "results").exists()
