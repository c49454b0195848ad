"""Categories and labels as codes: fitted once, in an order that no batch size can change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from treebench.data.making.columns import as_float64, kind_of
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


_EXACT_BELOW = 2.0**53


class CategoryEncoder:
    """Codes 0..k-1 for the values met while fitting, in ascending order of the values.

    Text is ordered by its UTF-8 bytes. Missing values (NaN too) and values never met have no code.
    """

    def __init__(self) -> None:
        self._met: Any = None

    def fit(self, column: Any, rows: Any = None) -> None:
        """Take note of the values in an Arrow array, or of those in the `rows` that a mask says."""
        # Made plain before it is filtered, since not every form of text can be.
        plain = _plain(column) if rows is None else _plain(column).filter(rows)
        met = pc.unique(plain.drop_null())
        self._met = met if self._met is None else pc.unique(pa.concat_arrays([self._met, met]))

    def finish(self) -> None:
        """No more values come: fix the order."""
        if self._met is None:
            self._met = pa.array([], pa.string())
        self._met = self._met.take(pc.array_sort_indices(self._met))

    @property
    def cardinality(self) -> int:
        """Number of codes."""
        return len(self._met)

    def codes(self, column: Any) -> NDArray[np.float32]:
        """The codes as float32, NaN where there is none."""
        found = self._find(column).cast(pa.float32(), safe=False)
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.float32)

    def indices(self, column: Any) -> NDArray[np.int32]:
        """The codes as int32, -1 where there is none."""
        found = self._find(column).fill_null(-1)
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int32)

    def _find(self, column: Any) -> Any:
        values = _plain(column)
        if len(self._met) == 0:
            return pa.nulls(len(values), pa.int32())
        if pa.types.is_floating(self._met.type):
            values = values.cast(self._met.type)
        return pc.index_in(values, value_set=self._met.cast(values.type))


@dataclass(frozen=True)
class Labels:
    """The labels of all rows of a source, in its order.

    `y` has shape (rows,), float32, NaN where the label is missing. `classes` is empty for numbers
    that were left as they are.
    """

    y: NDArray[np.float32]
    classes: tuple[str, ...]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows have a label."""
        return ~np.isnan(self.y)


class LabelColumn:
    """A target column while it is being read: numbers, or codes of text in order of appearance."""

    def __init__(self, kind: Any) -> None:
        if kind_of(kind) not in ("number", "category"):
            raise DataError(
                f"is {kind}, and labels must be numbers, truth values or text; name another "
                f"column, or turn it into one of these in the file"
            )
        self.is_text = kind_of(kind) == "category"
        self.is_boolean = pa.types.is_boolean(kind)
        self._is_whole = pa.types.is_integer(_value_type(kind))
        self._pieces: list[NDArray[np.float64]] = []
        self._codes: dict[str, int] = {}

    def add(self, column: Any) -> None:
        """Take the labels of the next rows, an Arrow array."""
        self._pieces.append(self._text_codes(column) if self.is_text else as_float64(column))

    @classmethod
    def of_numbers(cls, pieces: list[NDArray[np.float64]]) -> LabelColumn:
        """Labels that were numbers to begin with."""
        column = cls(pa.float64())
        column._pieces = pieces
        return column

    @property
    def is_rounded(self) -> bool:
        """Whether whole numbers were met that float64 does not tell from their neighbours."""
        largest = (np.nanmax(np.abs(piece), initial=0.0) for piece in self._pieces)
        return self._is_whole and any(value >= _EXACT_BELOW for value in largest)

    @property
    def values(self) -> NDArray[np.float64]:
        """All labels so far, NaN where missing; for text, codes in order of appearance."""
        return np.concatenate([np.empty(0), *self._pieces])

    def names(self, values: NDArray[np.float64]) -> list[str]:
        """How the labels `values` are written."""
        if self.is_text:
            names = list(self._codes)
            return [names[int(value)] for value in values]
        if self.is_boolean:
            return ["true" if value else "false" for value in values]
        return [number_name(value) for value in values]

    def _text_codes(self, column: Any) -> NDArray[np.float64]:
        encoded = _plain(column).dictionary_encode()
        own = [
            self._codes.setdefault(str(text), len(self._codes))
            for text in encoded.dictionary.to_pylist()
        ]
        indices = encoded.indices.fill_null(len(own)).to_numpy(zero_copy_only=False)
        return np.asarray(np.array([*own, np.nan], dtype=np.float64)[indices])


def number_name(value: float) -> str:
    """A number as a class is called: `1`, `-1`, `0.5`, `1e+300`."""
    whole = float(value).is_integer() and abs(value) < _EXACT_BELOW
    return str(int(value)) if whole else repr(float(value))


def class_labels(column: LabelColumn, values: NDArray[np.float64]) -> Labels:
    """Codes of classes in ascending order: numbers by value, text by its characters."""
    known = ~np.isnan(values)
    distinct, inverse = np.unique(values[known], return_inverse=True)
    names = column.names(distinct)
    order = (
        sorted(range(len(names)), key=names.__getitem__) if column.is_text else range(len(names))
    )
    rank = np.empty(len(names), dtype=np.float32)
    rank[list(order)] = np.arange(len(names))
    y = np.full(len(values), np.nan, dtype=np.float32)
    y[known] = rank[inverse]
    return Labels(y, tuple(names[i] for i in order))


def threshold_labels(column: str, above: float, values: NDArray[np.float64]) -> Labels:
    """1 where the value of `column` is above the threshold, else 0; NaN where it is missing."""
    y = np.where(np.isnan(values), np.nan, values > above).astype(np.float32)
    name = number_name(above)
    return Labels(y, (f"{column} <= {name}", f"{column} > {name}"))


def class_counts(labels: Labels, rows: NDArray[np.bool_]) -> Iterable[tuple[str, int]]:
    """Each class with its number of rows among `rows`."""
    chosen = labels.y[rows & labels.known].astype(np.int64)
    counts = np.bincount(chosen, minlength=len(labels.classes)).tolist()
    return zip(labels.classes, counts, strict=True)


def _value_type(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _plain(column: Any) -> Any:
    """Text or numbers that can be compared: no dictionary, no NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_nan(column), None, column.cast(pa.float64()))
    if pa.types.is_boolean(column.type) or kind_of(column.type) == "category":
        return column.cast(pa.string())
    return column if pa.types.is_uint64(column.type) else column.cast(pa.int64())
