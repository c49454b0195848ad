"""What a call takes over from an earlier one in the same folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.picking.world import BASELINE, MIB, World, picked, question
from treebench.picking.question import Question
from treebench.picking.state import FILE_NAME, read_state
from treebench.plan.build import PlannedCell

FIRST = question(4096 * MIB)


def after(asked: Question, folder: Path) -> tuple[World, object]:
    """The second call's world and its answer."""
    path = folder / FILE_NAME
    world = World()
    picked(FIRST, world, read_state(path, "0"))
    again = World(rows=world.rows, seen=1)
    return again, picked(asked, again, read_state(path, "0"))


def searched(world: World) -> list[PlannedCell]:
    """Samples on the search set that are no pilot's."""
    return [
        cell
        for cell in world.taken
        if cell.spec.dataset.endswith(".search") and cell.spec.params["n_estimators"] > 30
    ]


def test_only_the_trainers_that_are_asked_for_now_can_be_picked(tmp_path: Path) -> None:
    """LightGBM, which scored best before, is not asked for."""
    world, pick = after(question(4096 * MIB, trainers=("xgboost",)), tmp_path)
    assert pick.attempt.fit.point.learner.trainer == "xgboost"  # type: ignore[attr-defined]
    assert searched(world), "what others proposed before leaves xgboost's own to be proposed"


def test_points_that_do_not_fit_now_leave_room_for_others(tmp_path: Path) -> None:
    world, _ = after(question(BASELINE + 6 * MIB), tmp_path)
    assert searched(world)


def test_samples_on_other_threads_are_not_compared(tmp_path: Path) -> None:
    world, pick = after(question(4096 * MIB, threads=2), tmp_path)
    assert {cell.spec.threads for cell in world.taken} == {2}
    assert pick.attempt.fit.cell.spec.threads == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("budget_mib", [2048, 4096])
def test_what_still_fits_is_not_proposed_anew(tmp_path: Path, budget_mib: int) -> None:
    world, _ = after(question(budget_mib * MIB), tmp_path)
    assert searched(world) == []


@pytest.mark.parametrize("stop_at", [0, 3, 12, 25])
def test_ctrl_c_keeps_what_was_learnt_and_the_next_call_uses_it(
    tmp_path: Path, stop_at: int
) -> None:
    asked = question(4096 * MIB)
    path = tmp_path / FILE_NAME
    world = World(stop_at=stop_at)
    with pytest.raises(KeyboardInterrupt):
        picked(asked, world, read_state(path, "0"))
    kept = read_state(path, "0")
    assert len(kept.tried) == stop_at
    again = World(rows=world.rows)
    pick = picked(asked, again, kept)
    assert pick.attempt is not None
    assert pick.spent.samples_now == len(again.taken)
    assert not {cell.id for cell in world.taken} & {cell.id for cell in again.taken}
    undisturbed = World()
    picked(asked, undisturbed)
    assert len(again.taken) <= len(undisturbed.taken)


def test_the_same_question_again_takes_no_samples_and_gives_the_same_answer(
    tmp_path: Path,
) -> None:
    asked, path = question(4096 * MIB), tmp_path / FILE_NAME
    world = World()
    first = picked(asked, world, read_state(path, "0"))
    again = World(rows=world.rows, seen=1)
    second = picked(asked, again, read_state(path, "0"))
    assert again.taken == []
    assert first.attempt is not None
    assert second.attempt is not None
    assert second.attempt.tried == first.attempt.tried
