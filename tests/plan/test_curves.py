"""Curves and validation parts in a plan."""

from __future__ import annotations

import dataclasses
import json

import pytest

from tests.plan.test_build import manifest, planned
from treebench.config.expand import wanted_splits
from treebench.config.load import checked
from treebench.data.manifest import Split
from treebench.errors import ConfigError
from treebench.plan.cell import CellSpec, rows_trained
from treebench.plan.reduce import reduced
from treebench.runner.order import cell_of, data_of
from treebench.trainers.registry import TRAINERS

XGBOOST = {"trainer": "xgboost"}


def test_rows_stay_what_was_asked_for_and_the_trainer_meets_fewer() -> None:
    [cell] = planned(reference=XGBOOST, validation=0.2).cells.values()
    assert cell.spec.rows == 1000
    assert cell.spec.rows_trained == 800
    assert cell.problem is not None
    assert cell.problem.n_rows == 800
    assert cell.spec.to_json()["validation_share"] == 0.2


def test_cells_without_a_validation_part_keep_their_ids() -> None:
    [bare] = planned(reference=XGBOOST).cells
    [with_curve] = planned(reference=XGBOOST, curve=True).cells
    [held_out] = planned(reference=XGBOOST, validation=0.2).cells
    assert bare == with_curve != held_out
    [cell] = planned(reference=XGBOOST).cells.values()
    assert "validation_share" not in cell.spec.to_json()


@pytest.mark.parametrize(
    ("trainer", "note"),
    [
        ("xgboost", None),
        ("sklearn-forest", "a curve without times: its trees are grown side by side"),
        ("sklearn-tree", "no curve but its last point: it is one tree"),
    ],
)
def test_the_plan_says_what_of_a_curve_cannot_be_had(trainer: str, note: str | None) -> None:
    [cell] = planned(reference={"trainer": trainer}, curve=True).cells.values()
    said = [each for each in cell.notes if "curve" in each]
    assert [each[: len(note or "")] for each in said] == ([] if note is None else [note])
    [without] = planned(reference={"trainer": trainer}).cells.values()
    assert not [each for each in without.notes if "curve" in each]


def test_too_few_rows_to_hold_any_out_are_refused_beside_other_problems() -> None:
    data = {"set": "d", "rows": [2, 5000]}
    with pytest.raises(ConfigError) as refused:
        planned(manifest("d"), reference=XGBOOST, validation=0.5, data=data)
    assert len(refused.value.problems) == 2
    assert "leaves 1 of 2 rows, which cannot hold all 2 classes" in str(refused.value)


@pytest.mark.parametrize("share", [0, -0.1, 0.51, 1, True, "much", float("nan")])
def test_a_share_out_of_bounds(share: object) -> None:
    with pytest.raises(ConfigError, match="validation"):
        planned(reference=XGBOOST, validation=share)


def test_all_rows_and_each_number_of_them_are_split() -> None:
    data = [{"set": "a", "rows": [5, "all"]}, {"set": ["a", "b"], "rows": 7}]
    raw = {"name": "x", "data": data, "reference": XGBOOST}
    config = checked({**raw, "validation": 0.25}, "f", tuple(TRAINERS))
    assert wanted_splits(config) == {
        "a": [Split(None, 0.25), Split(5, 0.25), Split(7, 0.25)],
        "b": [Split(7, 0.25)],
    }
    assert wanted_splits(checked(raw, "f", tuple(TRAINERS))) == {}


def test_the_small_copy_for_the_simulator_holds_nothing_out() -> None:
    [cell] = planned(reference=XGBOOST, validation=0.2).cells.values()
    small = reduced(cell, 0.75, 0.1)
    assert small.cell.spec.rows == 600
    assert small.cell.spec.validation_share is None
    assert small.size["rows_share"] == 0.75


def test_a_cell_and_its_data_go_to_another_host_whole() -> None:
    [cell] = planned(reference=XGBOOST, validation=0.2).cells.values()
    sent = json.loads(json.dumps(dataclasses.asdict(cell)))
    assert cell_of(sent).spec == cell.spec
    assert data_of([cell])["d"].splits == (Split(1000, 0.2),)


def test_rows_are_trained_on_unless_held_out() -> None:
    assert rows_trained(1000, None) == 1000
    assert rows_trained(1000, 0.2) == 800
    assert rows_trained(2, 0.1) == 1
    spec = CellSpec("d", "", 10, 2, "dense-c", "xgboost", {}, {}, 1, validation_share=0.5)
    assert spec.rows_trained == 5
