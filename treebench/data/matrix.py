"""The matrix a trainer is given: one part of a data set, in one layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    from treebench.data.manifest import Layout

    FloatMatrix: TypeAlias = NDArray[np.float32] | sparse.csr_matrix | sparse.csc_matrix


@dataclass(frozen=True)
class Part:
    """Features and labels of one part.

    `X` has shape (rows, features), float32, in the layout named by `layout`. `y` has shape
    (rows,): class codes 0..k-1 as float32 for classification, the target as float32 for
    regression. `cardinalities` maps the position of each categorical column to its number of
    codes; a missing category is NaN.
    """

    X: FloatMatrix
    y: NDArray[np.float32]
    layout: Layout
    cardinalities: dict[int, int]

    @property
    def data_bytes(self) -> int:
        """Bytes of the matrix itself: values, and for sparse layouts the indices too."""
        return matrix_bytes(self.X)


class RowSource(Protocol):
    """The rows of one part where they lie, for what cannot or will not hold them all.

    It pickles to a few hundred bytes, so that another process on this machine can read for
    itself.
    """

    @property
    def layout(self) -> Layout:
        """Of every part."""

    @property
    def cardinalities(self) -> dict[int, int]:
        """Codes of each categorical column by position, as in `Part`."""

    @property
    def n_rows(self) -> int:
        """Rows of the part."""

    @property
    def n_features(self) -> int:
        """Features as the trainer meets them: one-hot columns are spread out."""

    @property
    def data_bytes(self) -> int:
        """Bytes that the whole matrix would have in this layout."""

    def labels(self) -> NDArray[np.float32]:
        """All labels, shape (rows,), in the order of the file."""

    def parts(self) -> Iterator[Part]:
        """All rows in order, in parts of a row group at most, with no more than one part and one
        row group's columns in memory."""


def matrix_bytes(X: Any) -> int:
    """Bytes held by a dense or sparse matrix."""
    if hasattr(X, "indptr"):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.nbytes)
