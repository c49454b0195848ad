"""Reads a folder of files as one table, with `key=value` folders as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa

from treebench.data.making.columns import kind_of
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from treebench.data.making.readers.base import TableReader

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
MOST_LINES = 20


class FolderReader:
    """A reader over the files of a folder, in order of their names.

    Files must agree on names and kinds of columns. Widths may differ (int32 and int64), a column
    may be all missing in some files; with `widen`, whole and real numbers may mix too, as they do
    in CSV, where types are only guessed. Partition columns come last, named in `partitions`.
    """

    def __init__(
        self, path: Path, files: list[Path], readers: list[TableReader], widen: bool
    ) -> None:
        self._readers = readers
        self.label = str(path)
        self.left_out = {name: why for reader in readers for name, why in reader.left_out.items()}
        self._values = [_partition_values(file.relative_to(path).parts) for file in files]
        problems = _drift(readers, widen) + _partition_drift(files, self._values)
        own = set(readers[0].schema.names)
        problems += [
            f"{path}: column {name!r} is in the files and in the folders' names; rename one of them"
            for name in self._values[0]
            if name in own
        ]
        if problems:
            raise DataError(*_capped(problems))
        self.partitions = _partition_types(self._values)
        self.schema = pa.schema(
            _common_fields([reader.schema for reader in readers])
            + [pa.field(name, kind) for name, kind in self.partitions.items()]
        )

    def batches(self, columns: Sequence[str], batch_rows: int) -> Iterator[Any]:
        """Batches of one file after the other, cast to the types of the whole."""
        schema = pa.schema([self.schema.field(name) for name in columns])
        stored = [name for name in columns if name not in self.partitions]
        for reader, values in zip(self._readers, self._values, strict=True):
            # A batch without columns has no rows: read one, though it is not asked for.
            for batch in reader.batches(stored or reader.schema.names[:1], batch_rows):
                arrays = [
                    _constant(values[name], batch.num_rows, self.partitions[name])
                    if name in self.partitions
                    else _cast(batch.column(name), schema.field(name).type)
                    for name in columns
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _drift(readers: list[TableReader], widen: bool) -> list[str]:
    """How the files differ from the first one, one line for each column of each file."""
    first = readers[0]
    kinds = _kinds(first, widen)
    problems = []
    for reader in readers[1:]:
        own = _kinds(reader, widen)
        problems += [
            f"{reader.label}: column {name!r} is missing, {first.label} has it"
            for name in kinds
            if name not in own
        ]
        problems += [
            f"{reader.label}: column {name!r} is not in {first.label}"
            for name in own
            if name not in kinds
        ]
        problems += [
            f"{reader.label}: column {name!r} is {_type(reader, name)}, "
            f"in {first.label} it is {_type(first, name)}; write both alike"
            for name in own
            if name in kinds and not _agree(own[name], kinds[name])
        ]
    return problems


def _kinds(reader: TableReader, widen: bool) -> dict[str, str]:
    return {field.name: _family(field.type, widen) for field in reader.schema}


def _family(kind: Any, widen: bool) -> str:
    if pa.types.is_null(kind):
        return "missing"
    if pa.types.is_integer(kind):
        return "number" if widen else "whole number"
    if pa.types.is_floating(kind):
        return "number" if widen else "real number"
    return "text" if kind_of(kind) == "category" else str(kind)


def _agree(one: str, other: str) -> bool:
    return one == other or "missing" in (one, other)


def _type(reader: TableReader, name: str) -> str:
    return str(reader.schema.field(reader.schema.names.index(name)).type)


def _common_fields(schemas: list[Any]) -> list[Any]:
    names = schemas[0].names
    if len(set(names)) < len(names):
        # Repeated names are refused by the caller, who sees them in the schema.
        return list(schemas[0])
    return [
        pa.field(name, _widest([schema.field(name).type for schema in schemas])) for name in names
    ]


def _widest(types: list[Any]) -> Any:
    """One type that holds the values of all of `types`, which are of one family."""
    distinct = {kind for kind in types if not pa.types.is_null(kind)}
    if len(distinct) < 2:
        return next(iter(distinct), pa.null())
    if all(pa.types.is_signed_integer(kind) for kind in distinct):
        return pa.int64()
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in distinct):
        return pa.float64()
    return pa.string()


def _cast(column: Any, kind: Any) -> Any:
    if column.type == kind:
        return column
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(kind, safe=False)


def _partition_values(parts: tuple[str, ...]) -> dict[str, str | None]:
    """The columns that a file's folders name: `year=2013/month=01/x.parquet` gives two."""
    pairs = (part.split("=", 1) for part in parts[:-1] if "=" in part)
    return {unquote(name): None if value == NO_VALUE else unquote(value) for name, value in pairs}


def _partition_drift(files: list[Path], values: list[dict[str, str | None]]) -> list[str]:
    first = sorted(values[0])
    return [
        f"{file}: its folders name the columns {sorted(own)}, those of {files[0]} name {first}"
        for file, own in zip(files[1:], values[1:], strict=True)
        if sorted(own) != first
    ]


def _partition_types(values: list[dict[str, str | None]]) -> dict[str, Any]:
    return {
        name: pa.int64() if all(_is_whole(own[name]) for own in values) else pa.string()
        for name in values[0]
    }


def _is_whole(value: str | None) -> bool:
    if value is None:
        return True
    try:
        int(value)
    except ValueError:
        return False
    return "_" not in value


def _constant(value: str | None, rows: int, kind: Any) -> Any:
    if value is None:
        return pa.nulls(rows, kind)
    return pa.repeat(pa.scalar(int(value) if kind == pa.int64() else value, kind), rows)


def _capped(problems: list[str]) -> list[str]:
    if len(problems) <= MOST_LINES:
        return problems
    return [*problems[:MOST_LINES], f"... and {len(problems) - MOST_LINES} more differences"]
