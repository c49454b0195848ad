from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.rows import BOOSTING, EXACT, HIST, LIGHTGBM, spec
from treebench.analysis.labels import series_labels


def test_a_series_is_named_by_what_sets_it_apart() -> None:
    specs = [
        spec("xgboost", EXACT),
        spec("xgboost", HIST),
        spec("lightgbm", LIGHTGBM),
        spec("sklearn-hist-gbdt", BOOSTING),
    ]
    assert series_labels(specs) == [
        "xgboost exact",
        "xgboost hist",
        "lightgbm",
        "sklearn-hist-gbdt",
    ]


def test_a_parameter_is_said_only_where_it_divides() -> None:
    specs = [
        spec("xgboost", EXACT),
        spec("xgboost", HIST),
        spec("xgboost", HIST | {"container": "dmatrix"}),
        spec("lightgbm", LIGHTGBM),
        spec("lightgbm", LIGHTGBM | {"histogram": "col-wise"}),
    ]
    assert series_labels(specs) == [
        "xgboost exact",
        "xgboost hist quantile",
        "xgboost hist dmatrix",
        "lightgbm row-wise",
        "lightgbm col-wise",
    ]


def test_numbers_carry_their_names() -> None:
    specs = [spec("lightgbm", LIGHTGBM | {"max_bin": n}) for n in (63, 255)]
    assert series_labels(specs) == ["lightgbm max_bin 63", "lightgbm max_bin 255"]
    assert series_labels(specs, apart={"max_bin"}) == ["lightgbm", "lightgbm"]


def test_an_absent_parameter_is_said_to_be_absent() -> None:
    without = {name: value for name, value in HIST.items() if name != "max_leaves"}
    specs = [spec("xgboost", HIST), spec("xgboost", without)]
    assert series_labels(specs) == [
        "xgboost hist max_leaves 63",
        "xgboost hist any number of leaves",
    ]


def test_extra_parameters_divide_too() -> None:
    specs = [spec("lightgbm", LIGHTGBM), spec("lightgbm", LIGHTGBM, extra={"path_smooth": 1})]
    assert series_labels(specs) == ["lightgbm default path_smooth", "lightgbm path_smooth 1"]


def test_axes_are_not_part_of_a_label() -> None:
    specs = [
        spec(rows=20_000),
        spec(rows=80_000),
        spec(layout="csr"),
        spec(threads=1),
        spec(dataset="other", features=3),
    ]
    assert set(series_labels(specs)) == {"xgboost hist"}


def test_labels_that_read_alike_are_numbered() -> None:
    specs = [spec("lightgbm", {}, extra={"a": value}) for value in (1, "1")]
    labels = series_labels(specs)
    assert labels == ["lightgbm a 1", "lightgbm a 1 (2)"]


params = st.dictionaries(
    st.sampled_from(["method", "container", "max_bin", "max_depth", "odd"]),
    st.sampled_from(["hist", "exact", 1, 1.0, 2, None, "1", "without"]),
    max_size=3,
)


@given(
    st.lists(
        st.tuples(st.sampled_from(["xgboost", "xgboost hist", "lightgbm"]), params, params),
        min_size=1,
        max_size=8,
    )
)
def test_labels_are_equal_exactly_when_the_series_are(
    drawn: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> None:
    specs = [spec(trainer, params, extra=extra) for trainer, params, extra in drawn]
    labels = series_labels(specs)
    keys = [json.dumps(each, sort_keys=True) for each in drawn]
    assert len(set(zip(keys, labels, strict=True))) == len(set(keys)) == len(set(labels))


def test_memory_limits_tell_series_apart() -> None:
    limits = (None, 2**30, 1_500_000_000)
    specs = [replace(spec(), memory_limit_bytes=limit) for limit in limits]
    assert series_labels(specs) == [
        "xgboost hist no memory limit",
        "xgboost hist memory limit 1GiB",
        "xgboost hist memory limit 1.5GB",
    ]
    assert series_labels(specs[1:2]) == ["xgboost hist"]


def test_a_number_that_divides_some_series_is_named_for_all_of_them() -> None:
    listed = [
        spec("sklearn-forest", {"n_estimators": trees, "n_jobs": jobs})
        for trees, jobs in ((8, 1), (8, 2), (16, 2))
    ]
    assert series_labels(listed) == [
        "sklearn-forest n_estimators 8 n_jobs 1",
        "sklearn-forest n_estimators 8 n_jobs 2",
        "sklearn-forest n_estimators 16 n_jobs 2",
    ]
