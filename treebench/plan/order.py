"""In which order samples are taken.

Noise sits between runs, not within them, so repeats of a cell must not stand together: a block
visits every cell once in a seeded shuffle, and the next block walks the same order backwards, so
that a steady drift of the machine falls on every cell alike. The control cell opens every block,
which also keeps the last cell of a block apart from itself at the head of the reversed one.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def block_order(cells: Sequence[str], block: int, seed: int) -> list[str]:
    """The order of block number `block`, from 0. The same for equal arguments, anywhere."""
    order = sorted(cells)
    random.Random(f"{seed}:{block // 2}").shuffle(order)  # noqa: S311 - an order, no secret
    return order if block % 2 == 0 else order[::-1]


def schedule(
    cells: Sequence[str], control: str, samples: int, seed: int
) -> Iterator[tuple[int, str]]:
    """All timed samples of a sweep as (block, cell), in the order they are to be taken."""
    for block in range(samples):
        yield block, control
        for cell in block_order(cells, block, seed):
            yield block, cell
