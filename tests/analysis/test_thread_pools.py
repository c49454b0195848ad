from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.rows import sample, spec
from treebench.analysis.summary import summarise
from treebench.analysis.thread_pools import pools_above

if TYPE_CHECKING:
    from treebench.store.row import SampleRow

CELL = spec(threads=2)


def saw(pools: dict[str, int] | None, block: int = 0) -> SampleRow:
    must_match: dict[str, Any] = {"threads_seen": pools}
    return replace(sample(CELL, block), must_match=must_match)


@pytest.mark.parametrize(
    ("pools", "above"),
    [
        ({"libgomp-e985bcbb.so.1.0.0": 2}, {}),
        ({"libgomp-e985bcbb.so.1.0.0": 1}, {}),
        (
            {"libgomp.so.1": 3, "libomp.dylib": 2, "libiomp5.so": 8},
            {"libgomp.so.1": 3, "libiomp5.so": 8},
        ),
        ({"libscipy_openblas64_-ff651d7f.so": 8}, {}),
        (None, {}),
    ],
)
def test_only_openmp_with_more_threads_than_asked_for(
    pools: dict[str, int] | None, above: dict[str, int]
) -> None:
    assert pools_above([saw(pools)], 2) == above


def test_the_most_of_all_samples_is_told_and_one_that_saw_nothing_is_none_of_it() -> None:
    rows = [saw({"libgomp.so.1": n}, block) for block, n in enumerate((3, 4, 2))]
    rows.append(replace(sample(CELL, 3), must_match={}))
    assert pools_above(rows, 2) == {"libgomp.so.1": 4}
    assert summarise(CELL.id, CELL.to_json(), rows).pools_above == {"libgomp.so.1": 4}
