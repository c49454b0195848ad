from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treebench.trainers.effective import differences


@pytest.mark.parametrize(
    ("requested", "effective"),
    [
        (0.1, "0.100000001"),
        (0.1, float(np.float32(0.1))),
        (0.0012345678, "0.00123457"),
        (True, "1"),
        (True, 1),
        (False, "0"),
        (False, "false"),
        (6, "6"),
        (1, 1.0),
        (1, "1.0"),
        (None, ""),
        (None, None),
        ([], ""),
        ([], None),
        ([1, 5], "1,5"),
        ((1, 5), [1, 5]),
        ([5], "5"),
        ([1, 0, -1], "(1,0,-1)"),
        ([[0, 1], [2]], "[[0, 1], [2]]"),
        ([[0, 1], [2]], "[0,1],[2]"),
        ("hist", "hist"),
        (2**31 - 1, "2147483647"),
    ],
)
def test_one_value_in_two_writings_is_no_difference(requested: Any, effective: Any) -> None:
    assert differences({"a": requested}, {"a": effective}) == {}


@pytest.mark.parametrize(
    ("requested", "effective"),
    [
        (0.1, 0.3),
        (0.1, "0.1001"),
        (200, 48),
        (True, "0"),
        (None, 6),
        (6, None),
        (0, None),
        ("exact", "hist"),
        ([5], []),
        ([5], "6"),
        ([1, 5], "1"),
        ([1, 5], [1, 6]),
        (2**31 - 1, 2**31 - 2),
        (1_000_000, "1000001"),
    ],
)
def test_differing_values_are_given_side_by_side(requested: Any, effective: Any) -> None:
    found = differences({"a": requested, "b": 1}, {"a": effective, "b": 1})
    assert found == {"a": (requested, effective)}


def test_what_the_model_does_not_tell_is_not_judged() -> None:
    assert differences({"a": 1}, {"b": 2}) == {}


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_whole_numbers_agree_only_if_equal(one: int, other: int) -> None:
    assert (differences({"seed": one}, {"seed": str(other)}) == {}) == (one == other)


@given(st.floats(1e-9, 1e12, allow_subnormal=False))
def test_every_number_survives_float32_and_six_digits(value: float) -> None:
    assert differences({"a": value}, {"a": float(np.float32(value))}) == {}
    assert differences({"a": value}, {"a": f"{value:.6g}"}) == {}
