"""The harness's own health check, against runs whose false alarms are known."""

from __future__ import annotations

import dataclasses

import pytest

from tests.analysis.comparing.two_runs import cells, hungrier, rows_of, side, slower
from tests.analysis.rows import MIB, failed
from treebench.analysis.comparing.false_alarms import Rate, false_alarms
from treebench.analysis.comparing.rule import FALSE_DISCOVERIES

ONE = cells()[:1]


def test_intervals_are_those_of_clopper_and_pearson() -> None:
    """Of none of n: 0 and 1 - (alpha/2)^(1/n); of one of ten: their table's values."""
    low, high = Rate(0, 20).interval
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert Rate(1, 10).interval == pytest.approx((0.0025, 0.4450), abs=1e-4)
    assert Rate(3, 3).interval[1] == 1


def test_a_quiet_run_raises_none() -> None:
    found = false_alarms(side(rows_of(cells(), n=40)), 5)
    assert found is not None
    assert (found.runs.alarms, found.runs.of) == (0, 4)
    assert (found.cells.alarms, found.cells.of) == (0, 12)
    assert set(found.by_cell) == {cell.place for cell in found.compared[0].cells}
    assert found.alarms == []


def test_pairs_of_blocks_take_turns_and_none_is_used_twice() -> None:
    found = false_alarms(side(rows_of(ONE, n=9), ONE), 2)
    assert found is not None
    dealt = [
        [sorted({row.block for row in part.rows}) for part in (each.before, each.after)]
        for each in found.compared
    ]
    assert dealt == [[[0, 3], [1, 2]], [[4, 7], [5, 6]]]


def test_a_drift_over_the_run_falls_on_both_sides_alike() -> None:
    """Each block is 1 % slower than the last, which the control cell does not see."""
    rows = [
        row if row.spec["trainer"] == "control" else slower(row, 1.01**row.block)
        for row in rows_of(cells(), n=40)
    ]
    found = false_alarms(side(rows), 10)
    assert found is not None
    assert found.cells.alarms == 0


def test_what_strikes_one_side_is_an_alarm_and_named() -> None:
    """Blocks 1, 2, 5 and 6 go to the second side."""
    rows = [
        hungrier(row, 80 * MIB) if row.cell == cells()[0].id and row.block in (1, 2, 5, 6) else row
        for row in rows_of(cells(), n=8)
    ]
    found = false_alarms(side(rows), 4)
    assert found is not None
    assert (found.runs.alarms, found.runs.of) == (1, 1)
    assert (found.cells.alarms, found.cells.of) == (1, 3)
    ((number, cell),) = found.alarms
    assert number == 1
    assert cell.spec == cells()[0]


def test_a_failure_on_one_side_is_an_alarm() -> None:
    rows = [row for row in rows_of(ONE, n=8) if (row.cell, row.block) != (ONE[0].id, 5)]
    hurt = dataclasses.replace(failed(ONE[0], 5, "error", "no luck"), must_match=rows[0].must_match)
    found = false_alarms(side([*rows, hurt], ONE), 4)
    assert found is not None
    assert found.cells.alarms == 1


def test_too_short_a_run_gives_no_rate() -> None:
    assert false_alarms(side(rows_of(cells(), n=5)), 3) is None
    assert false_alarms(side([failed(ONE[0], at, "oom", "") for at in range(8)], ONE), 3) is None


def test_the_share_of_false_alarms_is_small_at_usual_noise() -> None:
    """4 % of noise, 5 samples a side, 24 comparisons of 3 cells."""
    found = false_alarms(side(rows_of(cells(), n=240, noise=0.04)), 5)
    assert found is not None
    assert found.runs.of == 24
    assert found.runs.interval[0] <= FALSE_DISCOVERIES
    assert found.cells.share <= 0.05
