"""Tables that are small enough to be held whole: flights, and what scikit-learn brings."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import csv

from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class MemoryReader:
    """A reader over an Arrow table."""

    def __init__(self, label: str, table: Any) -> None:
        self.label = label
        self.schema = table.schema
        self.left_out: dict[str, str] = {}
        self._table = table

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[Any]:
        """Slices of the table, without copies."""
        yield from self._table.select(list(columns)).to_batches(max_chunksize=batch_rows)


def zipped_csv(path: Path, member: str) -> Any:
    """The table in one CSV file of a zip archive; empty fields are missing, in text too."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            options = csv.ConvertOptions(strings_can_be_null=True)
            return csv.read_csv(file, convert_options=options).combine_chunks()
    except (OSError, KeyError, zipfile.BadZipFile, pa.ArrowInvalid) as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def bundled_with_sklearn(name: str) -> Any:
    """A data set that scikit-learn holds, as a table with the column `target` last.

    Classes are the names that scikit-learn gives them.
    """
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    columns = {str(key): pa.array(bunch.data[:, i]) for i, key in enumerate(bunch.feature_names)}
    if "target_names" in bunch:
        columns["target"] = pa.array([str(bunch.target_names[code]) for code in bunch.target])
    else:
        columns["target"] = pa.array(bunch.target)
    return pa.table(columns)
