"""The made runs of `ab` by which its false alarms are counted: they go through its own loop."""

from __future__ import annotations

from benchmarks.verdicts.looks import CELLS, PLANS, Rounds, looked
from benchmarks.verdicts.noise import Noise


def test_a_planted_slowdown_is_the_one_cell_called_worse() -> None:
    found = looked(Noise("Gaussian", 0.002, 1), 5, 20, slower=1.2)
    assert (found.worse, found.better, found.of_first) == (1, 0, "worse")
    assert (found.unclear, found.samples) == (0, 5 * CELLS), "one look was enough"


def test_cells_that_stay_unclear_get_all_rounds() -> None:
    found = looked(Noise("Gaussian", 0.5, 1), 5, 20)
    assert found.unclear == CELLS
    assert found.samples == 20 * CELLS


def test_rounds_are_told_look_by_look() -> None:
    assert [str(each) for each in PLANS] == ["5, 10, 20", "20 at once", "10, 20, 40"]
    assert str(Rounds(5, 12)) == "5, 10, 12"
