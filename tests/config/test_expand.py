"""The product of all lists."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from treebench.config.expand import candidates, wanted_rows
from treebench.config.load import checked

TRAINERS = ("xgboost", "lightgbm")


def config(**keys: Any) -> Any:
    base = {"name": "x", "data": {"set": "a"}, "reference": {"trainer": "xgboost"}}
    return checked({**base, **keys}, "f", TRAINERS)


def test_a_variant_states_only_what_differs_and_the_reference_runs_too() -> None:
    found = candidates(
        config(
            reference={"trainer": "xgboost", "max_bin": 63, "max_depth": 4},
            variants=[{"trainer": "lightgbm"}, {"max_bin": [15, 31]}, {"max_depth": None}],
        )
    )
    assert [(c.setting.trainer, c.setting.params) for c in found] == [
        ("xgboost", {"max_bin": 63, "max_depth": 4}),
        ("lightgbm", {"max_bin": 63, "max_depth": 4}),
        ("xgboost", {"max_bin": 15, "max_depth": 4}),
        ("xgboost", {"max_bin": 31, "max_depth": 4}),
        ("xgboost", {"max_bin": 63}),
    ]


def test_layout_is_the_variants_then_the_datas_then_the_sweeps() -> None:
    found = candidates(
        config(
            data=[{"set": "a"}, {"set": "b", "layout": "csc"}],
            layout=["dense-c", "csr"],
            variants=[{"trainer": "lightgbm", "layout": "dense-f"}],
        )
    )
    assert [(c.dataset, c.layout, c.setting.trainer) for c in found] == [
        ("a", "dense-c", "xgboost"),
        ("a", "csr", "xgboost"),
        ("a", "dense-f", "lightgbm"),
        ("b", "csc", "xgboost"),
        ("b", "dense-f", "lightgbm"),
    ]


def test_a_limit_is_the_variants_or_the_sweeps() -> None:
    found = candidates(
        config(
            memory_limit=["1GiB", None],
            variants=[{"trainer": "lightgbm", "memory_limit": ["64MiB", "2GiB"]}],
        )
    )
    assert [(c.setting.trainer, c.memory_limit_bytes) for c in found] == [
        ("xgboost", 2**30),
        ("xgboost", None),
        ("lightgbm", 2**26),
        ("lightgbm", 2**31),
    ]


def test_all_rows_are_not_a_subset_to_make() -> None:
    data = [{"set": "a", "rows": [20, 10, "all"]}, {"set": ["a", "b"], "rows": [5, 20]}]
    assert wanted_rows(config(data=data)) == {"a": [5, 10, 20], "b": [5, 20]}


counts = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)


@given(rows=counts, features=counts, threads=counts, bins=counts, trees=counts)
def test_axes_multiply(
    rows: list[int], features: list[int], threads: list[int], bins: list[int], trees: list[int]
) -> None:
    data = {"set": "a", "rows": rows, "features": features}
    reference = {"trainer": "xgboost", "max_bin": [b + 1 for b in bins], "n_estimators": trees}
    found = candidates(config(data=data, threads=threads, reference=reference))
    lengths = [len(axis) for axis in (rows, features, threads, bins, trees)]
    points = {
        (
            c.rows,
            c.features,
            c.threads,
            c.setting.params["max_bin"],
            c.setting.params["n_estimators"],
        )
        for c in found
    }
    assert len(found) == len(points) == math.prod(lengths)
