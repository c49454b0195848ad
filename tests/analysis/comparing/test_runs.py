"""Two runs against each other: what is comparable, what changed, and what is only said."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.comparing.two_runs import (
    MATCHING,
    cells,
    hungrier,
    only,
    rows_of,
    side,
    slower,
)
from tests.analysis.rows import CONTROL, MIB, failed, spec
from treebench.analysis.comparing.rules import rules_of
from treebench.analysis.comparing.runs import (
    NO_BLOCK,
    NO_CONTROL,
    ComparedRuns,
    PairedCell,
    compare_runs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.comparing.rule import Verdict
    from treebench.store.row import SampleRow

HIST, EXACT, LIGHTGBM = cells()


def compared(before: Sequence[SampleRow], after: Sequence[SampleRow], **more: Any) -> ComparedRuns:
    return compare_runs(side(before), side(after), **more)


def cell_of(found: ComparedRuns, cell_id: str = HIST.id) -> PairedCell:
    return next(each for each in found.cells if each.compared.cell.startswith(cell_id))


def of(found: ComparedRuns, figure: str, cell_id: str = HIST.id) -> Verdict:
    judged = cell_of(found, cell_id).compared.judged
    return next(each.verdict for each in judged if each.figure.name == figure)


def before() -> list[SampleRow]:
    return rows_of(cells(), seed=1)


def after(**must: Any) -> list[SampleRow]:
    return rows_of(cells(), seed=2, **must)


def test_a_run_is_the_same_as_itself() -> None:
    found = compared(before(), before())
    assert found.counts == {"same": 3}
    assert found.any_compared


def test_a_planted_slowdown_is_worse_in_its_cell_alone() -> None:
    found = compared(before(), only(HIST, after(), lambda row: slower(row, 1.2)))
    assert of(found, "construct_fit_time") == "worse"
    assert {each.verdict for each in found.cells if each.spec != HIST} == {"same"}


def test_planted_memory_growth_is_worse() -> None:
    found = compared(before(), only(HIST, after(), lambda row: hungrier(row, 60 * MIB)))
    assert of(found, "peak_memory") == "worse"
    assert of(found, "fit_time") == "same"


def test_a_faster_model_that_lost_accuracy_is_worse() -> None:
    def cheaper(row: SampleRow) -> SampleRow:
        auc = (row.score or {})["auc"] - 0.02
        return dataclasses.replace(slower(row, 0.5), score={"auc": auc})

    found = compared(before(), only(HIST, after(), cheaper))
    assert of(found, "fit_time") == "better"
    assert of(found, "score:auc") == "worse"
    assert cell_of(found).verdict == "worse"


def test_a_cell_that_now_crashes_is_worse_and_says_why() -> None:
    kept = [row for row in after() if row.cell != HIST.id]
    crashed = [
        dataclasses.replace(
            failed(HIST, block, "killed", "SIGSEGV", phase="fit"), must_match=MATCHING
        )
        for block in range(5)
    ]
    cell = cell_of(compared(before(), kept + crashed))
    assert cell.verdict == "worse"
    assert cell.compared.new_failures == 5
    assert cell.failures == {"killed in fit: SIGSEGV": 5}
    assert cell.compared.reasons == ("5 samples before, 0 after",)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("machine", "bbbb", "the machine differs: aaaa before, bbbb after"),
        ("allocator", {"libc": "musl"}, "the allocator's settings differs: libc=glibc 2.36"),
        ("thread_settings", {}, "OMP_NUM_THREADS=2 before, none after"),
        ("code", "0.1.0+99", "the measuring code of treebench differs: 0.1.0+1234 before"),
        ("memory_limit", {"by": "cgroup v1", "bytes": 1}, "not recorded before, cgroup v1 after"),
        ("threads_seen", {"libgomp-99.so": 16}, "the threads seen differ: 2 before, 16 after"),
    ],
)
def test_what_must_agree_and_does_not_makes_cells_not_comparable(
    name: str, value: Any, words: str
) -> None:
    found = compared(before(), after(**{name: value}))
    assert found.counts == {"not comparable": 3}
    assert not found.any_compared
    assert words in cell_of(found).compared.reasons[0]
    assert cell_of(found).compared.judged == ()


def test_versions_may_differ_and_are_named() -> None:
    newer = {"python": "3.11.7", "xgboost": "3.2.0"}
    found = compared(before(), after(versions=newer, threads_seen={"libgomp-99.so": 2}))
    assert found.versions == {"xgboost": (("3.1.0",), ("3.2.0",))}
    assert found.counts == {"same": 3}


def test_unequal_numbers_of_samples_are_compared_and_said() -> None:
    found = compared(before(), rows_of(cells(), n=4, seed=2))
    assert cell_of(found).compared.reasons == ("5 samples before, 4 after",)
    assert found.counts == {"same": 3}


def test_one_sample_is_never_enough() -> None:
    one = only(HIST, rows_of(cells(), n=1, seed=2), lambda row: slower(row, 3))
    assert of(compared(before(), one), "fit_time") == "unclear"


def test_missing_cells_are_named_with_their_cause() -> None:
    kept = [row for row in after() if row.cell != HIST.id]
    found = compared(before(), kept)
    lost = found.lost[0]
    assert (lost.cell, lost.side) == (HIST.id, "before")
    assert lost.why == "planned after, but no sample of it has ended"
    assert lost.place == "flights, 260,000 rows, dense-c, xgboost hist"
    unplanned = compare_runs(side(before()), side(kept, [EXACT, LIGHTGBM]))
    assert unplanned.lost[0].why == "not measured after"


def test_a_cell_that_is_unsupported_now_says_so() -> None:
    refusal = {
        "spec": {"trainer": "xgboost", "rows": 260_000, "params": {**HIST.params, "alpha": 1}},
        "reason": "hist was removed",
    }
    other = side([row for row in after() if row.cell != HIST.id], [EXACT, LIGHTGBM])
    other = dataclasses.replace(
        other,
        facts={
            **(other.facts or {}),
            "plan": {**(other.facts or {})["plan"], "unsupported": [refusal]},
        },
    )
    lost = compare_runs(side(before()), other).lost[0]
    assert lost.why == "unsupported after: hist was removed"


def test_other_data_is_not_comparable_and_says_so() -> None:
    other = dataclasses.replace(HIST, data_sha256="1" * 64)
    found = compared(before(), rows_of([other, EXACT, LIGHTGBM], seed=2))
    assert [each.side for each in found.lost] == ["before", "after"]
    assert all(
        each.why == "the data of flights is not the same: 000000000000 before, 111111111111 after"
        for each in found.lost
    )
    assert found.counts == {"same": 2, "not comparable": 1}


def test_all_cells_missing_is_nothing_compared() -> None:
    found = compared(before(), rows_of([spec(rows=1000)], seed=2))
    assert not found.cells
    assert not found.any_compared
    assert len(found.lost) == 4


def test_tree_memory_of_other_sources_is_left_out_and_said() -> None:
    def seen_by(source: str, row: SampleRow) -> SampleRow:
        phases = {
            name: dataclasses.replace(figures, tree_peak_bytes=300 * MIB, tree_peak_source=source)
            for name, figures in row.phases.items()
        }
        return dataclasses.replace(row, phases=phases)

    first = [seen_by("cgroup v1", row) for row in before()]
    assert of(compared(first, first), "tree_memory") == "same"
    cell = cell_of(compared(first, [seen_by("PSS watchdog", row) for row in after()]))
    assert "tree_memory" not in [each.figure.name for each in cell.compared.judged]
    assert cell.compared.reasons == (
        "tree_memory is by cgroup v1 before and by PSS watchdog after",
    )


def counted(row: SampleRow, tier: str, value: int, kind: Any = "timed") -> SampleRow:
    counters = {"tier": tier, "phases": {"fit": {"LL-read-misses": value}}, "missing": {}}
    return dataclasses.replace(row, kind=kind, counters=counters)


def test_counters_of_one_tier_are_guarded_and_never_mixed() -> None:
    figure = "counter:fit:LL-read-misses"
    first = [counted(row, "hardware", 10_000) for row in before()]
    more = [counted(row, "hardware", 12_000) for row in after()]
    assert of(compared(first, more), figure) == "worse"
    other = [counted(row, "simulated", 12_000) for row in after()]
    assert cell_of(compared(first, other)).compared.reasons == (
        f"{figure} is by hardware before and by simulated after",
    )


def test_one_simulated_sample_is_as_good_as_many() -> None:
    def simulated(rows: list[SampleRow], value: int) -> list[SampleRow]:
        of_hist = next(row for row in rows if row.cell == HIST.id)
        return [*rows, counted(of_hist, "simulated", value, "simulated")]

    first = simulated(before(), 10_000)
    assert of(compared(first, simulated(after(), 11_000)), "counter:fit:LL-read-misses") == "worse"
    assert of(compared(first, simulated(after(), 10_050)), "counter:fit:LL-read-misses") == "same"


def test_a_machine_that_slowed_down_makes_no_regression() -> None:
    """All got slower by a fifth, the control cell too: the machine did, and nothing else."""
    found = compared(before(), [slower(row, 1.2) for row in after()])
    control = found.controls[None]
    assert control.moved
    assert control.change.after / control.change.before == pytest.approx(1.2, abs=0.02)
    assert of(found, "fit_time") == "unclear"
    judged = next(each for each in cell_of(found).compared.judged if each.remark)
    assert judged.remark == "worse as it stands, same beside the control cell, which moved"


def test_a_regression_beyond_the_machines_own_stays_one() -> None:
    all_slower = [slower(row, 1.2) for row in after()]
    found = compared(before(), only(HIST, all_slower, lambda row: slower(row, 1.3)))
    assert of(found, "fit_time") == "worse"
    assert of(found, "fit_time", EXACT.id) == "unclear"


def test_across_machines_only_ratios_to_the_control_cell_count() -> None:
    twice = [slower(row, 2.0) for row in after(machine="bbbb")]
    found = compared(before(), twice, across_machines=True)
    assert found.across_machines
    assert found.counts == {"same": 3}
    assert all(figure.unit == "ns" for figure in found.figures)
    regressed = compared(
        before(), only(HIST, twice, lambda row: slower(row, 1.2)), across_machines=True
    )
    assert of(regressed, "fit_time") == "worse"
    assert of(regressed, "fit_time", EXACT.id) == "same"


def test_across_machines_without_a_control_cell_nothing_compares() -> None:
    bare = [row for row in after(machine="bbbb") if row.cell != CONTROL.id]
    found = compared(before(), bare, across_machines=True)
    assert not found.any_compared
    assert cell_of(found).compared.reasons == (NO_CONTROL,)


def test_across_machines_changes_nothing_on_one_machine() -> None:
    assert not compared(before(), after(), across_machines=True).across_machines


def test_a_run_on_several_hosts_is_compared_host_by_host() -> None:
    def on_hosts(rows: list[SampleRow]) -> list[SampleRow]:
        return [
            dataclasses.replace(
                row,
                must_match=row.must_match
                | ({"host": "a"} if row.block < 5 else {"host": "b", "machine": "bbbb"}),
            )
            for row in rows
        ]

    first, second = (on_hosts(rows_of(cells(), n=10, seed=seed)) for seed in (1, 2))
    second = [slower(row, 1.3) if row.cell == HIST.id and row.block >= 5 else row for row in second]
    found = compared(first, second)
    assert found.counts == {"same": 5, "worse": 1}
    assert [each.place for each in found.cells if each.verdict == "worse"] == [
        "flights, 260,000 rows, dense-c, xgboost hist, on b"
    ]
    assert set(found.controls) == {"a", "b"}


def test_bounds_can_be_set_and_cells_left_out() -> None:
    later = only(HIST, after(), lambda row: slower(row, 1.2))
    rules = rules_of(["time=30%"])
    found = compared(before(), later, rules=rules, matches=lambda spec: spec == HIST)
    assert len(found.cells) == 1
    assert of(found, "fit_time") == "same"
    assert found.rules is rules


def test_more_figures_can_be_asked_for() -> None:
    found = compared(before(), after(), more_figures=["load_time"])
    assert of(found, "load_time") == "same"


def test_interrupted_samples_say_nothing() -> None:
    cut = [dataclasses.replace(after()[1], status="interrupted"), *after()[2:]]
    assert cell_of(compared(before(), cut)).compared.new_failures == 0


def test_a_cell_that_fails_on_both_sides_is_not_comparable() -> None:
    def without(rows: list[SampleRow]) -> list[SampleRow]:
        hurt = [failed(HIST, block, "oom", "at the limit") for block in range(5)]
        kept = [row for row in rows if row.cell != HIST.id]
        return kept + [dataclasses.replace(row, must_match=MATCHING) for row in hurt]

    cell = cell_of(compared(without(before()), without(after())))
    assert cell.verdict == "not comparable"
    assert cell.compared.reasons == ("no sample ended well on either side",)
    assert cell.compared.new_failures == 0


def test_across_machines_a_cell_apart_from_the_control_cells_has_no_verdict() -> None:
    other = after(machine="bbbb")
    lone = [dataclasses.replace(row, block=9) if row.cell == HIST.id else row for row in other]
    found = compared(before(), lone, across_machines=True)
    assert found.counts == {"same": 2, "not comparable": 1}
    assert cell_of(found).compared.reasons == (NO_BLOCK,)


@pytest.mark.parametrize(("drop", "expected"), [(0.0005, "same"), (0.1, "worse"), (-0.1, "better")])
def test_scores_below_zero_are_judged_by_their_difference(drop: float, expected: Verdict) -> None:
    def scored(rows: list[SampleRow], r2: float) -> list[SampleRow]:
        """Scores that differ from block to block, as those of a parallel sum do."""
        return [
            dataclasses.replace(row, score={"r2": r2 + row.block * 1e-5}) if row.score else row
            for row in rows
        ]

    found = compared(scored(before(), -0.2), scored(after(), -0.2 - drop))
    assert of(found, "score:r2") == expected
