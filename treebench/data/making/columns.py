"""What each Arrow type is to a tree, and columns of numbers as float32.

Trees here are trained on float32. Whole numbers beyond 2^24 are rounded by that, numbers beyond
3.4e38 do not fit at all; the first is counted and said, the second is refused or made missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["number", "category", "datetime", "refused"]


def kind_of(kind: Any) -> Kind:
    """What a column of this Arrow type is; all-missing columns (`null`) are numbers."""
    types = pa.types
    if types.is_null(kind) or types.is_boolean(kind):
        return "number"
    if types.is_integer(kind) or types.is_floating(kind):
        return "number"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "category"
    if types.is_dictionary(kind):
        return "category" if kind_of(kind.value_type) in ("number", "category") else "refused"
    return "datetime" if types.is_temporal(kind) and not types.is_interval(kind) else "refused"


@dataclass
class Counts:
    """What was met in one column: values by the trouble they make, and the first row of it."""

    infinite: int = 0
    too_large: int = 0
    rounded: int = 0
    first_row: int | None = None


@dataclass
class NumberCounter:
    """Turns columns to float32 and counts what does not fit, column by column."""

    columns: dict[str, Counts] = field(default_factory=dict)

    def convert(
        self, name: str, column: Any, first_row: int, counted: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float32]:
        """`column` as float32, with missing and unfit values NaN.

        `first_row` is its number in the source. Rows that are not `counted` make no trouble.
        """
        wide = as_float64(column)
        if counted is not None and not counted.all():
            wide = np.where(counted, wide, np.nan)
        with np.errstate(over="ignore"):
            narrow = wide.astype(np.float32)
        unfit = np.isinf(narrow)
        if unfit.any():
            self._count_unfit(name, wide, unfit, first_row)
            narrow[unfit] = np.nan
        if pa.types.is_integer(column.type) or pa.types.is_temporal(column.type):
            self._count_rounded(name, wide, narrow)
        return narrow

    def unfit(self, remedy: str) -> list[str]:
        """A line for each column that holds values float32 cannot."""
        return [
            f"column {name!r} has {_amounts(counts)} (first in row {counts.first_row:,}); {remedy}"
            for name, counts in self.columns.items()
            if counts.infinite or counts.too_large
        ]

    def rounded(self) -> list[str]:
        """A line for each column whose whole numbers or times were rounded."""
        return [
            f"column {name!r}: {counts.rounded:,} {_values(counts.rounded)} had more digits than "
            f"the float32 that trees are trained on, and were rounded"
            for name, counts in self.columns.items()
            if counts.rounded
        ]

    def _count_unfit(
        self, name: str, wide: NDArray[np.float64], unfit: NDArray[np.bool_], first_row: int
    ) -> None:
        counts = self.columns.setdefault(name, Counts())
        infinite = int(np.isinf(wide).sum())
        counts.infinite += infinite
        counts.too_large += int(unfit.sum()) - infinite
        if counts.first_row is None:
            counts.first_row = first_row + int(unfit.argmax()) + 1

    def _count_rounded(
        self, name: str, wide: NDArray[np.float64], narrow: NDArray[np.float32]
    ) -> None:
        rounded = int(((wide != narrow) & ~np.isnan(wide)).sum())
        if rounded:
            self.columns.setdefault(name, Counts()).rounded += rounded


def as_float64(column: Any) -> NDArray[np.float64]:
    """An Arrow column of numbers, truth values or times as float64, with missing values NaN.

    Times are seconds: since 1970 (UTC) for dates and timestamps, since midnight for times of day.
    """
    if pa.types.is_temporal(column.type):
        return _seconds(column)
    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64)


def _seconds(column: Any) -> NDArray[np.float64]:
    kind = column.type
    if pa.types.is_date(kind):
        column, unit = column.cast(pa.timestamp("s")), "s"
    else:
        unit = kind.unit
    width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
    per_second = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}[unit]
    return as_float64(column.cast(width)) / per_second


def _amounts(counts: Counts) -> str:
    parts = []
    if counts.infinite:
        parts.append(f"{counts.infinite:,} infinite {_values(counts.infinite)}")
    if counts.too_large:
        many = _values(counts.too_large)
        parts.append(f"{counts.too_large:,} {many} beyond ±3.4e38, which float32 cannot hold")
    return " and ".join(parts)


def _values(count: int) -> str:
    return "value" if count == 1 else "values"
