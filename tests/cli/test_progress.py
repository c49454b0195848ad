"""What someone sees who waits for a sweep."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from tests.analysis.rows import row
from treebench.cli import progress
from treebench.cli.taking import kept
from treebench.plan.build import control_cell
from treebench.runner.sweep import Wanted


def test_lines_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    said, cell = io.StringIO(), control_cell(1)
    wanted = [Wanted(block, cell) for block in range(3)]
    with progress.progress_for(said) as shown:
        shown.started(wanted, 0)
        for one in wanted:
            shown.sample_started(one)
            now += 42.0
            shown.sample_ended(one, row(cell.spec))
    assert said.getvalue().splitlines() == [
        "0/3 block 1, control",
        "1/3 block 2, control, about 80 s left",
        "2/3 block 3, control, about 40 s left",
    ]


def test_a_reader_that_went_away_does_not_stop_the_sweep() -> None:
    receiving, sending = os.pipe()
    os.close(receiving)
    with open(sending, "w") as pipe, progress.progress_for(pipe) as shown:
        taken = []
        for block in range(3):
            shown.sample_started(Wanted(block, control_cell(1)))
            shown.interrupted(Path("results/x"))
            taken.append(block)
    assert taken == [0, 1, 2]


def test_what_is_kept_is_not_what_is_taken_again() -> None:
    cell = control_cell(1)
    rows = [row(cell.spec, 0), row(cell.spec, 1, "interrupted")]
    assert kept(rows, [Wanted(1, cell), Wanted(2, cell)]) == 1


def test_a_sample_of_another_kind_of_the_same_block_does_not_take_a_kept_one_back() -> None:
    cell = control_cell(1)
    missing = [Wanted(0, cell, "memory"), Wanted(0, cell, "simulated")]
    assert kept([row(cell.spec, 0)], missing) == 1


def test_samples_of_no_block_are_named_by_their_kind_and_estimated_by_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    said, cell = io.StringIO(), control_cell(1)
    wanted = [Wanted(0, cell), Wanted(0, cell, "simulated"), Wanted(1, cell, "simulated")]
    with progress.progress_for(said) as shown:
        shown.started(wanted, 0)
        for one, seconds in zip(wanted, (20.0, 200.0, 200.0), strict=True):
            shown.sample_started(one)
            now += seconds
            shown.sample_ended(one, row(cell.spec))
    lines = said.getvalue().splitlines()
    assert lines[0] == "0/3 block 1, control"
    assert lines[1].startswith("1/3 kind simulated, control, ")
    assert lines[2] == "2/3 kind simulated, control, about 3 min left"


def test_samples_side_by_side_are_timed_each_by_itself_and_retaken_ones_count_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    said, cell = io.StringIO(), control_cell(1)
    wanted = [Wanted(block, cell) for block in range(4)]
    with progress.progress_for(said) as shown:
        shown.started(wanted, 0)
        shown.hosts(2)
        shown.sample_started(wanted[0], "left")
        shown.sample_started(wanted[1], "right")
        now += 120.0
        shown.sample_ended(wanted[0], row(cell.spec))
        shown.sample_ended(wanted[1], row(cell.spec))
        shown.told("right is gone")
        shown.to_take(wanted[1:2])
        shown.sample_started(wanted[2], "left")
    assert said.getvalue().splitlines() == [
        "0/4 left: block 1, control",
        "right is gone",
        "2/5 left: block 3, control, about 3 min left",
    ]
