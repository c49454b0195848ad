"""One column per category: `categorical: onehot`. A missing category (NaN) is a row of zeros in its
columns; `expansion` says which those are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.data.matrix import Part
from treebench.data.reading.expansion import Expansion, expansion
from treebench.data.reading.onehot_dense import expand
from treebench.data.reading.onehot_sparse import expand_csc, expand_csr

if TYPE_CHECKING:
    from treebench.data.manifest import Layout
    from treebench.data.matrix import FloatMatrix


def one_hot(part: Part, layout: Layout) -> Part:
    """`part` with its categorical columns expanded, in the same layout, exactly sized.

    Labels are shared with `part`, not copied. Absent entries of csr and csc are code 0.

    Raises:
        DataError: a code is not a whole number from 0 to its column's number of codes; or the
            dense result would not fit the available memory.
        ValueError: `layout` is not the part's own.
    """
    if layout != part.layout:
        raise ValueError(f"one_hot keeps the layout: the part is {part.layout}, not {layout}")
    if not part.cardinalities:
        return part
    X = _expanded(part, expansion(part.X.shape[1], part.cardinalities))
    return Part(X, part.y, layout, {})


def _expanded(part: Part, to: Expansion) -> FloatMatrix:
    X: Any = part.X
    if part.layout == "csr":
        return expand_csr(X, to)
    if part.layout == "csc":
        return expand_csc(X, to)
    return expand(X, to, "C" if part.layout == "dense-c" else "F")
