from __future__ import annotations

from typing import Any

import pytest

from treebench.trainers.parameters import PARAMETERS, Params


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_bin", 2),
        ("max_bin", 65535),
        ("subsample", 1),
        ("learning_rate", 0.1),
        ("seed", 0),
        ("method", "exact"),
        ("max_depth", None),
        ("max_leaves", 131072),
    ],
)
def test_allowed_values(name: str, value: Any) -> None:
    assert PARAMETERS[name].problem(value) is None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("max_bin", 1, "it must be from 2 to 65535"),
        ("max_bin", 255.0, "it must be a whole number"),
        ("max_bin", True, "it must be a whole number"),
        ("max_leaves", 131073, "from 2 to 131072"),
        ("subsample", 1.5, "it must be from 1e-06 to 1"),
        ("subsample", float("nan"), "it must be from"),
        ("reg_lambda", float("inf"), "it must be from"),
        ("learning_rate", "0.1", "it must be a number"),
        ("method", "histo", "it must be exact, approx or hist"),
        ("method", ["exact"], "it must be exact, approx or hist"),
    ],
)
def test_refused_values_say_what_is_allowed(name: str, value: Any, expected: str) -> None:
    problem = PARAMETERS[name].problem(value)
    assert problem is not None
    assert expected in problem


def test_defaults_are_within_their_own_bounds() -> None:
    assert [one.name for one in PARAMETERS.values() if one.problem(one.default)] == []


def test_stated_keeps_canonical_order_and_leaves_out_the_rest() -> None:
    params = Params(seed=3, method="hist", max_bin=63)
    assert list(params.stated().items()) == [("method", "hist"), ("max_bin", 63), ("seed", 3)]
    assert params.or_default("n_estimators") == 100
    assert params.or_default("max_bin") == 63
    assert params.or_default("max_leaves") is None
