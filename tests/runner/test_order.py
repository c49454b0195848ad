"""Orders go over the wire as JSON and come out as the cells they were made from."""

from __future__ import annotations

import dataclasses
import json

from tests.runner.fakes import cell
from treebench.plan.build import PlannedCell, control_cell
from treebench.runner.order import DataWanted, Orders, cell_of, data_of
from treebench.runner.sweep import Wanted
from treebench.trainers.base import Problem

PROBLEM = Problem("binary", 1000, 3, 2, "csr", {1: 4}, has_missing=True)
WHOLE = dataclasses.replace(
    cell(1000, memory_limit_bytes=2**30),
    problem=PROBLEM,
    native={"max_bin": 63, "threads": None},
    warm_up_native={"max_bin": 63},
    cardinalities={0: 12, 2: 4},
    notes=("a note",),
)


def over_the_wire(of: PlannedCell) -> PlannedCell:
    order = Orders("r", "c", 60.0).sample(Wanted(3, of, "memory"), "h")
    received = json.loads(json.dumps(order))
    assert (received["block"], received["kind"], received["host"]) == (3, "memory", "h")
    return cell_of(received["cell"])


def test_a_cell_is_the_same_cell_on_the_other_side() -> None:
    assert over_the_wire(WHOLE) == WHOLE
    assert over_the_wire(WHOLE).id == WHOLE.id


def test_so_is_the_control_cell() -> None:
    control = control_cell(2)
    assert over_the_wire(control) == control


def test_the_data_of_cells_is_named_once_with_all_its_row_counts() -> None:
    found = data_of([cell(20), cell(10), cell(20), control_cell(1)])
    assert found == {"toy": DataWanted("0" * 64, (10, 20))}
