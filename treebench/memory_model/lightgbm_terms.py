"""LightGBM's structures. File and function names are those of its sources, release 4.6."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from treebench.memory_model.nodes import most_leaves
from treebench.memory_model.stages import Stages, Terms, bin_bytes, loaded, matrix_bytes
from treebench.trainers.lightgbm import MOST_LEAVES

if TYPE_CHECKING:
    from treebench.memory_model.workload import Workload

SAMPLED_ROWS = 200_000
"""bin_construct_sample_cnt."""

_SAMPLED_BYTES = 12  # c_api.cpp, LGBM_DatasetCreateFrom*: a double and an int for each value
_DOUBLE_BYTES = 8
_KEPT_VECTOR_BYTES = 1 << 20
_ROW_OBJECT_BYTES = 128  # a numpy array without its values, and its place in a list
_HISTOGRAM_BYTES = 16  # bin.h, kHistEntrySize: two doubles
_FINDER_BYTES = 160  # feature_histogram.hpp, FeatureHistogram with its functions
_LEAF_BYTES = 81  # tree.h: of a leaf and the split above it
_LEAF_TEXT_BYTES = 115  # as was seen
_SPARSE_PAIR_BYTES = 8  # sparse_bin.hpp, push_buffers_: a row number and a bin
_GROWN_VECTORS = 1.25  # the sample's vectors double as they grow, and leave holes in the heap
_HALF_BYTE_BINS = 16  # bin.cpp, CreateDenseBin: two of them share a byte
_BUNDLED_DENSITY = 0.2
_LEAST_IN_BIN = 3  # min_data_in_bin


def stages(workload: Workload) -> Stages:
    """The sample that bins are found on and the bins made of it; then the trees."""
    if workload.params.container == "sequence":
        return _from_sequence(workload)
    given, sample = loaded(workload), sample_bytes(workload)
    growing, binned = _growing(workload), {"bins": bin_store_bytes(workload)}
    outgrown = {"vectors that the sample outgrew": sample * _outgrown_share(workload)}
    sampled = {"sample for bins": sample, **outgrown, "find bins": _finding(workload)}
    ours = sum(growing.values())
    kept = max(0.0, _GROWN_VECTORS * sample - _given_back(workload, sample) - ours)
    return {
        "load": given,
        "construct": {**given, **sampled, **binned},
        "fit/trees": {**given, **binned, **growing, "heap kept from construct": kept},
    }


def _from_sequence(workload: Workload) -> Stages:
    """basic.py, Dataset.__sample: the sample's rows one by one as they are read, and stacked, both
    of doubles; then the stack beside its columns' values and row numbers; then those alone, while
    bins are found and rows are pushed in batches."""
    labels, binned = {"labels": 4.0 * workload.n_rows}, {"bins": bin_store_bytes(workload)}
    held = {"part of the rows": _part_bytes(workload), **labels}
    sample, growing = sample_bytes(workload), _growing(workload)
    doubles = sample * _DOUBLE_BYTES / _SAMPLED_BYTES
    objects = float(_ROW_OBJECT_BYTES * min(SAMPLED_ROWS, workload.n_rows))
    one_by_one = {"sample as single rows": doubles, "row objects": objects}
    stacked = {"sample as stacked rows": doubles}
    found = {"sample for bins": sample, "find bins": _finding(workload)}
    kept = max(0.0, _GROWN_VECTORS * (sample + objects) - sum(growing.values()))
    return {
        "construct/reading": {**held, **one_by_one},
        "construct/rows": {**held, **one_by_one, **stacked},
        "construct/columns": {**held, **stacked, "row objects": objects, "sample for bins": sample},
        "construct/bins": {**held, **found, "row objects": objects, **binned},
        "fit/trees": {**labels, **binned, **growing, "heap kept from construct": kept},
    }


def sample_bytes(workload: Workload) -> float:
    """The values of up to 200,000 rows as doubles, zeros left out, with their row numbers."""
    rows = min(SAMPLED_ROWS, workload.n_rows)
    share = workload.density if not workload.is_sparse else workload.entries / workload.cells
    return float(rows * workload.n_features * min(1.0, share) * _SAMPLED_BYTES)


def _outgrown_share(workload: Workload) -> float:
    """A column's vector doubles as it grows; what it had before is used for others, unless it
    is more than half of what the vector holds in the end."""
    rows = min(SAMPLED_ROWS, workload.n_rows)
    before = 2.0 ** (math.ceil(math.log2(max(2, rows))) - 1)
    return before / rows - 0.5


def _given_back(workload: Workload, sample: float) -> float:
    """A column's values, eight bytes of the twelve, where their vector's room is above 1 MiB: then
    glibc maps it by itself, as was seen, and unmaps it when it is freed."""
    rows = min(SAMPLED_ROWS, workload.n_rows, max(workload.stored_rows()))
    room = _DOUBLE_BYTES * 2.0 ** math.ceil(math.log2(max(2, rows)))
    return sample * _DOUBLE_BYTES / _SAMPLED_BYTES if room > _KEPT_VECTOR_BYTES else 0.0


def _finding(workload: Workload) -> float:
    """bin.cpp, BinMapper::FindBin: different values and their counts, a column for each thread."""
    rows = min(SAMPLED_ROWS, workload.n_rows)
    most = min(rows, max(workload.distinct()))
    return float(2 * most * _SAMPLED_BYTES * workload.params.threads)


def bin_store_bytes(workload: Workload) -> float:
    """dense_bin.hpp: half a byte a value up to 16 bins, one up to 256, two above. Of sparse
    data the entries, as pairs while they are pushed (sparse_bin.hpp)."""
    if workload.is_sparse and workload.density < _BUNDLED_DENSITY:
        return float(_SPARSE_PAIR_BYTES * workload.entries)
    return workload.cells * value_bytes(workload)


def value_bytes(workload: Workload) -> float:
    """Bytes of one value's bin."""
    bins = min(int(workload.params.or_default("max_bin")), max(workload.distinct()))
    return 0.5 if bins <= _HALF_BYTE_BINS else float(bin_bytes(bins))


