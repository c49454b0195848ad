"""The structures, against counts made by hand from the libraries' sources."""

from __future__ import annotations

from typing import Any

import pytest

from tests.memory_model.workloads import workload
from tests.picking.world import manifest
from treebench.data.making.batches import Form
from treebench.memory_model.columns import Columns
from treebench.memory_model.predict import predict
from treebench.memory_model.terms import baseline_of, terms
from treebench.memory_model.workload import Workload, part_rows_of
from treebench.memory_model.xgboost_sketches import (
    column_outgrown_bytes,
    column_sketch_bytes,
    sketch_limit,
)


def held(one: Workload, stage: str, term: str) -> float:
    return terms(one)[stage][term]


def test_a_sketch_has_the_levels_of_its_rows() -> None:
    # 255 bins: levels of k x 2040 + 1 entries, for the least k with 2^k of them holding all rows.
    assert sketch_limit(1_000, 255) == 1_000
    assert sketch_limit(5_000, 255) == 4_081
    assert sketch_limit(60_000, 255) == 8_161
    # A queue of 2 x 4,081 pairs that never fills, and a summary of 2,040 entries.
    assert column_sketch_bytes(5_000, 255) == 2 * 4_081 * 8 + 2_040 * 16
    # Three full queues were merged, into levels 0 to 2, beside the summary of a queue.
    assert column_sketch_bytes(60_000, 255) == 8_161 * (2 * 8 + (2 + 3) * 16) + 2_040 * 16


def test_levels_move_once_a_vector_is_too_small() -> None:
    # Two levels are made at once; the third moves two, and the fifth four of them.
    assert column_outgrown_bytes(20_000, 255) == 0
    assert column_outgrown_bytes(60_000, 255) == 2 * 8_161 * 16
    assert column_outgrown_bytes(300_000, 255) == 4 * 10_201 * 16


def test_long_vectors_of_lightgbms_sample_are_given_back() -> None:
    kept = [
        held(workload("lightgbm", rows, 100, max_leaves=2), "fit/trees", "heap kept from construct")
        for rows in (131_072, 131_073)
    ]
    assert kept[0] > 2 * kept[1] > 0


@pytest.mark.parametrize(("features", "layout"), [(4, "dense-c"), (200, "dense-c"), (200, "csr")])
def test_a_stream_gives_row_groups(features: int, layout: Any) -> None:
    made = manifest(100_000, features)
    assert part_rows_of(made, features, layout) == Form("wide", features).rows_per_group
    # One-hot columns may be many more.
    assert part_rows_of(made, 1_000, "dense-c") == (64 << 20) // 4_000


def test_who_reads_as_it_constructs_has_buffers_then() -> None:
    for trainer, container in (("xgboost", "iterator"), ("lightgbm", "sequence")):
        one = workload(trainer, container=container)
        assert reading_stages(one) == {"construct/reading"}
        assert baseline_of(one) == f"{trainer} streamed"


def test_sparse_rows_are_read_again_for_the_cuts() -> None:
    one = workload(container="iterator", layout="csr", density=0.1)
    assert reading_stages(one) == {"construct/reading", "construct/cuts"}


def reading_stages(one: Workload) -> set[str]:
    return {stage for stage, held_ in terms(one).items() if "read buffers" in held_}


def test_lightgbm_bins_take_twice_the_bytes_above_256_of_them() -> None:
    sizes = [
        held(workload("lightgbm", max_bin=bins), "construct", "bins") for bins in (16, 63, 256, 257)
    ]
    assert sizes == [100_000, 200_000, 200_000, 400_000]


def test_lightgbm_samples_200_000_rows_and_no_more() -> None:
    sizes = [
        held(workload("lightgbm", rows), "construct", "sample for bins")
        for rows in (100_000, 200_000, 1_000_000)
    ]
    assert sizes == [100_000 * 20 * 12, 200_000 * 20 * 12, 200_000 * 20 * 12]


def test_a_pool_has_a_histogram_for_each_leaf() -> None:
    small, large = (
        held(workload("lightgbm", max_leaves=leaves), "fit/trees", "histogram pool")
        for leaves in (31, 62)
    )
    assert (small, large) == (31 * 20 * 255 * 16, 62 * 20 * 255 * 16)


