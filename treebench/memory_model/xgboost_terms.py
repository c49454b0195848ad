"""XGBoost's structures. File and function names are those of its sources, release 3.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.memory_model.nodes import grown_leaves, most_leaves, split_nodes
from treebench.memory_model.stages import Stages, Terms, bin_bytes, loaded, matrix_bytes
from treebench.memory_model.xgboost_sketches import kept_bytes, outgrown_bytes, sketch_bytes

if TYPE_CHECKING:
    from treebench.memory_model.workload import Workload

_ENTRY_BYTES = 8  # data.h, struct Entry: a feature's index and a value
_POINTER_BYTES = 8  # size_t
_HISTOGRAM_BYTES = 16  # GradientPairPrecise: two doubles
_GRADIENT_BYTES = 8  # GradientPair: two floats
_SPARSE_COLUMN = 0.2  # sparse_threshold of the hist method
_MOST_HEAP_BLOCK_BYTES = 32 << 20  # mallopt(3), M_MMAP_THRESHOLD: as far as it can grow
_LEAF_BYTES = 560
_MOST_CACHED_NODES = 1 << 16  # max_cached_hist_node


def stages(workload: Workload) -> Stages:
    """By method and container."""
    method, container = workload.params.method, workload.params.container
    if container in ("iterator", "external"):
        return _streamed(workload)
    if container == "quantile":
        return _quantile(workload)
    return {"exact": _exact, "approx": _approx}.get(str(method), _hist)(workload)


def _quantile(workload: Workload) -> Stages:
    """A QuantileDMatrix goes through the data twice: for its cuts, then for bins and columns
    (iterative_dmatrix.cc, InitFromCPU). csc data is copied to csr by its Python part."""
    held = loaded(workload)
    if workload.layout == "csc":
        held = {**held, "copy as csr": matrix_bytes(workload)}
    binned = _binned(workload)
    return {
        "load": loaded(workload),
        "construct/cuts": {**held, **_sketches(workload)},
        "construct/bins": {**held, **binned},
        "fit/trees": {**loaded(workload), **_grown(workload, binned)},
    }


def _streamed(workload: Workload) -> Stages:
    """The same a part at a time; the external one keeps its bins on disk, a page for each part,
    and maps a few of them. Of a part below 32 MiB the heap keeps as much when it is freed, as was
    seen; larger ones glibc maps by themselves."""
    whole, labels = _binned(workload), {"labels": 4.0 * workload.n_rows}
    rows = min(workload.part_rows, workload.n_rows)
    share = rows / workload.n_rows
    part = matrix_bytes(workload) * share
    external = workload.params.container == "external"
    binned = {"binned pages": sum(whole.values()) * min(1.0, 3 * share)} if external else whole
    sketches = _sketches(workload)
    read = {**labels, "part of the rows": part}
    held = {**read, "heap kept from parts": part if part < _MOST_HEAP_BLOCK_BYTES else 0.0}
    return {
        "construct/reading": {
            **read,
            **{name: size * (1 - share) for name, size in sketches.items()},
        },
        "construct/cuts": {**held, **sketches},
        "construct/bins": {**held, **binned},
        "fit/trees": {**labels, **_grown(workload, binned)},
    }


def _hist(workload: Workload) -> Stages:
    """A DMatrix, and within fit its cuts, its bins, and the trees."""
    held = {**loaded(workload), **_entries(workload)}
    binned = _binned(workload)
    return {
        **_constructed(workload),
        "fit/cuts": {**held, **_sketches(workload)},
        "fit/trees": {**held, **_grown(workload, binned)},
    }


def _exact(workload: Workload) -> Stages:
    """Every column sorted: SortedCSCPage, made by SparsePage::GetTranspose and kept."""
    held = {**loaded(workload), **_entries(workload)}
    leaves = most_leaves(workload.params, workload.n_rows, workload.most_hessian)
    searched = {"split search per thread": 64.0 * 2 * leaves * workload.params.threads}
    return {
        **_constructed(workload),
        "fit/trees": {
            **held,
            "sorted columns": _sorted(workload),
            **_rows(workload),
            **searched,
            **_trees(workload),
        },
    }


def _approx(workload: Workload) -> Stages:
    """Cuts are found anew for each tree, on sorted columns, and the rows binned by them."""
    held = {**loaded(workload), **_entries(workload), "sorted columns": _sorted(workload)}
    rows = {"bins by row": _binned(workload)["bins by row"], **_growing(workload)}
    return {
        **_constructed(workload),
        "fit/cuts": {**held, "quantile sketches": sketch_bytes(workload), **_rows(workload)},
        "fit/trees": {**held, **rows},
    }


def _constructed(workload: Workload) -> Stages:
    return {"load": loaded(workload), "construct": {**loaded(workload), **_entries(workload)}}


def _entries(workload: Workload) -> Terms:
    """simple_dmatrix.cc: one SparsePage by rows. What is missing has no entry."""
    pointers = _POINTER_BYTES * (workload.n_rows + 1)
    return {"DMatrix entries": _ENTRY_BYTES * workload.present + pointers}


def _sorted(workload: Workload) -> float:
    return float(_ENTRY_BYTES * workload.present + _POINTER_BYTES * (workload.n_features + 1))


def _binned(workload: Workload) -> Terms:
    """gradient_index.cc, GHistIndexMatrix: a bin for each entry by rows, of one or two bytes where
    nothing is missing and four elsewhere. column_matrix.cc, ColumnMatrix: the same by columns."""
    max_bin = int(workload.params.or_default("max_bin"))
    step = bin_bytes(min(max_bin, max(workload.distinct())))
    is_dense = workload.present == workload.cells
    by_row = workload.present * (step if is_dense else 4) + _POINTER_BYTES * (workload.n_rows + 1)
    return {"bins by row": float(by_row), "bins by column": _by_column(workload, step, is_dense)}


def _by_column(workload: Workload, step: int, is_dense: bool) -> float:
    """A column with fewer than a fifth of its values keeps those alone, but then every column has
    a row number of eight bytes beside each bin."""
    if is_dense:
        return float(workload.cells * step)
    present = 1 - workload.missing_share / workload.density if workload.density else 1.0
    counts = [rows * present for rows in workload.stored_rows()]
    sparse = [count < _SPARSE_COLUMN * workload.n_rows for count in counts]
    places = sum(
        count if few else workload.n_rows for count, few in zip(counts, sparse, strict=True)
    )
    return float(places * (step + (_POINTER_BYTES if any(sparse) else 0) + 1 / 8))


def _growing(workload: Workload) -> Terms:
    """hist_cache.h, BoundedHistCollection: a histogram for each node that may be split, all
    features beside each other; it is kept from tree to tree."""
    params = workload.params
    bins = workload.bins(int(params.or_default("max_bin")))
    nodes = split_nodes(params, workload.n_rows, workload.most_hessian)
    nodes = min(nodes, _MOST_CACHED_NODES)
    return {
        "histograms": float(nodes * bins * _HISTOGRAM_BYTES),
        "histograms per thread": float(params.threads * bins * _HISTOGRAM_BYTES),
        **_rows(workload),
        **_trees(workload),
    }


def _trees(workload: Workload) -> Terms:
    """tree_model.h, RegTree: nodes, their statistics and what they split by, in vectors that
    double; 560 bytes for each leaf that was grown were seen."""
    params, outputs = workload.params, workload.outputs
    trees = int(params.or_default("n_estimators")) * outputs
    leaves = grown_leaves(params, workload.n_rows, outputs, workload.most_hessian)
    return {"trees": float(trees * leaves * _LEAF_BYTES)}


def _grown(workload: Workload, binned: Terms) -> Terms:
    """Bins and trees, and what is still held of the sketches that the bins were found with."""
    growing = _growing(workload)
    placed = (*binned.values(), growing["histograms"])
    return {**binned, **growing, **kept_bytes(workload, placed)}


def _rows(workload: Workload) -> Terms:
    """Gradients and margins by row and class; common_row_partitioner.h: row numbers of eight bytes
    by node, and room for both sides of a split."""
    rows, outputs = workload.n_rows, workload.outputs
    copied = _GRADIENT_BYTES if outputs > 1 else 0
    return {
        "gradients": float(rows * (outputs * _GRADIENT_BYTES + copied)),
        "margins": float(rows * outputs * 3 * 4),
        "row partitions": float(rows * 3 * _POINTER_BYTES),
    }


def _sketches(workload: Workload) -> Terms:
    """Those of all columns, and the room that their levels were moved out of."""
    return {
        "quantile sketches": sketch_bytes(workload),
        "levels that sketches outgrew": outgrown_bytes(workload),
    }
