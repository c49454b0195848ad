"""Blocks are kept whole per host, whoever comes, goes and comes back."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from tests.runner.fakes import cell, plan, row
from treebench.runner.blocks import BlockName, Blocks, host_of
from treebench.runner.sweep import missing_samples

if TYPE_CHECKING:
    from treebench.plan.build import PlannedCell
    from treebench.store.row import Kind, SampleRow, Status

A, B, C = cell(1), cell(2), cell(3)
PLAN = plan(A, B, C, samples=3, memory_samples=1)
EVERY = missing_samples(PLAN, [], {A.id, B.id, C.id}, False)
CONTROL = PLAN.control
FIRST = BlockName("timed", 0)


def by(
    host: str, of: PlannedCell, block: int = 0, status: Status = "ok", kind: Kind = "timed"
) -> SampleRow:
    return dataclasses.replace(row(of, block, status, kind), must_match={"host": host})


def whole(host: str, block: int) -> list[SampleRow]:
    return [by(host, one, block) for one in (CONTROL, A, B, C)]


def owed_cells(blocks: Blocks, host: str) -> set[str]:
    return {wanted.cell.id for wanted in blocks.owed(FIRST, host)}


def test_an_untouched_sweep_is_taken_block_by_block_the_control_first() -> None:
    blocks = Blocks(EVERY)
    assert blocks.missing() == EVERY
    names = [BlockName("timed", 0), BlockName("timed", 1), BlockName("timed", 2)]
    assert blocks.next_for("h", []) == names[0]
    assert blocks.next_for("h", names[:2]) == names[2]
    assert blocks.next_for("h", names) == BlockName("memory", 0)
    assert blocks.next_for("h", [*names, BlockName("memory", 0)]) is None
    assert blocks.owed(FIRST, "h")[0].cell == CONTROL


def test_a_host_that_comes_back_goes_on_and_another_begins_at_the_start() -> None:
    blocks = Blocks(EVERY, [by("h", CONTROL), by("h", A)])
    assert owed_cells(blocks, "h") == {B.id, C.id}
    assert owed_cells(blocks, "other") == {CONTROL.id, A.id, B.id, C.id}


def test_what_another_host_left_is_taken_last_and_ones_own_first() -> None:
    blocks = Blocks(EVERY, [by("gone", A, 0), by("h", A, 2)])
    order: list[BlockName] = []
    for _ in range(4):
        name = blocks.next_for("h", order)
        assert name is not None
        order.append(name)
    assert order == [
        *(BlockName("timed", 2), BlockName("timed", 1), BlockName("memory", 0)),
        BlockName("timed", 0),
    ]


def test_a_block_of_two_hosts_is_not_whole_however_many_rows_it_has() -> None:
    mixed = [*whole("h", 0)[:3], by("other", C)]
    blocks = Blocks(EVERY, mixed)
    assert owed_cells(blocks, "h") == {C.id}
    assert owed_cells(blocks, "other") == {CONTROL.id, A.id, B.id}
    assert [one.cell.id for one in blocks.missing() if one.block == 0 and one.kind == "timed"] == [
        C.id
    ]


def test_the_control_cell_of_another_host_does_not_do() -> None:
    blocks = Blocks(EVERY, [by("other", CONTROL), *whole("h", 0)[1:]])
    assert owed_cells(blocks, "h") == {CONTROL.id}
    assert blocks.next_for("h", []) == FIRST


def test_a_whole_block_is_nobodys_any_more() -> None:
    blocks = Blocks(EVERY, whole("h", 0))
    assert blocks.next_for("h", []) == BlockName("timed", 1)
    assert not [one for one in blocks.missing() if one.block == 0 and one.kind == "timed"]


def test_the_last_row_of_a_sample_says_whose_it_is() -> None:
    blocks = Blocks(EVERY, whole("h", 0))
    blocks.took(by("other", A))
    assert owed_cells(blocks, "h") == {A.id}
    for one in whole("other", 0):
        blocks.took(one)
    assert blocks.next_for("h", []) == BlockName("timed", 1)


def test_failed_samples_are_taken_again_when_asked_and_interrupted_ones_always() -> None:
    rows = [*whole("h", 0)[:2], by("h", B, status="oom"), by("h", C, status="interrupted")]
    assert owed_cells(Blocks(EVERY, rows), "h") == {C.id}
    assert owed_cells(Blocks(EVERY, rows, retry_failed=True), "h") == {B.id, C.id}
    assert owed_cells(Blocks(EVERY, rows, retry_failed=True), "other") == {
        *(CONTROL.id, A.id, B.id, C.id)
    }


def test_a_control_that_failed_alone_opens_no_block() -> None:
    rows = [by("h", CONTROL, status="error"), *whole("h", 0)[1:]]
    blocks = Blocks(EVERY, rows, retry_failed=True)
    assert blocks.next_for("h", []) == BlockName("timed", 1)


def test_a_row_from_outside_a_cluster_has_no_host() -> None:
    assert host_of(row(A, 0)) is None
