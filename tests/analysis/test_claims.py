"""Verdicts on planted samples, whose truth is known."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.analysis.rows import CONTROL, EXACT, HIST, LIGHTGBM, MIB, MS, phase, row, spec
from treebench.analysis.claims import (
    ClaimOutcome,
    Taken,
    judge_claim,
    problems_of,
    untold,
    verdict_of,
    whole_verdict,
)
from treebench.analysis.expressions.evaluate import Value
from treebench.analysis.summary import cell_spec
from treebench.config.claims import Claim
from treebench.config.shrink import Shrink
from treebench.plan.cell import CellSpec
from treebench.store.row import SampleRow

EXACT_CELL, HIST_CELL = spec(params=EXACT), spec(params=HIST)


def claim(*checks: dict[str, Any], **more: Any) -> Claim:
    stated = [{"name": f"check {n}", "says": "so", **check} for n, check in enumerate(checks)]
    written = {"id": "T1", "title": "t", "claim": "c", "source": "s", "sweep": {}, **more}
    return Claim.model_validate({**written, "checks": stated})


def planted(cell: CellSpec, ms: float, n: int = 8, noise: float = 0.01) -> list[SampleRow]:
    draw = random.Random(cell.id)  # noqa: S311
    fits = [int(ms * MS * draw.lognormvariate(0, noise)) for _ in range(n)]
    return [row(cell, b, phases={"fit": phase(fit, 0, 9 * MIB)}) for b, fit in enumerate(fits)]


def judged(one: Claim, rows: list[SampleRow], **more: Any) -> ClaimOutcome:
    specs = {each.cell: cell_spec(each.spec) for each in rows}
    known = {"absent": {}, "shrink": Shrink(), "replaced": {}, **more}
    return judge_claim(one, Taken(rows=rows, specs=specs, **known))


FOUR_TIMES = [*planted(EXACT_CELL, 400), *planted(HIST_CELL, 100)]
RATIO = "fit_time(exact) / fit_time(hist)"


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        ({"at_least": 1}, "holds"),
        ({"at_least": 5}, "fails"),
        ({"at_least": 4}, "cannot tell here"),
        ({"at_most": 5}, "holds"),
        ({"at_most": 3}, "fails"),
        ({"between": [3, 5]}, "holds"),
        ({"between": [5, 6]}, "fails"),
        ({"stated": 4.1, "within": "25%"}, "holds"),
        ({"stated": 4.1, "within": 0.5}, "holds"),
        ({"stated": 8, "within": "25%"}, "fails"),
        ({"stated": 3.5, "within": 0.5}, "cannot tell here"),
    ],
)
def test_a_check_is_judged_by_its_whole_interval(bound: dict[str, Any], verdict: str) -> None:
    [check] = judged(claim({"term": RATIO, **bound}), FOUR_TIMES).checks
    assert check.verdict == verdict
    assert check.measured is not None
    assert check.measured.point == pytest.approx(4, rel=0.02)
    assert (check.why is None) == (verdict != "cannot tell here")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.0, 2.0, "holds"),
        (2.0, 3.0, "holds"),
        (0.5, 0.9, "fails"),
        (3.1, 4.0, "fails"),
        (0.5, 1.5, "cannot tell here"),
        (0.5, 4.0, "cannot tell here"),
        (None, None, "cannot tell here"),
    ],
)
def test_bounds_belong_to_what_holds(low: float | None, high: float | None, verdict: str) -> None:
    assert verdict_of(Value(1.5, low, high), 1.0, 3.0) == verdict


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [
        (["holds", "holds"], "holds"),
        (["fails", "fails"], "fails"),
        (["holds", "fails"], "holds in part"),
        (["holds", "cannot tell here"], "holds in part"),
        (["fails", "cannot tell here"], "fails"),
        (["cannot tell here"], "cannot tell here"),
    ],
)
def test_a_claim_is_what_its_checks_are(checks: list[Any], verdict: str) -> None:
    assert whole_verdict(checks) == verdict


def test_two_samples_are_no_verdict_and_a_cell_that_failed_says_why() -> None:
    few = [*planted(EXACT_CELL, 400, 2), *planted(HIST_CELL, 100, 2)]
    [check] = judged(claim({"term": RATIO, "at_least": 1}), few).checks
    assert (check.verdict, check.why) == ("cannot tell here", "it needs 3 samples of each cell")
    from tests.analysis.rows import failed

    bad = [*planted(EXACT_CELL, 400), failed(HIST_CELL, 0, "oom", "killed at 2.0 GiB")]
    [check] = judged(claim({"term": RATIO, "at_least": 1}), bad).checks
    assert check.measured is None
    assert check.why is not None
    assert "killed at 2.0 GiB" in check.why


def test_a_scaled_run_says_so_and_its_curves_foretell_the_size_stated() -> None:
    rows = [
        each
        for n in (1000, 2000, 4000, 8000)
        for params, cost in ((EXACT, 4e-2), (HIST, 1e-2))
        for each in planted(spec(params=params, rows=n), cost * n, 5)
    ]
    one = claim({"term": RATIO, "stated": 4, "within": "25%"}, stated={"rows": 80_000})
    outcome = judged(one, rows, shrink=Shrink(0.1, 0.5))
    [check] = outcome.checks
    assert outcome.verdict == "holds"
    assert outcome.conditions[0].startswith("a scaled run: 8,000 rows at most, for 80,000")
    assert check.foretold is not None
    assert check.foretold.times == 10
    assert check.foretold.value.low is not None
    assert check.foretold.value.low < 4 < (check.foretold.value.high or 0)


def test_a_size_too_far_away_is_not_foretold_and_that_is_said() -> None:
    rows = [
        each
        for n in (1000, 2000, 4000, 8000)
        for params, cost in ((EXACT, 4e-2), (HIST, 1e-2))
        for each in planted(spec(params=params, rows=n), cost * n, 5)
    ]
    one = claim({"term": RATIO, "at_least": 1}, stated={"rows": 1_000_000})
    outcome = judged(one, rows, shrink=Shrink(0.008))
    assert outcome.checks[0].foretold is None
    assert "1,000,000 rows, is 125 times the largest measured" in outcome.conditions[1]


def test_what_was_measured_at_the_size_stated_is_not_foretold() -> None:
    outcome = judged(claim({"term": RATIO, "at_least": 1}, stated={"rows": 20_000}), FOUR_TIMES)
    assert outcome.checks[0].foretold is None
    assert outcome.conditions == ()


def simulated(cell: CellSpec, misses: float) -> SampleRow:
    counted = {"fit": {"D1-read-misses": misses}}
    counters = {"tier": "simulated", "phases": counted, "missing": {}, "absent": {}}
    return row(cell, 0, kind="simulated", counters=counters)


def test_one_simulated_sample_is_enough_and_is_named_as_the_stand_in() -> None:
    check = {
        "term": "per_work(fit, D1-read-misses, exact) / per_work(fit, D1-read-misses, hist)",
        "at_least": 2,
        "tier": "hardware",
    }
    rows = [simulated(EXACT_CELL, 9e6), simulated(HIST_CELL, 3e6)]
    [outcome] = judged(claim(check), rows).checks
    assert outcome.verdict == "holds"
    assert outcome.measured is not None
    assert outcome.measured.low == outcome.measured.point == pytest.approx(3)
    assert "simulated" in (outcome.stand_in or "")


def test_without_the_tier_it_needs_a_check_tells_nothing_and_says_what_is_absent() -> None:
    check = {"term": "counter(fit, cycles, hist)", "at_most": 1, "tier": "hardware"}
    [outcome] = judged(claim(check), FOUR_TIMES, absent={"hardware": "there is no PMU"}).checks
    assert outcome.verdict == "cannot tell here"
    assert outcome.why == "no hardware counters: there is no PMU"


def test_names_stand_for_conditions_whose_sizes_shrink_with_the_sweep() -> None:
    small = spec(params=EXACT, rows=2000)
    rows = [*planted(small, 40), *planted(spec(params=EXACT, rows=1000), 10)]
    one = claim(
        {"term": "fit_time(big) / fit_time(part)", "between": [3, 5]},
        cells={"big": "method=exact, rows=20_000", "part": "method=exact, rows=10_000"},
    )
    assert judged(one, rows, shrink=Shrink(rows=0.1)).verdict == "holds"


def test_problems_name_the_claim_the_check_and_the_cell() -> None:
    one = claim({"term": "fit_time(nobody)", "at_least": 1}, {"term": "2 +", "at_least": 1})
    first, second = problems_of(one, [EXACT_CELL], Shrink())
    assert first == "claim T1: check 0: no cell is called 'nobody'"
    assert "cannot be read" in second


def test_what_speaks_of_other_work_on_the_machine_has_no_verdict() -> None:
    check = {"term": "fit_time(hist) / fit_time(exact)", "at_most": 1.5, "doubtful_below": 0.9}
    [outcome] = judged(claim(check), FOUR_TIMES).checks
    assert outcome.verdict == "cannot tell here"
    assert outcome.why == "below 0.9 it speaks of other work on the machine"


@pytest.mark.parametrize(("times", "unsteady"), [((100, 101, 100), False), ((100, 150, 90), True)])
def test_a_machine_that_was_not_steady_is_named(times: tuple[int, ...], unsteady: bool) -> None:
    control = [
        row(CONTROL, block, phases={"fit": phase(ms * MS)}) for block, ms in enumerate(times)
    ]
    rows = [*FOUR_TIMES, *control]
    specs = {each.cell: cell_spec(each.spec) for each in FOUR_TIMES}
    taken = Taken(rows, specs, {}, Shrink(), {})
    said = judge_claim(claim({"term": RATIO, "at_least": 1}), taken).conditions
    assert ["not steady" in each for each in said] == ([True] if unsteady else [])


def test_a_name_without_a_cell_on_this_machine_is_no_mistake_of_the_claims() -> None:
    check = {"term": "fit_time(one) / fit_time(all)", "at_most": 1.5}
    one = claim(check, cells={"one": "threads=1", "all": "threads>1"})
    alone = spec(params=HIST, threads=1)
    assert problems_of(one, [alone], Shrink()) == ["claim T1: check 0: no cell is called 'all'"]
    assert problems_of(one, [alone], Shrink(), on_this_machine=True) == []
    [outcome] = judged(one, planted(alone, 10)).checks
    assert (outcome.verdict, outcome.why) == ("cannot tell here", "no cell is called 'all'")


def test_a_sweep_that_cannot_be_run_leaves_every_check_untold() -> None:
    outcome = untold(claim({"term": RATIO, "at_least": 1}), "its data is not there")
    assert outcome.verdict == "cannot tell here"
    assert [each.why for each in outcome.checks] == ["its data is not there"]


def test_of_both_libraries_the_range_over_seeds_is_that_of_their_medians() -> None:
    cells = [spec("lightgbm", LIGHTGBM | {"seed": seed}) for seed in range(3)]
    rows = [
        row(cell, block, score={"auc": 0.7 + 0.01 * n})
        for n, cell in enumerate(cells)
        for block in range(3)
    ]
    one = claim({"term": "range(score, auc, lightgbm)", "between": [0.0199, 0.0201]})
    assert judged(one, rows).verdict == "holds"