def test_few_different_values_are_few_bins() -> None:
    columns = Columns((2.0,) * 10 + (float("inf"),) * 10, (1.0,) * 20, 0.0)
    assert workload(columns=columns).bins(255) == 10 * 2 + 10 * 255
    assert workload(cardinalities={0: 7}).bins(255) == 7 + 19 * 255


def test_plain_dmatrix_has_eight_bytes_an_entry_and_exact_as_many_sorted() -> None:
    exact = terms(workload(method="exact"))["fit/trees"]
    assert exact["DMatrix entries"] == 200_000 * 8 + 10_001 * 8
    assert exact["sorted columns"] == 200_000 * 8 + 21 * 8


def test_missing_values_make_xgboost_bins_by_row_four_bytes() -> None:
    columns = Columns((float("inf"),) * 20, (1.0,) * 20, 0.1)
    dense, missing = workload(), workload(columns=columns, missing_share=0.1)
    by_row = [held(one, "fit/trees", "bins by row") - 8 * 10_001 for one in (dense, missing)]
    assert by_row == [200_000, 180_000 * 4]


def test_histograms_of_a_node_that_nobody_can_split_are_not_made() -> None:
    by_depth = held(workload(max_depth=6), "fit/trees", "histograms")
    by_leaves = held(workload(max_leaves=64), "fit/trees", "histograms")
    assert by_depth == 63 * 20 * 255 * 16
    assert by_leaves == 125 * 20 * 255 * 16


def test_depth_thirty_has_no_more_leaves_than_rows() -> None:
    assert held(workload(max_depth=30), "fit/trees", "histograms") <= 10_000 * 20 * 255 * 16


SIX: dict[str, Any] = {"task": "multiclass", "n_classes": 6, "n_estimators": 300}


def test_trees_are_there_for_each_class_and_their_text_four_times() -> None:
    one = workload("lightgbm", max_leaves=59, **SIX)
    assert held(one, "fit/trees", "trees") == 300 * 6 * 59 * (81 + 4 * 115)
    assert held(workload("lightgbm", max_leaves=59), "fit/trees", "trees") == pytest.approx(
        held(one, "fit/trees", "trees") / 18
    )


def test_trees_that_a_leafs_rows_keep_small_are_small_but_for_their_arrays() -> None:
    one = workload("lightgbm", rows=200, max_leaves=63, min_samples_leaf=20)
    assert held(one, "fit/trees", "trees") == 100 * (63 * 81 + 10 * 4 * 115)


def test_trees_to_a_depth_are_not_full() -> None:
    """12,000 rows of six classes are 142 leaves of 256."""
    deep = workload(rows=12_000, max_depth=8, **SIX)
    assert held(deep, "fit/trees", "trees") == pytest.approx(1800 * 12_000 / (14 * 6) * 560)
    shallow = workload(rows=12_000, max_depth=4, **SIX)
    assert held(shallow, "fit/trees", "trees") == 1800 * 16 * 560
    by_leaves = workload(rows=12_000, max_leaves=256, **SIX)
    assert held(by_leaves, "fit/trees", "trees") == 1800 * 256 * 560
    boosted = workload("sklearn-hist-gbdt", rows=12_000, max_leaves=256, **SIX)
    assert held(boosted, "fit/trees", "trees") == 1800 * 256 * 160


@pytest.mark.parametrize(
    ("task", "hessian"), [("binary", 0.25), ("multiclass", 0.5), ("regression", 1.0)]
)
def test_a_leafs_least_weight_bounds_the_leaves(task: str, hessian: float) -> None:
    one = workload(rows=640, max_depth=8, min_child_weight=8.0, task=task, n_classes=3)
    assert held(one, "fit/trees", "histograms") == (640 * hessian / 8 - 1) * 20 * 255 * 16


