"""Reads one Parquet file of a person's own."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_STREAM_BYTES = 64 * 1024


class ParquetReader:
    """A reader over one file, which is opened anew for each pass."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.label = str(path)
        with self._open() as file:
            self.schema = _read_schema(path, file)
        self.left_out = _pandas_index(self.schema)

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[Any]:
        """Batches of the columns asked for; the others are not decoded."""
        with self._open() as file:
            try:
                for batch in file.iter_batches(batch_size=batch_rows, columns=list(columns)):
                    yield batch.select(list(columns))
            except (pa.ArrowException, OSError) as error:
                raise DataError(_damaged(self._path, error)) from None

    def _open(self) -> Any:
        try:
            # Streamed: else the column chunks of a row group are held whole, those of the next too.
            return pq.ParquetFile(self._path, pre_buffer=False, buffer_size=_STREAM_BYTES)
        except (pa.ArrowException, OSError) as error:
            raise DataError(_damaged(self._path, error)) from None


def _read_schema(path: Path, file: Any) -> Any:
    try:
        schema = file.schema_arrow
        schema.names  # noqa: B018 - bytes that are no text show only here
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(_damaged(path, error)) from None
    return schema


def _damaged(path: Path, error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"{path} cannot be read ({os.strerror(error.errno)}); mend its rights, or its disk"
    first = str(error).splitlines()[0]
    if "ecrypt" in first:
        return f"{path} is encrypted ({first}); write it again without encryption"
    return f"{path} is not a whole Parquet file ({first}); write or copy it again"


def _pandas_index(schema: Any) -> dict[str, str]:
    """Columns that pandas stored for its index, as the file's own metadata says.

    As features they would tell the row's number. A RangeIndex is stored as no column at all and
    stands there as a mapping.
    """
    raw = (schema.metadata or {}).get(b"pandas")
    if raw is None:
        return {}
    try:
        index = json.loads(raw)["index_columns"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return {}  # it is not what pandas writes, and so says nothing
    listed = index if isinstance(index, list) else []
    names = (name for name in listed if isinstance(name, str) and name in schema.names)
    return dict.fromkeys(names, "index of a pandas frame, by the file's own metadata")
