"""One column per category: `categorical: onehot`.

Columns stay in place: a categorical column becomes as many neighbouring columns as it has codes,
in the order of the codes, and numeric columns keep their order around them. A missing category
(NaN) is a row of zeros in its columns.

This module is read by `plan`, for `width`, so numpy is imported only when something is expanded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.data.matrix import Part

if TYPE_CHECKING:
    from treebench.data.manifest import Layout
    from treebench.data.matrix import FloatMatrix


@dataclass(frozen=True)
class Expansion:
    """Where each column goes: `starts[j]` is the first output column of input column j.

    `starts` has one item more than there are input columns; the last is the output's width.
    `cardinalities` maps the position of each categorical column to its number of codes.
    """

    starts: tuple[int, ...]
    cardinalities: dict[int, int]

    @property
    def width(self) -> int:
        """Number of columns after the expansion."""
        return self.starts[-1]


def width(n_features: int, cardinalities: dict[int, int]) -> int:
    """Number of columns that `one_hot` makes of `n_features` columns."""
    return n_features - len(cardinalities) + sum(cardinalities.values())


def expansion(n_features: int, cardinalities: dict[int, int]) -> Expansion:
    """Where the columns of a matrix of `n_features` go."""
    starts = [0]
    for position in range(n_features):
        starts.append(starts[-1] + cardinalities.get(position, 1))
    return Expansion(tuple(starts), cardinalities)


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
    from treebench.data import onehot_dense, onehot_sparse

    X: Any = part.X
    if part.layout == "csr":
        return onehot_sparse.expand_csr(X, to)
    if part.layout == "csc":
        return onehot_sparse.expand_csc(X, to)
    return onehot_dense.expand(X, to, "C" if part.layout == "dense-c" else "F")