def _growing(workload: Workload) -> Terms:
    """serial_tree_learner.cpp, Init; feature_histogram.hpp, HistogramPool: a histogram for each
    leaf, made before the first tree, however many leaves are grown."""
    params, rows = workload.params, workload.n_rows
    bins = _bins(workload)
    leaves = min(most_leaves(params, float("inf")), MOST_LEAVES)
    terms = {
        "histogram pool": float(leaves * bins * _HISTOGRAM_BYTES),
        "split finders": float(leaves * workload.n_features * _FINDER_BYTES),
        "scores": 8.0 * rows * workload.outputs,
        "gradients": 8.0 * rows * workload.outputs,
        "row partitions": 20.0 * rows,
        "trees": _trees(workload, leaves),
    }
    if params.boosting == "goss":
        terms["rows drawn"] = 12.0 * rows
    if params.histogram == "row-wise":
        terms["bins by row"] = _by_row(workload)
        terms["histograms per thread"] = float(params.threads * bins * _HISTOGRAM_BYTES)
    return terms


def _trees(workload: Workload, most: float) -> float:
    """tree.h, Tree: arrays for as many leaves as may be. Training ends with the model as text
    (engine.py, train), which is there four times: as it is written, as the library's string, in
    the buffer of Python's and as Python's own."""
    params = workload.params
    trees = int(params.or_default("n_estimators")) * workload.outputs
    grown = min(most, most_leaves(params, workload.n_rows))
    return float(trees * (most * _LEAF_BYTES + grown * 4 * _LEAF_TEXT_BYTES))


def _bins(workload: Workload) -> int:
    """bin.cpp, GreedyFindBin: no bin of fewer than three of the sample's values."""
    most = int(workload.params.or_default("max_bin"))
    share = min(1.0, SAMPLED_ROWS / workload.n_rows)
    columns = zip(workload.stored_rows(), workload.distinct(), strict=True)
    return sum(
        max(2, min(most, values, round(rows * share / _LEAST_IN_BIN))) for rows, values in columns
    )


def _by_row(workload: Workload) -> float:
    """multi_val_dense_bin.hpp, multi_val_sparse_bin.hpp: a second copy of the bins."""
    if workload.is_sparse and workload.density < _BUNDLED_DENSITY:
        return float(workload.entries * 2 + 8 * workload.n_rows)
    return float(workload.cells * max(1.0, value_bytes(workload)))


def _part_bytes(workload: Workload) -> float:
    rows = min(workload.part_rows, workload.n_rows)
    return matrix_bytes(workload) * rows / workload.n_rows
