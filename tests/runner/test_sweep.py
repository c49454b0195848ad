"""Order, resume and interruption, with a fake worker."""

from __future__ import annotations

import pytest

from tests.runner.fakes import FakeExecutor, Rows, SilentProgress, cell, plan, row
from treebench.runner.sweep import missing_samples, run_sweep
from treebench.store.journal import latest

A, B, C = cell(1), cell(2), cell(3)
ALL = {A.id, B.id, C.id}


def test_each_block_visits_every_cell_once_after_the_control() -> None:
    sweep = plan(A, B, C, samples=4)
    executor, rows = FakeExecutor(), Rows()
    run_sweep(missing_samples(sweep, [], ALL, False), executor, rows, SilentProgress())
    for block in range(4):
        of_block = [cell_id for number, cell_id in executor.calls if number == block]
        assert of_block[0] == sweep.control.id
        assert sorted(of_block[1:]) == sorted(ALL)
    first = [cell_id for number, cell_id in executor.calls if number == 0][1:]
    second = [cell_id for number, cell_id in executor.calls if number == 1][1:]
    assert second == first[::-1]


@pytest.mark.parametrize("stop_at", range(8))
def test_interrupted_anywhere_the_same_sweep_ends_with_every_sample_once(stop_at: int) -> None:
    sweep = plan(A, B, C, samples=2)
    rows = Rows()
    missing = missing_samples(sweep, [], ALL, False)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(missing, FakeExecutor(stop_at=stop_at), rows, SilentProgress())
    again = FakeExecutor()
    missing = missing_samples(sweep, latest(rows), ALL, False)
    run_sweep(missing, again, rows, SilentProgress())
    ended = [(one.block, one.cell) for one in rows if one.status == "ok"]
    assert len(ended) == len(set(ended))
    assert {pair for pair in ended if pair[1] in ALL} == {(b, c) for b in (0, 1) for c in ALL}
    assert all(one.status == "ok" for one in latest(rows))


def test_a_failure_is_a_row_and_the_sweep_goes_on() -> None:
    sweep = plan(A, B, samples=1)
    rows = Rows()
    missing = missing_samples(sweep, [], {A.id, B.id}, False)
    run_sweep(missing, FakeExecutor({1: "timeout"}), rows, SilentProgress())
    assert [one.status for one in rows] == ["ok", "timeout", "ok"]
    assert missing_samples(sweep, rows, {A.id, B.id}, False) == []


def test_failed_samples_are_taken_again_when_asked() -> None:
    sweep = plan(A, samples=2)
    rows = [row(sweep.control, 0), row(A, 0, "oom"), row(sweep.control, 1), row(A, 1)]
    assert missing_samples(sweep, rows, {A.id}, False) == []
    assert missing_samples(sweep, rows, {A.id}, True) == [(0, A, "timed")]


def test_part_of_a_sweep_does_not_touch_the_rest() -> None:
    sweep = plan(A, B, C, samples=1)
    missing = missing_samples(sweep, [], {B.id}, False)
    assert missing == [(0, sweep.control, "timed"), (0, B, "timed")]


def test_what_disturbs_comes_after_all_that_is_timed_and_is_taken_once() -> None:
    sweep = plan(A, B, samples=2, memory_samples=1)
    executor, rows = FakeExecutor(stop_at=7), Rows()
    with pytest.raises(KeyboardInterrupt):
        run_sweep(missing_samples(sweep, [], {A.id, B.id}, False), executor, rows, SilentProgress())
    assert executor.kinds == ["timed"] * 6 + ["memory"] * 2
    assert {cell for _, cell in executor.calls[6:]} == {A.id, B.id}
    left = missing_samples(sweep, latest(rows), {A.id, B.id}, False)
    assert [(one.block, one.cell.id, one.kind) for one in left] == [
        (0, executor.calls[7][1], "memory")
    ]
