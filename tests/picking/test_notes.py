"""What is to be borne in mind of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.picking.world import BASELINE, MIB, World, picked, question
from treebench.picking.notes import notes_on
from treebench.picking.outcome import Pick
from treebench.picking.screen import Group


@pytest.fixture(scope="module")
def loose() -> Pick:
    return picked(question(4096 * MIB), World())


def told(pick: Pick, budget_bytes: int, ruled_out: tuple[Group, ...] | None = None) -> str:
    asked = replace(pick.question, budget_bytes=budget_bytes)
    groups = pick.ruled_out if ruled_out is None else ruled_out
    return "\n".join(notes_on(asked, pick.attempt, groups, hurried=False))


def peak(pick: Pick) -> int:
    assert pick.attempt is not None
    assert pick.attempt.tried.peak_bytes is not None
    return pick.attempt.tried.peak_bytes


@pytest.mark.parametrize(("above", "near"), [(1.0, True), (1.009, True), (1.02, False)])
def test_a_peak_within_a_percent_of_the_budget_is_told(
    loose: Pick, above: float, near: bool
) -> None:
    budget = round(peak(loose) * above)
    assert ("another run may break it" in told(loose, budget)) is near
    surer = told(loose, budget).partition("break it; ")[2].partition(" ")[0]
    assert surer == ("" if not near else f"{-int(-peak(loose) * 1.02 // MIB)}MiB")


def test_a_budget_that_kept_nothing_out_is_told_with_what_would_have_done(loose: Pick) -> None:
    assert "the budget kept nothing out" in "\n".join(loose.notes)
    assert f"the pick itself into {-(-peak(loose) // MIB)}MiB" in "\n".join(loose.notes)


@pytest.mark.parametrize(
    ("kind", "kept"), [("memory", True), ("killed", True), ("unsupported", False), ("time", False)]
)
def test_a_budget_that_kept_something_out_is_not_called_loose(
    loose: Pick, kind: str, kept: bool
) -> None:
    one = loose.frontier[0].candidate.fit
    group = Group(one.point.learner, one.holding, kind, "so", 1, None)  # type: ignore[arg-type]
    assert ("kept nothing out" in told(loose, 4096 * MIB, (group,))) is not kept


@pytest.mark.parametrize(
    ("rows", "few"), [(100, "has 20 rows"), (4_990, "has 998 rows"), (5_000, None)]
)
def test_a_small_validation_part_is_told(rows: int, few: str | None) -> None:
    asked = question(4096 * MIB, rows=rows)
    held_out = rows - asked.search_rows
    asked = replace(asked, search_manifest=replace(asked.search_manifest, test_rows=held_out))
    notes = "\n".join(picked(asked, World()).notes)
    assert (few or "the budget") in notes
    assert ("order by chance" in notes) is (few is not None)


@pytest.mark.parametrize(("search_time_s", "told"), [(20.0, True), (9999.0, False)])
def test_a_search_that_ran_out_of_time_says_so(search_time_s: float, told: bool) -> None:
    pick = picked(question(4096 * MIB, search_time_s=search_time_s), World())
    assert pick.attempt is not None
    said = f"the search's {search_time_s:g} s were over before all was tried"
    assert any(note.startswith(said) for note in pick.notes) is told


def test_the_same_question_again_was_not_in_a_hurry_if_nothing_is_left_to_try() -> None:
    from treebench.picking.state import State

    state, world = State(), World()
    picked(question(4096 * MIB), world, state)
    again = picked(question(4096 * MIB, search_time_s=0.001), World(rows=world.rows, seen=1), state)
    assert not any("were over" in note for note in again.notes)


def test_where_nothing_was_picked_there_is_nothing_to_bear_in_mind() -> None:
    assert picked(question(BASELINE - 50 * MIB), World()).notes == ()
