"""The words that the terms of every library are written in: stages, and what is held in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from treebench.memory_model.workload import Workload

Terms: TypeAlias = dict[str, float]
"""Bytes by the name of what takes them, by the structure alone, before any coefficient."""

Stages: TypeAlias = dict[str, Terms]
"""Terms by stage: a phase's name, and where a phase has several peaks a part of it after a slash
(`fit/cuts`, `fit/trees`). The peak of a phase is the largest of its stages."""

VALUE_BYTES = 4
INDEX_BYTES = 4
LABEL_BYTES = 4

LOADED = ("matrix", "labels")
"""Terms whose size is known exactly: no coefficient is fitted for them."""


def phase_of(stage: str) -> str:
    """The phase that a stage lies in."""
    return stage.partition("/")[0]


def loaded(workload: Workload) -> Terms:
    """The matrix in its layout, and the labels: what every trainer is given."""
    return {"matrix": matrix_bytes(workload), "labels": LABEL_BYTES * workload.n_rows}


def matrix_bytes(workload: Workload) -> float:
    """Bytes of the matrix: of a sparse one a value and an index for each entry, and a pointer for
    each row (csr) or column (csc)."""
    if not workload.is_sparse:
        return VALUE_BYTES * workload.cells
    pointers = (workload.n_rows if workload.layout == "csr" else workload.n_features) + 1
    return (VALUE_BYTES + INDEX_BYTES) * workload.entries + INDEX_BYTES * pointers


def bin_bytes(bins: int) -> int:
    """Bytes that hold one of so many bins: one up to 256, two up to 65,536, else four."""
    if bins <= 1 << 8:
        return 1
    return 2 if bins <= 1 << 16 else 4
