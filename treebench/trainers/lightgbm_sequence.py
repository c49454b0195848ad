"""Rows for LightGBM's `Sequence`: single ones for its sample, then all of them in batches."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.matrix import Part

FROM_SEQUENCE = "Dataset from Sequence"

_BATCH_BYTES = 16 << 20
_MOST_BATCH_ROWS = 65_536


def sequence(parts: Callable[[], Iterator[Part]], n_rows: int, n_features: int) -> Any:
    """A `lightgbm.Sequence` over dense parts.

    LightGBM asks for the rows of its sample one by one, in ascending order, then for all rows in
    batches of `batch_size`.

    Args:
        parts: gives all rows from the first on, each time it is called.
        n_rows: of all parts together.
        n_features: of each.
    """
    import lightgbm as lgb

    cursor = RowCursor(parts)

    class Rows(lgb.Sequence):  # type: ignore[misc]
        batch_size = max(1, min(_MOST_BATCH_ROWS, _BATCH_BYTES // (4 * n_features)))

        def __len__(self) -> int:
            return n_rows

        def __getitem__(self, index: int | slice | list[int]) -> NDArray[Any]:
            if isinstance(index, slice):
                return cursor.rows(*index.indices(n_rows)[:2])
            return cursor.row(operator.index(index))  # type: ignore[arg-type]

    return Rows()


class RowCursor:
    """Rows by their numbers, one part in memory at a time.

    Numbers that ascend are one pass over the parts; one that goes back begins another.
    """

    def __init__(self, parts: Callable[[], Iterator[Part]]) -> None:
        self._open = parts
        self._rewind()

    def row(self, number: int) -> NDArray[np.float64]:
        """One row, shape (features,): float64, as LightGBM wants its sample; a copy, or the sample
        would keep every part that it touches."""
        import numpy as np

        return np.array(self._from(number)[0], np.float64)

    def rows(self, start: int, stop: int) -> NDArray[np.float32]:
        """The rows from `start` up to `stop`, shape (stop - start, features), float32: a view
        where they lie in one part."""
        import numpy as np

        pieces = []
        while start < stop:
            piece = self._from(start)[: stop - start]
            pieces.append(piece)
            start += len(piece)
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def _from(self, number: int) -> Any:
        """The rows from `number` on that lie in its part.

        Raises:
            IndexError: there are fewer rows.
        """
        if number < self._first:
            self._rewind()
        while number >= self._first + self._held:
            self._advance()
        return self._X[number - self._first :]

    def _rewind(self) -> None:
        self._parts = self._open()
        self._X: Any = None
        self._first = self._held = 0

    def _advance(self) -> None:
        self._first += self._held
        # Let go of before the next one is read.
        self._X, self._held = None, 0
        part = next(self._parts, None)
        if part is None:
            raise IndexError(f"there are {self._first:,} rows")
        self._X, self._held = part.X, len(part.y)
