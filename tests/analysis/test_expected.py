"""Which expectations a run could never answer."""

from __future__ import annotations

import pytest

from tests.analysis.rows import EXACT, HIST, facts, samples, spec
from treebench.analysis.expected import check_cells, expected_in, expected_of
from treebench.analysis.overview import overview
from treebench.errors import ConfigError

CELLS = [spec(params=EXACT), spec(params=HIST)]


def test_every_cell_that_is_not_there_is_named_once() -> None:
    check_cells("fit_time(hist) < fit_time(exact)", CELLS)
    with pytest.raises(ConfigError) as caught:
        check_cells("fit_time(lightgbm) + load_time(lightgbm) < fit_time(catboost)", CELLS)
    assert [line.split(";")[0] for line in caught.value.problems] == [
        "--expect: no cell is called 'lightgbm'",
        "--expect: no cell is called 'catboost'",
    ]


def test_an_outcome_needs_three_samples_of_each_cell() -> None:
    known = {**facts(CELLS), "expect": "fit_time(hist) < fit_time(exact)"}
    few = expected_of(known, [each for cell in CELLS for each in samples(cell, 2)])
    assert few is not None
    assert (few.outcome, few.why) == ("cannot tell", "it needs 3 samples of each cell")
    enough = expected_of(known, [each for cell in CELLS for each in samples(cell, 3)])
    assert enough is not None
    assert (enough.outcome, enough.why) == ("holds", None)


def test_a_run_summed_up_says_the_same() -> None:
    known = {**facts(CELLS), "expect": "fit_time(hist) < fit_time(exact)"}
    rows = [each for cell in CELLS for each in samples(cell, 3)]
    assert expected_in(overview(known, rows)) == expected_of(known, rows)
