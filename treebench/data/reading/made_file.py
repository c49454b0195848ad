"""A made Parquet file, opened and checked: its storage, its width and what it counts.

`docs/DATA.md` describes the format. What a file says of itself is checked here, once; what its
rows hold is checked while they are read.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from treebench.data.manifest import Storage
from treebench.errors import DataError
from treebench.machine.cpus import usable_cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

TARGET = "__target__"
T = TypeVar("T")
_KEPT_BYTES = 16 << 20
_STREAM_BYTES = 64 * 1024
_SPARSE_SCHEMA = {"indices": pa.list_(pa.int32()), "values": pa.list_(pa.float32())}


@dataclass(frozen=True)
class MadeFile:
    """What a made file says of itself.

    `stored_entries` has shape (width,), int64: how many values of each feature are not zero; a
    missing one (NaN) counts. `feature_names` is empty for sparse rows. `footer` is Parquet's own
    metadata, kept so that it is parsed once however many readers are opened; `stamp` tells whether
    it is still this file's.
    """

    path: Path
    storage: Storage
    width: int
    stored_entries: NDArray[np.int64]
    feature_names: tuple[str, ...]
    footer: Any
    stamp: tuple[int, int, int]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.footer.num_rows)

    @property
    def largest_group_rows(self) -> int:
        """Rows of the largest row group; 0 for a file without rows."""
        groups = range(self.footer.num_row_groups)
        return max((self.footer.row_group(group).num_rows for group in groups), default=0)

    def entries(self, features: int) -> int:
        """Number of stored entries in the first `features` columns."""
        return int(self.stored_entries[:features].sum())

    def damaged(self, what: str) -> DataError:
        """The error for a file that does not hold what it should."""
        return _damaged(self.path, what)


def reading_threads() -> int:
    """Threads that read at once: two, or one where the process may use a single core.

    More would each need pages of their own in memory, and two keep up with the copying.
    """
    return min(2, usable_cores())


def open_made(path: Path) -> MadeFile:
    """The made file at `path`, its metadata and schema checked.

    Raises:
        DataError: no such file; not Parquet, or cut off; not made by treebench; a schema that
            is not that of its storage.
    """
    with _readable(path), pq.ParquetFile(path) as parquet:
        stamp = _stamp(path)
        schema, footer = parquet.schema_arrow, parquet.metadata
    facts = {key.decode(): value for key, value in (footer.metadata or {}).items()}
    storage = _storage(path, facts)
    stored_entries = _stored_entries(path, facts, footer.num_rows)
    width = len(stored_entries)
    problem = (_wide_problem if storage == "wide" else _sparse_problem)(schema, width)
    if problem:
        raise _damaged(path, problem)
    names = tuple(schema.names[:-1]) if storage == "wide" else ()
    return MadeFile(path, storage, width, stored_entries, names, footer, stamp)


def open_reader(made: MadeFile) -> Any:
    """A reader that streams pages rather than holding whole column chunks.

    Neither read-ahead nor a memory map: the first holds every group it will read (412 MiB of
    400), the second counts the file's pages as the process's own.

    Raises:
        DataError: another file has taken its place. Of the same shape, it could be read by the
            first one's footer, and rows of both would be mixed without a word.
    """
    with _readable(made.path):
        if _stamp(made.path) != made.stamp:
            raise DataError(
                f"{made.path} was replaced or changed while it was read; take the sample again "
                f"once its folder is at rest"
            )
        return pq.ParquetFile(
            made.path, metadata=made.footer, pre_buffer=False, buffer_size=_STREAM_BYTES
        )


def record_batches(
    made: MadeFile, columns: Sequence[str], batch_rows: int
) -> Iterator[tuple[int, Any]]:
    """Record batches of `columns` over all rows, each with the number of its first row.

    Raises:
        DataError: the file cannot be decoded, or a column has nulls.
    """
    start = unreleased = 0
    with open_reader(made) as reader:
        batches = reader.iter_batches(batch_rows, columns=list(columns), use_threads=False)
        while (batch := _next(made.path, batches)) is not None:
            yield start, _without_nulls(made, batch)
            start += batch.num_rows
            unreleased += batch.nbytes
            del batch
            if unreleased >= _KEPT_BYTES:
                # By itself the pool would keep what each batch leaves.
                pa.default_memory_pool().release_unused()
                unreleased = 0
    if start != made.rows:
        raise made.damaged(f"has {start} rows where its footer says {made.rows}")


def read_group(made: MadeFile, reader: Any, group: int, columns: Sequence[str]) -> Any:
    """One row group of `columns`, as a single record batch.

    Raises:
        DataError: the file cannot be decoded, or a column has nulls.
    """
    with _readable(made.path):
        table = reader.read_row_group(group, columns=list(columns), use_threads=False)
        batch = table.combine_chunks().to_batches(max_chunksize=None)[0]
    return _without_nulls(made, batch)


def read_target(made: MadeFile) -> NDArray[np.float32]:
    """The labels, shape (rows,), float32."""
    target = np.empty(made.rows, np.float32)
    for start, batch in record_batches(made, [TARGET], 1 << 16):
        target[start : start + batch.num_rows] = batch.column(0).to_numpy()
    return target


def ahead(batches: Iterator[tuple[int, T]]) -> Iterator[tuple[int, T]]:
    """The same batches, the next one decoded while the caller works on the last."""
    with ThreadPoolExecutor(1) as pool:
        upcoming = pool.submit(next, batches, None)
        while (batch := upcoming.result()) is not None:
            upcoming = pool.submit(next, batches, None)
            yield batch


def _stamp(path: Path) -> tuple[int, int, int]:
    """What changes when a file is replaced or written to: inode, bytes, time of the last change."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turns what Arrow raises on a bad file into one line; running out of memory stays itself."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"no file {path}; make it with `treebench data make`") from None
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _damaged(path, f"cannot be read as Parquet ({reason})") from None


