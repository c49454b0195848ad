"""Expressions over samples: medians, intervals, verdicts, and what cannot be told."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.analysis.rows import EXACT, HIST, LIGHTGBM, MIB, MS, phase, row, spec
from treebench.analysis.expressions.calls import calls
from treebench.analysis.expressions.evaluate import Samples, UnknownError
from treebench.analysis.expressions.tree import read_expectation, read_term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

EXACT_CELL, HIST_CELL, LIGHTGBM_CELL = (
    spec(params=EXACT),
    spec(params=HIST),
    spec("lightgbm", LIGHTGBM),
)


def taken(cell: CellSpec, fit_ms: Sequence[float], peak_mib: float = 100) -> list[SampleRow]:
    return [
        row(cell, block, phases={"fit": phase(int(ms * MS), 0, int(peak_mib * MIB))})
        for block, ms in enumerate(fit_ms)
    ]


def samples(rows: Sequence[SampleRow], named: Mapping[str, str] | None = None) -> Samples:
    specs = {one.cell: spec_of(one) for one in rows}
    return Samples(rows, specs, lambda words: calls(words, named))


def spec_of(one: SampleRow) -> CellSpec:
    from treebench.analysis.summary import cell_spec

    return cell_spec(one.spec)


TWO = samples(
    [*taken(EXACT_CELL, [400, 404, 396, 410, 402]), *taken(HIST_CELL, [100, 101, 99, 103, 100])]
)


def test_a_ratio_is_that_of_the_medians_and_lies_in_its_interval() -> None:
    value = TWO.value(read_term("fit_time(exact) / fit_time(hist)"))
    assert value.point == pytest.approx(4.02)
    assert value.low is not None
    assert value.high is not None
    assert 3.8 < value.low <= value.point <= value.high < 4.2


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("fit_time(hist) < 0.3 * fit_time(exact)", "holds"),
        ("fit_time(hist) > 0.3 * fit_time(exact)", "fails"),
        ("fit_time(hist) < 0.2 * fit_time(exact)", "fails"),
        ("4.02 * fit_time(hist) <= fit_time(exact)", "cannot tell"),
    ],
)
def test_an_expectation_is_judged_by_the_interval(text: str, outcome: str) -> None:
    assert TWO.judge(read_expectation(text))[0] == outcome


def test_what_slows_a_whole_block_is_not_in_the_ratio() -> None:
    slow = random.Random(1)  # noqa: S311
    weather = [slow.uniform(1, 3) for _ in range(8)]
    rows = [
        *taken(EXACT_CELL, [400 * w for w in weather]),
        *taken(HIST_CELL, [100 * w for w in weather]),
    ]
    value = samples(rows).value(read_term("fit_time(exact) / fit_time(hist)"))
    assert value.low == pytest.approx(4, rel=0.01)
    assert value.high == pytest.approx(4, rel=0.01)


def test_two_samples_have_no_interval_and_so_no_verdict() -> None:
    few = samples([*taken(EXACT_CELL, [400, 404]), *taken(HIST_CELL, [100, 101])])
    value = few.value(read_term("fit_time(exact) / fit_time(hist)"))
    assert value.point == pytest.approx(4, rel=0.01)
    assert value.low is None
    assert value.why_no_interval == "it needs 3 samples of each cell"
    assert few.judge(read_expectation("fit_time(hist) < fit_time(exact)"))[0] == "cannot tell"


def test_cells_may_be_called_by_conditions_and_by_names() -> None:
    term = read_term('fit_time("method=exact, rows<=20_000") / fit_time(histogram)')
    named = samples(
        [*taken(EXACT_CELL, [4, 4, 4]), *taken(HIST_CELL, [2, 2, 2])], {"histogram": "method=hist"}
    )
    assert named.value(term).point == pytest.approx(2)


def test_of_several_sizes_the_largest_is_meant() -> None:
    rows = [
        *taken(spec(params=HIST, rows=10_000), [1, 1, 1]),
        *taken(spec(params=HIST, rows=40_000), [7, 7, 7]),
    ]
    assert samples(rows).value(read_term("fit_time(hist)")).point == 7 * MS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("fit_time(nobody)", "no cell is called 'nobody'"),
        ("fit_time(flights)", "'flights' calls 2 cells"),
        ("load_time(hist)", "load_time: the phase load was not run"),
        ("fit_time(hist) / (1 - 1)", "divided by zero"),
        ("exponent(fit_time, rows, hist)", "needs 3 of its values; hist has 1"),
    ],
)
def test_what_cannot_be_told_says_why(text: str, why: str) -> None:
    with pytest.raises(UnknownError, match=why):
        TWO.value(read_term(text))


def test_failed_samples_are_in_no_figure() -> None:
    rows = [*taken(HIST_CELL, [5, 5, 5]), row(HIST_CELL, 3, "oom", phases={"fit": phase(MS)})]
    assert samples(rows).value(read_term("fit_time(hist)")).point == 5 * MS


def test_an_exponent_comes_with_the_interval_of_its_curve() -> None:
    draw = random.Random(2)  # noqa: S311
    rows = [
        one
        for size in (10_000, 20_000, 40_000, 80_000)
        for one in taken(
            spec("lightgbm", LIGHTGBM, rows=size),
            [size / 100 * draw.lognormvariate(0, 0.02) for _ in range(5)],
        )
    ]
    value = samples(rows).value(read_term("exponent(fit_time, rows, lightgbm)"))
    assert value.low is not None
    assert value.high is not None
    assert value.low < 1 < value.high
    assert value.high - value.low < 0.2
