"""The matrix a trainer is given: one part of a data set, in one layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
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


def matrix_bytes(X: Any) -> int:
    """Bytes held by a dense or sparse matrix."""
    if hasattr(X, "indptr"):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.nbytes)
