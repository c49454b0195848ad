"""From a config and its data to a plan."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from treebench.config.load import checked
from treebench.data.manifest import Feature, Manifest
from treebench.errors import ConfigError
from treebench.plan.build import Plan, build_plan
from treebench.trainers.registry import TRAINERS

NUMERIC = (Feature("a"), Feature("b"))
MIXED = (Feature("a"), Feature("carrier", 3))


def manifest(
    name: str, features: tuple[Feature, ...] = NUMERIC, missing: tuple[int, ...] = ()
) -> Manifest:
    return Manifest(
        version=2,
        dataset=name,
        title=name,
        task="binary",
        classes=("no", "yes"),
        target="y",
        storage="wide",
        n_features=len(features),
        features=features,
        train_rows=1000,
        test_rows=100,
        train_stored_entries=2000,
        features_with_missing=missing,
        content_sha256="a" * 64,
        card_sha256="b" * 64,
        licence="CC0-1.0",
        dropped={},
    )


def planned(*manifests: Manifest, reference: dict[str, Any], **keys: Any) -> Plan:
    by_name = {one.dataset: one for one in manifests or (manifest("d"),)}
    raw = {"name": "x", "data": {"set": list(by_name)}, "threads": 1, "reference": reference}
    return build_plan(checked({**raw, **keys}, "f", tuple(TRAINERS)), by_name)


def test_exact_has_no_bins_so_its_cells_collapse_and_say_so() -> None:
    plan = planned(
        reference={"trainer": "xgboost", "method": ["exact", "hist"], "max_bin": [63, 255]}
    )
    methods = [
        (cell.spec.params["method"], cell.spec.params.get("max_bin"))
        for cell in plan.cells.values()
    ]
    assert methods == [("exact", None), ("hist", 63), ("hist", 255)]
    assert len(plan.collapsed) == 1
    assert "max_bin has no meaning" in plan.collapsed[0].reason
    assert plan.collapsed[0].into in plan.cells


def test_what_a_library_cannot_do_is_unsupported_with_a_reason() -> None:
    plan = planned(reference={"trainer": "sklearn-hist-gbdt"}, layout=["dense-c", "csr"])
    assert len(plan.cells) == 1
    assert [cell.reason for cell in plan.unsupported] == [
        "sklearn-hist-gbdt takes no csr data; it takes dense-c and dense-f"
    ]


@pytest.mark.parametrize(
    ("rows", "features", "encoding", "refused"),
    [
        (1000, 3, "ordinal", "a, c"),
        (1000, 3, "native", "a"),
        (1000, 3, "onehot", "a"),
        (1000, 1, "ordinal", "a"),
        (500, 3, "ordinal", None),
    ],
)
def test_a_column_without_a_value_is_unsupported_by_name(
    rows: int, features: int, encoding: str, refused: str | None
) -> None:
    columns = (Feature("a"), Feature("b"), Feature("c", 4))
    known = dataclasses.replace(
        manifest("d", columns, missing=(0, 2)), without_value={"1000": (0, 2), "500": ()}
    )
    plan = planned(
        known,
        reference={"trainer": "sklearn-hist-gbdt", "categorical": encoding},
        data={"set": "d", "rows": rows, "features": features},
    )
    if refused is None:
        assert not plan.unsupported
    else:
        assert len(plan.unsupported) == 1
        assert f"have none in {refused}; drop it" in plan.unsupported[0].reason


def test_missing_values_rule_out_what_cannot_have_them() -> None:
    reference = {"trainer": "sklearn-gbdt"}
    assert len(planned(reference=reference).cells) == 1
    plan = planned(manifest("d", missing=(1,)), reference=reference)
    assert "takes no missing values" in plan.unsupported[0].reason
    first = planned(
        manifest("d", missing=(1,)), reference=reference, data={"set": "d", "features": 1}
    )
    assert len(first.cells) == 1


def test_one_hot_columns_are_counted_and_missing_categories_are_zeros() -> None:
    data = manifest("d", MIXED, missing=(1,))
    plan = planned(data, reference={"trainer": "sklearn-gbdt", "categorical": "onehot"})
    (cell,) = plan.cells.values()
    assert cell.problem is not None
    assert cell.problem.n_features == 1 + 3
    assert cell.problem.cardinalities == {}
    assert cell.cardinalities == {1: 3}
    assert cell.spec.features == 2


def test_without_categories_their_handling_makes_no_cells() -> None:
    categorical = ["ordinal", "native", "onehot"]
    plan = planned(reference={"trainer": "lightgbm", "categorical": categorical})
    assert len(plan.cells) == 1
    assert {cell.reason for cell in plan.collapsed} == {
        "categorical has no meaning here: no column used is categorical"
    }
    assert len(plan.collapsed) == 2


def test_why_cells_are_alike_is_not_mixed_with_other_notes() -> None:
    """In csr a note says what an absent entry is; it is no reason for two points to be alike."""
    plan = planned(
        reference={"trainer": "xgboost"}, layout="csr", variants=[{"max_depth": 6}, {"max_bin": 63}]
    )
    (one,) = plan.collapsed
    assert one.reason == "it comes to the same values as a point written before it"
    assert one.into == next(iter(plan.cells))


def test_a_trainer_of_one_thread_is_measured_once_whatever_threads_says() -> None:
    plan = planned(reference={"trainer": "sklearn-tree"}, threads=[1, 2], oversubscribe=True)
    assert [cell.spec.threads for cell in plan.cells.values()] == [1]
    assert [cell.reason for cell in plan.collapsed] == [
        "sklearn-tree trains on one thread, whatever threads says"
    ]
    parallel = planned(reference={"trainer": "lightgbm"}, threads=[1, 2], oversubscribe=True)
    assert [cell.spec.threads for cell in parallel.cells.values()] == [1, 2]


def test_the_warm_up_speaks_of_no_column_of_the_data() -> None:
    reference = {
        "trainer": "sklearn-hist-gbdt",
        "categorical": "native",
        "n_estimators": 500,
        "extra": {"monotonic_cst": [0, 1]},
    }
    (cell,) = planned(manifest("d", MIXED), reference=reference).cells.values()
    assert cell.native["max_iter"] == 500
    assert cell.native["categorical_features"] == [1]
    assert cell.warm_up_native["max_iter"] == 1
    assert not cell.warm_up_native["categorical_features"]
    assert "monotonic_cst" not in cell.warm_up_native


def test_every_size_that_is_not_there_is_listed_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        planned(
            reference={"trainer": "lightgbm"},
            data={"set": "d", "rows": [10, 5000], "features": [1, 9]},
            threads=[1, 4096],
        )
    told = "\n".join(caught.value.problems)
    assert "rows is 5,000, but the training part of d has 1,000; lower it, or write all" in told
    assert "features is 9, but d has 2; lower it, or write all" in told
    assert "threads is 4096" in told
    assert len(caught.value.problems) == len(set(caught.value.problems))


def test_the_control_cell_has_the_threads_of_the_widest_cell() -> None:
    plan = planned(reference={"trainer": "lightgbm"}, threads=[1, 3], oversubscribe=True)
    assert plan.control.spec.threads == 3
    assert plan.control.native == {"threads": 3}


def test_the_same_values_as_another_task_are_another_cell() -> None:
    data = manifest("d")
    as_numbers = dataclasses.replace(data, task="regression", classes=())
    one, other = (planned(each, reference={"trainer": "lightgbm"}) for each in (data, as_numbers))
    assert set(one.cells).isdisjoint(other.cells)
