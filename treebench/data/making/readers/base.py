"""What a reader of tables is: names and types first, then batches of the columns asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class TableReader(Protocol):
    """A table that can be read several times, in Arrow record batches.

    `label` is how errors call it. `schema` is a `pyarrow.Schema`; names may repeat, which the
    caller must refuse before reading. `left_out` gives, for each column that the file itself says
    is no data (a pandas index), the reason.
    """

    label: str
    schema: Any
    left_out: dict[str, str]

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[Any]:
        """Record batches of at most `batch_rows` rows, holding `columns` in that order.

        Raises:
            DataError: the file turns out to be damaged.
        """
        ...
