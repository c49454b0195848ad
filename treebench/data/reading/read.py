"""From a made Parquet file to the matrix a trainer is given."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from treebench.data.manifest import LAYOUTS
from treebench.data.matrix import Part
from treebench.data.reading.dense import dense_from_sparse_rows, dense_from_wide
from treebench.data.reading.made_file import open_made, read_target
from treebench.data.reading.sparse import (
    csc_from_sparse_rows,
    csc_from_wide,
    csr_from_sparse_rows,
    csr_from_wide,
)
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from treebench.data.manifest import Layout
    from treebench.data.matrix import FloatMatrix
    from treebench.data.reading.made_file import MadeFile


def read_part(
    path: Path,
    layout: Layout,
    *,
    features: int | None = None,
    cardinalities: dict[int, int] | None = None,
) -> Part:
    """The part of a data set in the file at `path`, in exactly sized arrays.

    Zeros are not stored in csr and csc, NaN is. Beside the matrix, memory is needed for a few
    pages of each column of one row group, however many there are. At most two threads read.

    Args:
        path: a file in the format of `docs/DATA.md`.
        layout: of the matrix.
        features: how many columns to take, from the first on; all if None.
        cardinalities: the number of codes of each categorical column by its position; those of
            columns that are not taken are left out.

    Raises:
        DataError: the file is missing, cut off, damaged or not a made one; it has fewer
            features; or its sparse rows do not fit the memory as a dense matrix.
    """
    made = open_made(path)
    taken = made.width if features is None else features
    if not 1 <= taken <= made.width:
        raise DataError(f"features: {taken} asked of {path}; it has 1 to {made.width}")
    kept = {at: codes for at, codes in (cardinalities or {}).items() if at < taken}
    with _lean_pool(made):
        return Part(_matrix(made, layout, taken), read_target(made), layout, kept)


def release_memory() -> None:
    """Give back to the system what Arrow's pool and then the C heap hold unused.

    The heap is trimmed with glibc's `malloc_trim`; other C libraries have none, and keep it.
    """
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@contextmanager
def _lean_pool(made: MadeFile) -> Iterator[None]:
    """Decode sparse rows onto the C heap, which takes blocks back from any thread at once.

    Beside a sparse matrix, the 10 MiB that Arrow's own pool keeps is much. Wide batches stay with
    that pool: it is faster for their larger pages.
    """
    usual = pa.default_memory_pool()
    if made.storage == "sparse-rows":
        pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(usual)


def _matrix(made: MadeFile, layout: Layout, features: int) -> FloatMatrix:
    if layout not in LAYOUTS:
        raise DataError(f"layout: {layout!r} is not one of {', '.join(LAYOUTS)}")
    wide = made.storage == "wide"
    if layout == "csr":
        return (csr_from_wide if wide else csr_from_sparse_rows)(made, features)
    if layout == "csc":
        return (csc_from_wide if wide else csc_from_sparse_rows)(made, features)
    dense = dense_from_wide if wide else dense_from_sparse_rows
    return dense(made, features, "C" if layout == "dense-c" else "F")
