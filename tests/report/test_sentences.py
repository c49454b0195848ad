"""What is said beside the figures."""

from __future__ import annotations

import dataclasses

from tests.analysis.rows import facts, row, spec
from treebench.analysis.overview import overview
from treebench.report import sentences
from treebench.report.lines import lines


def test_a_gap_between_layouts_is_said_once_for_all_thread_counts() -> None:
    cells = [
        dataclasses.replace(spec(layout=layout), threads=threads)
        for threads in (1, 2)
        for layout in ("dense-c", "csr")
    ]
    rows = [row(cell, score={"auc": 0.9 if cell.layout == "csr" else 0.8}) for cell in cells]
    run = overview(facts(cells, planned=1), rows)
    (said,) = sentences.layout_gaps(run, lines(run))
    assert "dense-c 0.8000, csr 0.9000" in said
