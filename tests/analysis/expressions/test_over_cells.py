"""What several cells show together, and terms foretold beyond the largest size."""

from __future__ import annotations

import random

import pytest

from tests.analysis.expressions.test_evaluate import samples, taken
from tests.analysis.rows import EXACT, HIST, MS, spec
from treebench.analysis.expressions import over_cells
from treebench.analysis.expressions.calls import calls
from treebench.analysis.expressions.evaluate import UnknownError
from treebench.analysis.expressions.foretell import Foretold
from treebench.analysis.expressions.tree import OverCells, leaves, read_term
from treebench.analysis.summary import cell_spec
from treebench.errors import ConfigError

FOUR = [spec(params=HIST | {"seed": seed}) for seed in range(4)]


def test_a_cells_spread_and_first_sample() -> None:
    assert over_cells.spread({0: 9.0, 1: 10.0, 2: 11.0}) == pytest.approx(0.2)
    assert over_cells.spread({0: 9.0, 1: 10.0}) is None
    assert over_cells.first_to_later({0: 30.0, 1: 10.0, 2: 10.0}) == 3
    assert over_cells.first_to_later({1: 10.0, 2: 10.0, 3: 10.0}) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("first_sample(fit_time, hist)", 2),
        ("spread(fit_time, hist)", 1),
        ("range(fit_time, hist)", 0),
    ],
)
def test_they_are_medians_over_the_cells_called(text: str, value: float) -> None:
    rows = [each for cell in FOUR for each in taken(cell, [20, 10, 10, 10, 10])]
    found = samples(rows).value(read_term(text))
    assert found.point == pytest.approx(value)
    assert found.low == pytest.approx(value)
    assert found.high == pytest.approx(value)


def test_two_cells_have_a_value_and_no_interval() -> None:
    rows = [each for cell in FOUR[:2] for each in taken(cell, [20, 10, 10])]
    found = samples(rows).value(read_term("first_sample(fit_time, hist)"))
    assert (found.point, found.low, found.why_no_interval) == (2, None, "it needs 3 cells")


def test_an_exponent_that_the_samples_leave_open_says_so() -> None:
    draw = random.Random(0)  # noqa: S311
    rows = [
        each
        for n in (1000, 2000, 4000)
        for each in taken(spec(params=HIST, rows=n), [draw.uniform(1, 1000) for _ in range(3)])
    ]
    found = samples(rows).value(read_term("exponent(fit_time, rows, hist)"))
    assert found.low is None
    assert "leave the exponent open" in (found.why_no_interval or "")


@pytest.mark.parametrize("text", ["spread(fit_time, nobody)", "range(fit_time, nobody)"])
def test_no_cell_and_too_few_samples_say_why(text: str) -> None:
    with pytest.raises(UnknownError, match="no cell is called 'nobody'"):
        samples(taken(FOUR[0], [1, 1, 1])).value(read_term(text))
    with pytest.raises(UnknownError, match="spread needs 3 samples of a cell"):
        samples(taken(FOUR[0], [1, 1])).value(read_term("spread(fit_time, hist)"))


def test_they_are_read_with_the_parts_of_a_figures_name() -> None:
    assert leaves(read_term("range(score, auc, hist)")) == [OverCells("range", "score:auc", "hist")]
    with pytest.raises(ConfigError, match="write range"):
        read_term("range(hist)")


def test_an_exponent_holds_what_varies_beside_its_axis() -> None:
    """An L of sizes: rows at 40 features, features at 8,000 rows."""
    cells = [spec(params=HIST, rows=n, features=40) for n in (1000, 2000, 4000, 8000)]
    cells += [spec(params=HIST, rows=8000, features=d) for d in (5, 10, 20)]
    draw = random.Random(0)  # noqa: S311
    rows = [
        each
        for cell in cells
        for each in taken(
            cell,
            [cell.rows * cell.features**0.5 / 10 * draw.lognormvariate(0, 0.01) for _ in range(5)],
        )
    ]
    known = samples(rows)
    along_rows = known.value(read_term("exponent(fit_time, rows, hist)"))
    along_features = known.value(read_term("exponent(fit_time, features, hist)"))
    assert along_rows.point == pytest.approx(1, abs=0.05)
    assert along_features.point == pytest.approx(0.5, abs=0.05)


def _foretold(sizes: tuple[int, ...], to_rows: int) -> Foretold:
    draw = random.Random(1)  # noqa: S311
    rows = [
        each
        for n in sizes
        for params, power in ((EXACT, 1.2), (HIST, 1.0))
        for each in taken(
            spec(params=params, rows=n),
            [5 + 1e-3 * n**power * draw.lognormvariate(0, 0.01) for _ in range(5)],
        )
    ]
    specs = {each.cell: cell_spec(each.spec) for each in rows}
    return Foretold(rows, specs, calls, to_rows)


def test_a_term_is_foretold_from_curves_that_were_planted() -> None:
    curves = _foretold((10_000, 20_000, 40_000, 80_000), 320_000)
    value = curves.value(read_term("fit_time(hist)"))
    assert value.low is not None
    assert value.high is not None
    assert value.low < (5 + 320) * MS < value.high
    ratio = curves.value(read_term("fit_time(exact) / fit_time(hist)"))
    assert ratio.point == pytest.approx((5 + 1e-3 * 320_000**1.2) / 325, rel=0.1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("score(auc, hist)", "no time and no size"),
        ("exponent(fit_time, rows, hist)", "only figures of single cells"),
        ("load_time(hist)", "needs 4 sizes"),
    ],
)
def test_what_does_not_grow_with_rows_is_not_foretold(text: str, why: str) -> None:
    with pytest.raises(UnknownError, match=why):
        _foretold((10_000, 20_000, 40_000, 80_000), 160_000).value(read_term(text))


def test_three_sizes_foretell_nothing() -> None:
    with pytest.raises(UnknownError, match="needs 4 sizes"):
        _foretold((10_000, 20_000, 40_000), 80_000).value(read_term("fit_time(hist)"))
