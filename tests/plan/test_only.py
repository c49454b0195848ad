"""`--only`."""

import dataclasses

import pytest

from treebench.errors import ConfigError
from treebench.plan.cell import CellSpec
from treebench.plan.only import matcher

SPEC = CellSpec(
    "flights", "0", 80_000, 9, "csr", "xgboost", {"method": "hist", "max_bin": 63}, {}, 2
)


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("trainer=xgboost", True),
        ("trainer != xgboost", False),
        ("rows<=80_000, max_bin<64", True),
        ("rows<80000", False),
        ("method=hist,layout=csc", False),
        ("container=quantile", False),
        ("container!=quantile", True),
        ("max_leaves>3", False),
        ("trainer<3", False),
        (f"cell={SPEC.id}", True),
    ],
)
def test_conditions(expression: str, holds: bool) -> None:
    assert matcher(expression)(SPEC) is holds


@pytest.mark.parametrize(
    "expression", ["", "xgboost", "rows", "speed=3", "rows=<3", "rows<=[", "a=1,,b=2", "rows<=many"]
)
def test_what_cannot_be_read(expression: str) -> None:
    with pytest.raises(ConfigError, match="--only"):
        matcher(expression)


def test_limits_are_compared_as_sizes() -> None:
    limited = dataclasses.replace(SPEC, memory_limit_bytes=2**30)
    assert matcher("memory_limit=1GiB")(limited)
    assert matcher("memory_limit<=1.5GiB")(limited)
    assert not matcher("memory_limit<=1.5GiB")(SPEC)
    with pytest.raises(ConfigError, match="memory_limit is much; it must be a size"):
        matcher("memory_limit=much")
