"""Scores that depend on the layout."""

from __future__ import annotations

import dataclasses

from treebench.analysis.layout_gaps import layout_gaps
from treebench.analysis.summary import CellSummary, summarise
from treebench.plan.cell import CellSpec
from treebench.store.row import SampleRow

SPEC = CellSpec("flights", "0" * 64, 1000, 9, "dense-c", "xgboost", {"method": "hist"}, {}, 2)


def cell(layout: str, auc: float | None, trainer: str = "xgboost", rows: int = 1000) -> CellSummary:
    spec = dataclasses.replace(SPEC, layout=layout, trainer=trainer, rows=rows)  # type: ignore[arg-type]
    score = None if auc is None else {"auc": auc}
    row = SampleRow("r", spec.id, 0, "timed", "ok", spec.to_json(), {}, {}, score=score)
    return summarise(spec.id, spec.to_json(), [row])


def test_a_gap_names_its_cells_and_scores() -> None:
    dense, csr = cell("dense-c", 0.956), cell("csr", 0.5)
    others = [cell("dense-c", 0.8, "lightgbm"), cell("csr", 0.8, "lightgbm")]
    (gap,) = layout_gaps([dense, *others, csr])
    assert gap.cells == (dense, csr)
    assert gap.scores == {dense.cell: 0.956, csr.cell: 0.5}
    assert gap.score == "auc"


def test_last_digits_other_sizes_and_unknown_scores_are_no_gap() -> None:
    assert layout_gaps([cell("dense-c", 0.9), cell("csr", 0.90001)]) == []
    assert layout_gaps([cell("dense-c", 0.9), cell("csr", 0.5, rows=2000)]) == []
    assert layout_gaps([cell("dense-c", 0.9), cell("csr", None)]) == []
    assert layout_gaps([]) == []
