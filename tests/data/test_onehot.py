from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.data.test_layouts import as_dense, assert_exact_dense, assert_exact_sparse
from treebench.data.manifest import LAYOUTS, Layout
from treebench.data.matrix import Part
from treebench.data.reading import dense, onehot_sparse
from treebench.data.reading.expansion import width
from treebench.data.reading.onehot import one_hot
from treebench.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTAINERS: dict[Layout, Any] = {
    "dense-c": lambda table: np.array(table, order="C"),
    "dense-f": lambda table: np.array(table, order="F"),
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
}


def part_of(table: NDArray[np.float32], layout: Layout, cardinalities: dict[int, int]) -> Part:
    y = np.arange(len(table), dtype=np.float32)
    return Part(CONTAINERS[layout](table), y, layout, cardinalities)


def naive(table: NDArray[np.float32], cardinalities: dict[int, int]) -> NDArray[np.float32]:
    """Cell by cell: what one-hot means."""
    rows = []
    for row in table.tolist():
        cells: list[float] = []
        for position, value in enumerate(row):
            if position in cardinalities:
                cells += [float(value == code) for code in range(cardinalities[position])]
            else:
                cells.append(value)
        rows.append(cells)
    return np.array(rows, np.float32).reshape(len(table), width(table.shape[1], cardinalities))


@st.composite
def categorical_tables(draw: st.DrawFn) -> tuple[NDArray[np.float32], dict[int, int]]:
    rows, features = draw(st.integers(0, 9)), draw(st.integers(1, 6))
    positions = draw(st.sets(st.integers(0, features - 1)))
    cardinalities = {at: draw(st.integers(1, 5)) for at in sorted(positions, reverse=True)}
    table = np.empty((rows, features), np.float32)
    for position in range(features):
        values = [0.0, -1.5, np.nan, 2.0]
        if position in cardinalities:
            values = [np.nan, *map(float, range(cardinalities[position]))]
        column = st.lists(st.sampled_from(values), min_size=rows, max_size=rows)
        table[:, position] = draw(column)
    return table, cardinalities


@pytest.mark.parametrize("chunk_rows", [2, 1000])
@pytest.mark.parametrize("layout", LAYOUTS)
@settings(deadline=None, max_examples=60)
@given(case=categorical_tables())
def test_equals_the_naive_expansion(
    layout: Layout, chunk_rows: int, case: tuple[NDArray[np.float32], dict[int, int]]
) -> None:
    table, cardinalities = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onehot_sparse, "_CHUNK_ROWS", chunk_rows)
        part = part_of(table, layout, cardinalities)
        expanded = one_hot(part, layout)
    expected = naive(table, cardinalities)
    np.testing.assert_array_equal(as_dense(expanded.X), expected)
    assert expanded.y is part.y
    assert (expanded.layout, expanded.cardinalities) == (layout, {})
    assert expanded.X.dtype == np.float32
    if cardinalities and layout in ("csr", "csc"):
        assert_exact_sparse(expanded.X, expected, layout)
    elif cardinalities:
        assert_exact_dense(expanded.X, expected, layout)


def test_columns_stay_in_place() -> None:
    table = np.array([[7.0, 2.0, 8.0], [9.0, np.nan, 6.0]], np.float32)
    expanded = one_hot(part_of(table, "dense-c", {1: 3}), "dense-c")
    assert as_dense(expanded.X).tolist() == [[7, 0, 0, 1, 8], [9, 0, 0, 0, 6]]


def test_nothing_to_expand_is_the_same_part() -> None:
    part = part_of(np.ones((2, 2), np.float32), "csr", {})
    assert one_hot(part, "csr") is part


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("value", [3.0, -1.0, 0.5, np.inf])
def test_a_value_that_is_no_code_is_refused(layout: Layout, value: float) -> None:
    table = np.array([[1, 2], [1, value]], np.float32)
    with pytest.raises(DataError, match=f"column 1 has the value {value:g}.* 0 to 2"):
        one_hot(part_of(table, layout, {1: 3}), layout)


@pytest.mark.parametrize("layout", ["dense-c", "dense-f"])
def test_too_large_to_be_dense_is_refused(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "available_memory_bytes", lambda: 1 << 20)
    part = part_of(np.zeros((4, 1), np.float32), layout, {0: 1 << 20})
    with pytest.raises(DataError, match=r"one-hot columns: .* 4 x 1048576 .* csr or csc"):
        one_hot(part, layout)


def test_another_layout_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="keeps the layout"):
        one_hot(part_of(np.zeros((1, 1), np.float32), "csr", {0: 2}), "csc")


def test_width() -> None:
    assert width(3, {}) == 3
    assert width(3, {0: 5, 2: 1}) == 7


def test_width_needs_no_numpy() -> None:
    code = (
        "import sys; from treebench.data.reading.expansion import width; width(1, {0: 2}); "
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
