"""The order of samples."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from treebench.plan.order import block_order, schedule

CELLS = ["a", "b", "c", "d", "e", "f"]
names = st.lists(st.text("abcdef0123456789", min_size=3, max_size=6), min_size=1, unique=True)


@given(cells=names, samples=st.integers(1, 6), seed=st.integers(0, 99))
def test_each_block_holds_each_cell_once_and_no_cell_follows_itself(
    cells: list[str], samples: int, seed: int
) -> None:
    taken = list(schedule(cells, "control", samples, seed))
    for block in range(samples):
        of_block = [cell for number, cell in taken if number == block]
        assert sorted(of_block) == sorted([*cells, "control"])
    order = [cell for _, cell in taken]
    assert all(one != other for one, other in itertools.pairwise(order))


def test_odd_blocks_walk_backwards_and_pairs_differ() -> None:
    orders = [block_order(CELLS, block, 0) for block in range(6)]
    assert orders[1] == orders[0][::-1]
    assert orders[3] == orders[2][::-1]
    assert orders[0] != orders[2] != orders[4]


def test_the_order_depends_on_the_seed_and_not_on_how_cells_were_listed() -> None:
    assert block_order(CELLS, 0, 0) == block_order(CELLS[::-1], 0, 0)
    assert block_order(CELLS, 0, 0) != block_order(CELLS, 0, 1)


def test_a_steady_drift_falls_on_every_cell_alike() -> None:
    positions = dict.fromkeys(CELLS, 0)
    for position, (_, cell) in enumerate(schedule(CELLS, "control", 2, 3)):
        if cell != "control":
            positions[cell] += position
    assert len(set(positions.values())) == 1
