"""What is said beside the figures."""

from __future__ import annotations

import dataclasses

import pytest

from tests.analysis.forests import forests
from tests.analysis.rows import facts, realistic, row, spec
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


@pytest.mark.parametrize("option", [["--only", "trainer=xgboost"], ["--only=trainer=xgboost"]])
def test_a_command_that_leaves_cells_out_is_not_said_to_take_them(option: list[str]) -> None:
    known, rows = realistic()
    narrow = {**known, "command": [*known["command"], *option]}
    assert "without --only" in (sentences.progress(overview(narrow, rows)) or "")
    assert "--only" not in (sentences.progress(overview(known, rows)) or "")


def test_the_peak_of_the_tree_is_explained_where_its_column_is() -> None:
    in_jobs, alone = (lines(overview(*made())) for made in (forests, realistic))
    assert any(said.startswith("tree peak: ") for said in sentences.reading(in_jobs))
    assert not any(said.startswith("tree peak: ") for said in sentences.reading(alone))
