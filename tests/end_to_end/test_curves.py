"""A sweep with curves and a validation part, as a person would run it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from treebench.store.run_folder import open_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.end_to_end.conftest import Treebench

CONFIG = """
name: curved
data: {set: tiny, rows: 400}
threads: 1
samples: 1
deadline: 200s
curve: true
validation: 0.25
reference: {trainer: lightgbm, n_estimators: 6, max_leaves: 4}
variants: [{trainer: sklearn-tree}]
"""


def test_from_config_to_the_best_iteration(folder: Path, treebench: Treebench) -> None:
    (folder / "curved.yaml").write_text(CONFIG)
    plan = treebench("plan", "curved.yaml")
    assert "it is one tree" in plan.stdout, plan.stderr

    run = treebench("run", "curved.yaml", "--expect", 'time_to("auc>=0.5", lightgbm) < 1e12')
    assert run.returncode == 0, run.stderr
    assert "Best iteration" in run.stdout

    rows = {row.spec["trainer"]: row for row in open_run(folder / "results/curved").rows}
    boosted, tree = rows["lightgbm"].curve, rows["sklearn-tree"].curve
    assert boosted is not None
    assert tree is not None
    assert rows["control"].curve is None
    assert [each["iteration"] for each in boosted["iterations"]] == [1, 2, 3, 4, 5, 6]
    assert boosted["iterations"][-1]["test"] == rows["lightgbm"].score
    fit, curve = rows["lightgbm"].phases["fit"], rows["lightgbm"].phases["curve"]
    assert fit.wall_ns is not None
    assert boosted["iterations"][-1]["wall_ns"] <= fit.wall_ns
    assert curve.wall_ns is not None
    assert rows["lightgbm"].data_bytes == 300 * rows["lightgbm"].spec["features"] * 4
    assert tree["missing"]["wall_ns"] == "it is one tree"

    shown = json.loads(treebench("show", "curved", "--json").stdout)
    best = {cell["series"]: cell["curve"]["best_iteration"] for cell in shown["cells"]}
    assert best == {"lightgbm": boosted["best_iteration"], "sklearn-tree": None}
    assert treebench("validate", "curved").returncode == 0

    changed = treebench("run", "curved.yaml", "--set", "curve=false")
    assert changed.returncode == 1
    assert "curve was true, now false" in changed.stderr
