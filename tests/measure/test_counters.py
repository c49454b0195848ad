"""Which tier is taken, and what a row says of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treebench.measure import counters
from treebench.measure.counters import HARDWARE_GROUPS, Choice, Tier, choose, perf_counters
from treebench.measure.perf_output import NEVER_RAN, Counted


def machine(*present: Tier) -> dict[Tier, Callable[[], str | None]]:
    def asker(tier: Tier) -> Callable[[], str | None]:
        return lambda: None if tier in present else f"no {tier}"

    return {tier: asker(tier) for tier in counters.BEST_FIRST}


@pytest.mark.parametrize(
    ("present", "tier", "absent"),
    [
        (("hardware", "simulated", "software"), "hardware", {}),
        (("simulated", "software"), "simulated", {"hardware": "no hardware"}),
        (("software",), "software", {"hardware": "no hardware", "simulated": "no simulated"}),
        ((), None, {tier: f"no {tier}" for tier in counters.BEST_FIRST}),
    ],
)
def test_auto_takes_the_best_and_says_why_not_a_better(
    present: tuple[Tier, ...], tier: Tier | None, absent: dict[str, str]
) -> None:
    assert choose("auto", machine(*present)) == Choice(tier, absent)


def test_a_tier_by_name_is_taken_or_not_and_never_replaced() -> None:
    assert choose("software", machine("hardware", "software")) == Choice("software")
    assert choose("hardware", machine("software")) == Choice(None, {"hardware": "no hardware"})


def test_none_asks_nothing() -> None:
    assert choose("none", {}) == Choice(None)
    assert counters.no_counters(Choice(None)) is None


def test_a_row_without_its_tier_says_why() -> None:
    row = counters.no_counters(Choice(None, {"hardware": "no PMU"}))
    assert row is not None
    assert (row["tier"], row["absent"], row["phases"]) == (None, {"hardware": "no PMU"}, {})


def test_blocks_take_turns_at_the_groups_of_hardware_events() -> None:
    assert counters.groups_of("hardware", 0) == (HARDWARE_GROUPS[0],)
    assert counters.groups_of("hardware", 3) == (HARDWARE_GROUPS[1],)


def test_no_group_asks_for_more_than_a_core_has() -> None:
    fixed = {"cycles", "instructions"}
    assert all(len(set(group) - fixed) <= 3 for group in HARDWARE_GROUPS)


def test_a_row_holds_values_shares_and_reasons() -> None:
    counted = {
        "fit": Counted({"cycles": 10, "instructions": 20}, {"cycles": 90.0, "instructions": 100.0}),
        "predict": Counted({"instructions": 5}, {"instructions": 99.0}, {"cycles": NEVER_RAN}),
    }
    row = perf_counters(Choice("hardware"), counted)
    assert row["phases"]["fit"]["cycles"] == 10
    assert row["phases"]["predict"]["cycles"] is None
    assert row["missing"]["cycles"] == NEVER_RAN
    assert "other blocks" in row["missing"]["dTLB-load-misses"]
    assert row["running_pct"] == {"cycles": 90.0, "instructions": 99.0}
