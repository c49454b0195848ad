"""scikit-learn's structures. File and function names are those of its sources, release 1.9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.memory_model.nodes import grown_leaves, is_bounded, most_leaves
from treebench.memory_model.stages import Stages, Terms, loaded, matrix_bytes

if TYPE_CHECKING:
    from treebench.memory_model.workload import Workload

_SUBSAMPLED_ROWS = 200_000  # binning.py, _BinMapper: subsample
_HISTOGRAM_BYTES = 20  # common.pyx, HISTOGRAM_DTYPE: two doubles and a count
_LEAF_BYTES = 160
_NODE_BYTES = 64  # _tree.pxd, Node
_DOUBLE_BYTES = 8
_BOOTSTRAP_SHARE = 0.632  # 1 - 1/e: rows that a bootstrap sample holds at least once


def hist_gbdt(workload: Workload) -> Stages:
    """HistGradientBoosting: X is made float64 (X_DTYPE) and held through fit, beside its bins of
    one byte (_bin_data)."""
    given, rows = loaded(workload), workload.n_rows
    held = {**given, "copy as float64": float(_DOUBLE_BYTES * workload.cells)}
    drawn = _SUBSAMPLED_ROWS if rows > _SUBSAMPLED_ROWS else 0
    most = min(rows, _SUBSAMPLED_ROWS)
    cuts = {
        "rows drawn for bins": float(_DOUBLE_BYTES * drawn * workload.n_features),
        "sorted columns per thread": float(5 * _DOUBLE_BYTES * most * workload.params.threads),
        "labels as float64": float(_DOUBLE_BYTES * rows),
    }
    growing = {
        "bins": float(workload.cells),
        **_histograms(workload),
        **_boosted_rows(workload),
        "trees": _predictors(workload),
    }
    return {
        "load": given,
        "construct": given,
        "fit/cuts": {**held, **cuts},
        "fit/trees": {**held, **growing},
    }


def _histograms(workload: Workload) -> Terms:
    """grower.py: those of all leaves that may yet be split, of max_bins + 1 bins each whatever
    the column's values."""
    params = workload.params
    leaves = most_leaves(params, workload.n_rows)
    open_leaves = leaves if params.max_leaves is not None else max(1.0, leaves / 2)
    bins = int(params.or_default("max_bin")) + 1
    return {"histograms": float(open_leaves * workload.n_features * bins * _HISTOGRAM_BYTES)}


def _predictors(workload: Workload) -> float:
    """predictor.py, TreePredictor: nodes of PREDICTOR_RECORD_DTYPE, two for each leaf; with what is
    left behind of the tree as it grew, 160 bytes a leaf were seen."""
    params, outputs = workload.params, workload.outputs
    trees = int(params.or_default("n_estimators")) * outputs
    return float(trees * grown_leaves(params, workload.n_rows, outputs) * _LEAF_BYTES)


def _boosted_rows(workload: Workload) -> Terms:
    """Raw predictions of eight bytes, gradients and hessians of four; splitting.pyx: row numbers
    of four bytes, and room for both sides of a split."""
    rows, outputs = workload.n_rows, workload.outputs
    return {
        "scores": float(rows * outputs * _DOUBLE_BYTES),
        "gradients": float(rows * outputs * _DOUBLE_BYTES),
        "row partitions": 12.0 * rows,
        "labels as float64": float(_DOUBLE_BYTES * rows),
    }


def forest(workload: Workload) -> Stages:
    """RandomForest: X as it is, or csc where it is sparse; for each job a tree's row counts and
    numbers; and the trees, which stay."""
    given = loaded(workload)
    trees = int(workload.params.or_default("n_estimators"))
    jobs = min(trees, workload.params.n_jobs or 1)
    rows = workload.n_rows
    return {
        "load": given,
        "construct": given,
        "fit/trees": {
            **given,
            **_as_csc(workload),
            "labels as float64": float(_DOUBLE_BYTES * rows * max(1, workload.outputs)),
            "rows of each job": float(jobs * rows * _row_bytes(workload)),
            **_trees(workload, trees, _BOOTSTRAP_SHARE),
        },
    }


def one_tree(workload: Workload) -> Stages:
    """A single tree on all rows."""
    given = loaded(workload)
    return {
        "load": given,
        "construct": given,
        "fit/trees": {
            **given,
            **_as_csc(workload),
            "labels as float64": float(_DOUBLE_BYTES * workload.n_rows),
            "rows of each job": float(workload.n_rows * _row_bytes(workload)),
            **_trees(workload, 1, 1.0),
        },
    }


def exact_gbdt(workload: Workload) -> Stages:
    """GradientBoosting: one exact tree after the other, scores and residuals as doubles."""
    given, rows = loaded(workload), workload.n_rows
    trees = int(workload.params.or_default("n_estimators")) * workload.outputs
    return {
        "load": given,
        "construct": given,
        "fit/trees": {
            **given,
            **_as_csc(workload),
            "scores": float(rows * (3 * workload.outputs + 2) * _DOUBLE_BYTES),
            "rows of each job": float(rows * _row_bytes(workload)),
            **_trees(workload, trees, 1.0),
        },
    }


def _row_bytes(workload: Workload) -> int:
    """_partitioner.pyx, _forest.py: row numbers of eight bytes, a value of four, the weights of a
    bootstrap sample and the counts they are made of; sparse columns need two more row numbers."""
    return 40 if workload.is_sparse else 24


def _as_csc(workload: Workload) -> Terms:
    return {"copy as csc": matrix_bytes(workload)} if workload.layout == "csr" else {}


def _trees(workload: Workload, trees: int, share: float) -> Terms:
    """_tree.pyx: nodes and their values. Without a limit the leaves are some share of the rows,
    which the data decides."""
    params = workload.params
    leaves = most_leaves(params, workload.n_rows * share)
    node_bytes = _NODE_BYTES + _DOUBLE_BYTES * max(1, workload.n_classes)
    name = "trees" if is_bounded(params) else "trees without a limit"
    return {name: float(trees * 2 * leaves * node_bytes)}
