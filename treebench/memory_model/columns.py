"""What the values of each column tell of its bins: looked up in the first rows of a made file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.data.manifest import Layout

LOOKED_AT_ROWS = 50_000
_CONTINUOUS_SHARE = 0.5


@dataclass(frozen=True)
class Columns:
    """Of each column: different values that are stored (infinite where more rows bring more), and
    the share of rows that store one in a sparse layout. `missing_share` is that of NaN among all
    cells."""

    distinct: tuple[float, ...]
    stored: tuple[float, ...]
    missing_share: float


def seen(
    path: Path,
    layout: Layout,
    cardinalities: Mapping[int, int],
    *,
    features: int | None = None,
    onehot: bool = False,
    rows: int = LOOKED_AT_ROWS,
) -> Columns:
    """What the first `rows` rows of a made Parquet file tell.

    Args:
        path: of the training part.
        layout: csr and csc leave zeros out, the dense ones hold them.
        cardinalities: of the stored columns, by position.
        features: how many stored columns are taken; all if None.
        onehot: whether categorical columns are spread out.
        rows: how many to look at; a row group is read as a whole.

    Raises:
        DataError: the file cannot be decoded.
    """
    from scipy import sparse

    from treebench.data.reading.stream import RowStream

    stream = RowStream(path, "csr", dict(cardinalities), features=features, onehot=onehot)
    parts: list[Any] = []
    taken = 0
    for part in stream.parts():
        parts.append(part.X)
        taken += part.X.shape[0]
        if taken >= rows:
            break
    stacked: Any = sparse.vstack(parts, format="csr")
    return _columns(stacked[:rows].tocsc(), has_zeros=layout not in ("csr", "csc"))


def _columns(matrix: Any, *, has_zeros: bool) -> Columns:
    import numpy as np

    n_rows, n_features = matrix.shape
    distinct, stored = [], []
    for at in range(n_features):
        values = matrix.data[matrix.indptr[at] : matrix.indptr[at + 1]]
        found = len(np.unique(values[~np.isnan(values)]))
        zeros = has_zeros and len(values) < n_rows
        repeats = found < _CONTINUOUS_SHARE * len(values) or len(values) == 0
        distinct.append(float(found + zeros) if repeats else float("inf"))
        stored.append(len(values) / n_rows)
    missing = int(np.isnan(matrix.data).sum()) / (n_rows * n_features)
    return Columns(tuple(distinct), tuple(stored), missing)
