"""What someone sees who waits for a sweep."""

from __future__ import annotations

import io

import pytest

from tests.analysis.rows import row
from treebench.cli import progress
from treebench.cli.run import kept
from treebench.plan.build import control_cell


def test_lines_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    said, cell = io.StringIO(), control_cell(1)
    with progress.progress_for(said) as shown:
        shown.started([cell, cell, cell], 0)
        for block in range(3):
            shown.sample_started(cell, block)
            now += 42.0
            shown.sample_ended(cell, row(cell.spec))
    assert said.getvalue().splitlines() == [
        "0/3 block 1, control",
        "1/3 block 2, control, about 80 s left",
        "2/3 block 3, control, about 40 s left",
    ]


def test_what_is_kept_is_not_what_is_taken_again() -> None:
    cell = control_cell(1)
    rows = [row(cell.spec, 0), row(cell.spec, 1, "interrupted")]
    assert kept(rows, [(1, cell), (2, cell)]) == 1