def _next(path: Path, batches: Iterator[Any]) -> Any:
    with _readable(path):
        return next(batches, None)


def _without_nulls(made: MadeFile, batch: Any) -> Any:
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        nulls = column.null_count
        if not nulls and pa.types.is_list(column.type):
            nulls = column.values.null_count
        if nulls:
            raise made.damaged(f"has nulls in column {name!r}, where a missing number is NaN")
    return batch


def _storage(path: Path, facts: dict[str, bytes]) -> Storage:
    named = facts.get("treebench.storage", b"").decode()
    if not named:
        raise DataError(
            f"{path} was not made by treebench (its metadata lacks treebench.storage); "
            "bring it in with `treebench data import`"
        )
    if named not in get_args(Storage):
        raise _damaged(path, f"has the unknown storage {named!r} in its metadata")
    return cast("Storage", named)


def _stored_entries(path: Path, facts: dict[str, bytes], rows: int) -> NDArray[np.int64]:
    try:
        width = int(facts["treebench.width"])
        entries = np.array(json.loads(facts["treebench.stored_entries"]), dtype=np.int64)
    except KeyError as missing:
        raise _damaged(path, f"lacks {missing.args[0]} in its metadata") from None
    except (ValueError, TypeError, OverflowError) as error:
        raise _damaged(path, f"has metadata that cannot be read ({error})") from None
    if entries.shape != (width,) or width < 1:
        raise _damaged(path, f"counts entries of {entries.size} columns for a width of {width}")
    if entries.min() < 0 or entries.max() > rows:
        raise _damaged(path, f"counts more entries in a column than its {rows} rows can hold")
    return entries


def _wide_problem(schema: Any, width: int) -> str | None:
    if schema.names[-1:] != [TARGET] or len(schema.names) != width + 1:
        return f"has {len(schema.names)} columns, not {width} features and {TARGET} last"
    if len(set(schema.names)) != len(schema.names):
        return "has several columns of the same name"
    wrong = [f"{field.name!r} is {field.type}" for field in schema if field.type != pa.float32()]
    return f"must hold float32 alone: {_few(wrong)}" if wrong else None


def _sparse_problem(schema: Any, width: int) -> str | None:
    expected = {**_SPARSE_SCHEMA, TARGET: pa.float32()}
    if schema.names != list(expected):
        return f"has the columns {_few(schema.names)}, not {', '.join(expected)}"
    wrong = [
        f"{field.name!r} is {field.type}"
        for field in schema
        if not _same_type(field.type, expected[field.name])
    ]
    return f"has columns of the wrong type: {_few(wrong)}" if wrong else None


def _same_type(found: Any, expected: Any) -> bool:
    """Whether types agree; a list's item may have any name and may be declared nullable."""
    if pa.types.is_list(found) and pa.types.is_list(expected):
        return bool(found.value_type == expected.value_type)
    return bool(found == expected)


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _damaged(path: Path, what: str) -> DataError:
    return DataError(f"{path} {what}; delete its folder and make the data set again")