def test_hist_gbdt_copies_the_matrix_as_float64() -> None:
    assert held(workload("sklearn-hist-gbdt"), "fit/trees", "copy as float64") == 200_000 * 8


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_a_sparse_matrix_is_what_it_stores(layout: str) -> None:
    one = workload(layout=layout, density=0.1)
    pointers = 10_001 if layout == "csr" else 21
    assert held(one, "load", "matrix") == 20_000 * 8 + pointers * 4


@pytest.mark.parametrize(
    ("trainer", "of"),
    [
        ("xgboost", {"container": "iterator"}),
        ("xgboost", {"container": "external"}),
        ("xgboost", {"method": "approx"}),
        ("lightgbm", {"container": "sequence"}),
        ("lightgbm", {"histogram": "row-wise", "boosting": "goss"}),
        ("sklearn-gbdt", {}),
        ("sklearn-tree", {}),
        ("sklearn-forest", {"n_jobs": 2}),
    ],
)
def test_more_rows_never_take_less(trainer: str, of: dict[str, Any]) -> None:
    peaks = [predict(workload(trainer, rows, **of)).mid_bytes for rows in (1, 100, 10_000, 10**6)]
    assert peaks == sorted(peaks)
    assert peaks[-1] > peaks[0]


def test_one_feature_can_be_told() -> None:
    assert predict(workload(features=1, rows=10)).mid_bytes > 0


def kept(rows: int, features: int, **of: Any) -> tuple[float, float]:
    one = workload(rows=rows, features=features, max_leaves=2, **of)
    trees = terms(one)["fit/trees"]
    return trees["heap kept from sketches"], trees["heap kept by other threads"]


def test_sketches_below_the_cuts_stay_in_the_heap() -> None:
    # 20,000 rows: queues and summaries of 2 x 6,121 entries, and two levels; no holes.
    column = 6_121 * (2 * 8 + 2 * 16 + 2 * 16)
    placed = 20_000 * 500 * 2 + 8 * 20_001 + 500 * 255 * 16
    assert kept(20_000, 500, threads=1) == (500 * column - placed, 0)
    # With two threads half of it is another arena's.
    assert kept(20_000, 500, threads=2) == (250 * column - placed, 250 * column)


def test_small_cuts_hold_nothing() -> None:
    # 100 x 255 floats have room in 128 KiB; 200 x 255 need 256 KiB, which no other arena minds.
    assert kept(20_000, 100) == (0, 0)
    own, others = kept(20_000, 200)
    assert own > 0
    assert others == 0


def test_a_third_level_leaves_holes_for_small_cuts_and_for_what_mapped_ones_leave() -> None:
    # 255 x 1,000 floats are mapped by themselves; two levels are moved from 24,485 rows on.
    assert kept(24_484, 1_000, threads=1)[0] > 0
    assert kept(60_000, 1_000, threads=1) == (0, 0)
    assert kept(60_000, 1_000, threads=2) == (0, 128 << 20)
    # 255 x 500 floats take 512 KiB: more than the two levels of 8,161 entries that are moved.
    assert kept(60_000, 500, threads=1)[0] > 0


def test_histograms_go_where_the_sketches_were_if_they_fit() -> None:
    def trees(leaves: int) -> float:
        one = workload(rows=20_000, features=500, max_leaves=leaves, threads=1)
        held = terms(one)["fit/trees"]
        return held["histograms"] + held["heap kept from sketches"]

    # 61 nodes take 119 MiB of 214 that are left; 125 nodes take 243 MiB and lie beside it.
    assert trees(16) == trees(32)
    assert trees(64) - trees(32) == 125 * 500 * 255 * 16


@pytest.mark.parametrize("container", ["dmatrix", "quantile", "iterator"])
def test_more_columns_bins_or_leaves_never_take_less(container: str) -> None:
    def peak(**of: Any) -> int:
        return predict(workload(**{"rows": 20_000, "container": container, **of})).mid_bytes

    by_columns = [peak(features=features) for features in (10, 100, 500, 1_000, 3_000)]
    by_bins = [peak(features=1_000, max_bin=bins) for bins in (15, 63, 255)]
    by_leaves = [peak(features=1_000, max_leaves=leaves) for leaves in (2, 16, 64, 512)]
    for peaks in (by_columns, by_bins, by_leaves):
        assert peaks == sorted(peaks)
