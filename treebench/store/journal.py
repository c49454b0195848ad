"""The journal: one JSON line per sample, appended, flushed and synced; never rewritten.

A line counts once its newline is on disk. A process killed in the middle of a write leaves a
last line without one: readers pass over it and the next writer cuts it off, so no sample is
ever kept by half.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from treebench.errors import RunFolderError
from treebench.store.row import SCHEMA_VERSION, SampleRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from pydantic import TypeAdapter


_TAIL_BLOCK = 65_536


class Journal:
    """A journal opened for appending. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _cut_torn_line(path)
        # Unbuffered: what a failed write left in a buffer would be written again later.
        self._file = path.open("ab", buffering=0)

    def append(self, row: SampleRow) -> None:
        """Write one row and wait until the disk has it.

        Raises:
            RunFolderError: the disk is full or the file cannot be written; the journal is cut
                back to its last whole row, so that the same command can go on later. Or it was
                removed, so that the row, and all before it, are lost.
        """
        line = json.dumps(row.to_json(), allow_nan=False, separators=(",", ":")) + "\n"
        start = self._file.tell()
        rest = memoryview(line.encode())
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            # On a disk that has become read-only, or has gone, not even that is to be had; what is
            # half written there is passed over, and cut off by who goes on.
            with contextlib.suppress(OSError):
                os.ftruncate(self._file.fileno(), start)
            raise RunFolderError(
                f"cannot write {self.path} ({error.strerror}); make room or fix its rights, then "
                f"type the same command again: it goes on where it stopped"
            ) from error
        if os.fstat(self._file.fileno()).st_nlink == 0:
            raise RunFolderError(
                f"{self.path} was removed while its samples were being taken; "
                f"type the same command again to take them anew"
            )

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def read_rows(path: Path) -> list[SampleRow]:
    """All whole rows of a journal, in the order they were written.

    Raises:
        RunFolderError: a line is not a sample row, or a newer treebench wrote it.
    """
    return [row_from_json(raw, where) for where, raw in _lines(path)]


def latest(rows: list[SampleRow]) -> list[SampleRow]:
    """The last row of each sample: a retried or interrupted sample is superseded by its redo."""
    return list({row.key: row for row in rows}.values())


def row_from_json(raw: Any, where: str) -> SampleRow:
    """A row from JSON values; `where` names the line for the error.

    Raises:
        RunFolderError: it is not a row of a schema this treebench reads.
    """
    from pydantic import ValidationError

    from treebench.store.facts import Spec, problem_of

    version = raw.get("schema") if isinstance(raw, dict) else None
    if type(version) is int and version > SCHEMA_VERSION:
        raise RunFolderError(
            f"{where} has schema {version}, this treebench reads up to {SCHEMA_VERSION}; "
            f"upgrade treebench to read this run"
        )
    try:
        row = _row_adapter().validate_python(raw)
        problem = problem_of(row.spec, Spec)
        problem = problem and f"spec.{problem}"
        if type(version) is not int or version < 1:
            problem = "schema: it should be a whole number from 1 on"
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the line"
        problem = f"{place}: {first['msg'].lower()}"
    if problem:
        raise RunFolderError(
            f"{where} is not a sample row ({problem}); delete that line to read the rest"
        )
    return row


def problems(path: Path) -> Iterator[str]:
    """What is wrong with a journal, one line per problem; nothing when it is whole."""
    for where, text in _raw_lines(path):
        try:
            row_from_json(_parsed(text, where), where)
        except RunFolderError as error:
            yield str(error)
    torn = torn_bytes(path)
    if torn:
        yield (
            f"{path} ends in {torn} bytes of an unfinished line; the run that continues it cuts "
            f"them off"
        )


def torn_bytes(path: Path) -> int:
    """Bytes after the last newline: a line whose writing was cut short."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        size = start = file.seek(0, os.SEEK_END)
        while start > 0:
            block = min(_TAIL_BLOCK, start)
            start = file.seek(start - block)
            newline = file.read(block).rfind(b"\n")
            if newline >= 0:
                return size - (start + newline + 1)
    return size


_adapter: TypeAdapter[SampleRow] | None = None


def _row_adapter() -> TypeAdapter[SampleRow]:
    global _adapter
    if _adapter is None:
        from pydantic import TypeAdapter

        _adapter = TypeAdapter(SampleRow)
    return _adapter


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    for where, text in _raw_lines(path):
        yield where, _parsed(text, where)


def _parsed(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunFolderError(
            f"{where} is not JSON ({error}); delete that line to read the rest"
        ) from None


def _raw_lines(path: Path) -> Iterator[tuple[str, bytes]]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield f"{path}:{number}", line


def _cut_torn_line(path: Path) -> None:
    torn = torn_bytes(path)
    if torn:
        os.truncate(path, path.stat().st_size - torn)
