from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treebench.data.making.columns import NumberCounter, as_float64, kind_of
from treebench.data.making.encode import CategoryEncoder


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (pa.null(), "number"),
        (pa.bool_(), "number"),
        (pa.uint64(), "number"),
        (pa.float16(), "number"),
        (pa.string(), "category"),
        (pa.large_string(), "category"),
        (pa.string_view(), "category"),
        (pa.dictionary(pa.int8(), pa.string()), "category"),
        (pa.dictionary(pa.int8(), pa.int64()), "category"),
        (pa.dictionary(pa.int8(), pa.binary()), "refused"),
        (pa.timestamp("ns", "Europe/Berlin"), "datetime"),
        (pa.date32(), "datetime"),
        (pa.time64("us"), "datetime"),
        (pa.duration("ms"), "datetime"),
        (pa.month_day_nano_interval(), "refused"),
        (pa.decimal128(5, 2), "refused"),
        (pa.list_(pa.float32()), "refused"),
        (pa.struct([("a", pa.int8())]), "refused"),
        (pa.map_(pa.string(), pa.int8()), "refused"),
        (pa.binary(), "refused"),
    ],
)
def test_what_a_type_is(kind: Any, expected: str) -> None:
    assert kind_of(kind) == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([True, None, False]), [1, np.nan, 0]),
        (pa.array([1, None], pa.int8()), [1, np.nan]),
        (pa.array([2**63], pa.uint64()), [2.0**63]),
        (pa.array([0.5, None, np.nan], pa.float32()), [0.5, np.nan, np.nan]),
        (pa.array(np.array([1.5], dtype=np.float16)), [1.5]),
        (pa.nulls(2), [np.nan, np.nan]),
        (pa.array([datetime.date(1970, 1, 2), None]), [86_400, np.nan]),
        (pa.array([datetime.datetime(1969, 12, 31, 23, 59, 59, 500_000)]), [-0.5]),
        (pa.array([datetime.time(1, 0)], pa.time32("ms")), [3_600]),
        (pa.array([1_500], pa.duration("ms")), [1.5]),
    ],
)
def test_columns_as_numbers(column: Any, expected: list[float]) -> None:
    np.testing.assert_array_equal(as_float64(column), np.array(expected, dtype=np.float64))


def test_a_slice_of_a_column_is_that_slice() -> None:
    column = pa.array([1, None, 3, 4]).slice(1, 2)

    np.testing.assert_array_equal(as_float64(column), [np.nan, 3])


def test_counts_name_the_first_row_and_skip_rows_that_do_not_count() -> None:
    counter = NumberCounter()
    counted = np.array([True, True, False])

    made = counter.convert("x", pa.array([1.0, np.inf, 1e39]), 100, counted)

    np.testing.assert_array_equal(made, np.array([1, np.nan, np.nan], dtype=np.float32))
    assert counter.unfit("mend it") == [
        "column 'x' has 1 infinite value (first in row 102); mend it"
    ]


def test_counts_add_up_over_batches() -> None:
    counter = NumberCounter()
    for start in (0, 3):
        counter.convert("x", pa.array([1.0, 1e39, -1e39]), start)
        counter.convert("n", pa.array([2**24, 2**24 + 1, 5]), start)

    assert counter.unfit("mend it")[0].startswith("column 'x' has 4 values beyond ±3.4e38")
    assert counter.rounded()[0].startswith("column 'n': 2 values had more digits")


texts = st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=40)


@given(texts, st.integers(1, 7))
@settings(max_examples=100, deadline=None)
def test_codes_are_ranks_of_the_text_however_it_is_batched(
    values: list[str | None], size: int
) -> None:
    column = pa.array(values, pa.string())
    encoder = CategoryEncoder()
    for start in range(0, len(values), size):
        encoder.fit(column.slice(start, size))
    encoder.finish()

    order = sorted({value for value in values if value is not None}, key=str.encode)
    expected = [np.nan if value is None else order.index(value) for value in values]
    for form in (column, column.dictionary_encode(), column.cast(pa.large_string())):
        np.testing.assert_array_equal(encoder.codes(form), np.array(expected, dtype=np.float32))
    assert encoder.cardinality == len(order)


@pytest.mark.parametrize(
    ("fitted", "column", "codes"),
    [
        (pa.array([10, 9, 9]), pa.array([9.0, 9.5, 10.0, np.nan]), [0, -1, 1, -1]),
        (pa.array([1.5, np.nan, 2.0]), pa.array([2, 1]), [1, -1]),
        (pa.array([True, False]), pa.array([False, None, True]), [0, -1, 1]),
        (pa.nulls(3, pa.string()), pa.array(["a", None]), [-1, -1]),
        (pa.array([3, 1], pa.uint64()), pa.array([1, 3], pa.uint64()), [0, 1]),
    ],
)
def test_numbers_as_categories(fitted: Any, column: Any, codes: list[int]) -> None:
    encoder = CategoryEncoder()
    encoder.fit(fitted)
    encoder.finish()

    assert encoder.indices(column).tolist() == codes


def test_decimals_are_refused_rather_than_rounded() -> None:
    assert kind_of(pa.array([decimal.Decimal("0.1")]).type) == "refused"
