"""How large a cell's matrix is, known before anything is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from treebench.data.manifest import Manifest
    from treebench.plan.cell import CellSpec
    from treebench.trainers.base import Problem

_VALUE_BYTES = 4
_INDEX_BYTES = 4
_LABEL_BYTES = 8


def matrix_bytes(spec: CellSpec, manifest: Manifest) -> int:
    """Bytes of the training matrix in the cell's layout, as stored (before one-hot encoding).

    Dense is exact. Sparse takes the whole training part's density for the rows and features
    used, and 32-bit indices: a value, an index, and one pointer per row (CSR) or column (CSC).
    """
    cells = spec.rows_trained * spec.features
    if spec.layout in ("dense-c", "dense-f"):
        return cells * _VALUE_BYTES
    entries = round(cells * manifest.density)
    pointers = (spec.rows_trained if spec.layout == "csr" else spec.features) + 1
    return entries * (_VALUE_BYTES + _INDEX_BYTES) + pointers * _INDEX_BYTES


def mapped_bytes(spec: CellSpec, problem: Problem, manifest: Manifest) -> int:
    """Bytes of the files through which processes share the cell's training data, 0 where its
    trainer shares none: the matrix as it meets it, and the labels, made float64 by scikit-learn.

    One-hot encoded sparse data is taken to have a value of every stored column in every row, so
    that files of this size are never larger. Forests turn CSR into CSC before they share it.
    """
    if not TRAINERS[spec.trainer].maps_data:
        return 0
    labels = problem.n_rows * _LABEL_BYTES
    if spec.layout in ("dense-c", "dense-f"):
        return problem.n_rows * problem.n_features * _VALUE_BYTES + labels
    spread = problem.n_features != spec.features
    entries = spec.rows_trained * spec.features * (1 if spread else manifest.density)
    pointers = (problem.n_features + 1) * _INDEX_BYTES
    return round(entries) * (_VALUE_BYTES + _INDEX_BYTES) + pointers + labels


def starts_processes(spec: CellSpec) -> bool:
    """Whether a cell's trainer starts any: with one job joblib grows trees where it is; a Dask
    cluster of one worker has a process for it."""
    trainer = TRAINERS[spec.trainer]
    with_one_job = any("dask" in name for name in trainer.more_distributions)
    return trainer.starts_processes and (with_one_job or spec.params.get("n_jobs") != 1)
