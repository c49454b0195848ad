"""Reads files as they are given out, packed in gzip, bzip2 or zip, without unpacking them to disk.

What a file is packed in is read from its first bytes, not its name. A zip's member is looked up by
its name and read; no name of an archive ever becomes a path, so none can point elsewhere. What
comes out is counted, so that a small file cannot become an endless one.
"""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING

from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ZIP, GZIP, BZIP2 = b"PK\x03\x04", b"\x1f\x8b", b"BZh"
MOST_LAYERS = 3
"""A CSV in a gzip in a zip is as deep as it goes."""


@dataclass(frozen=True)
class PackedFile:
    """A file, or a member of a zip archive, with the number of bytes it may unpack to."""

    path: Path
    member: str | None
    most_bytes: int

    @property
    def label(self) -> str:
        """How errors call it."""
        return str(self.path) if self.member is None else f"{self.path} ({self.member})"

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The unpacked bytes, as a stream.

        Raises:
            DataError: the file cannot be read, is damaged, has no such member, or unpacks to more
                than `most_bytes`; also from within a read.
        """
        with ExitStack() as layers:
            try:
                stream: IO[bytes] = layers.enter_context(self.path.open("rb"))
                for _ in range(MOST_LAYERS):
                    inner = self._unpacked(stream)
                    if inner is None:
                        break
                    stream = layers.enter_context(inner)
            except _DAMAGE as error:
                raise self._damaged(error) from None
            yield layers.enter_context(io.BufferedReader(_Counted(stream, self)))

    def first_line(self, most_bytes: int = 1 << 20) -> bytes:
        """The first line, without its end.

        Raises:
            DataError: as `open`, or the line is longer than `most_bytes`.
        """
        with self.open() as stream:
            line = stream.readline(most_bytes)
        if len(line) >= most_bytes:
            raise DataError(f"{self.label} is no text: its first line has no end")
        return line.rstrip(b"\r\n")

    def _unpacked(self, stream: IO[bytes]) -> IO[bytes] | None:
        """The layer within, or None where nothing is packed."""
        start = stream.read(4)
        stream.seek(0)
        if start == ZIP:
            return self._member(zipfile.ZipFile(stream))
        if start[:2] == GZIP:
            return gzip.GzipFile(fileobj=stream)  # type: ignore[return-value]
        return bz2.BZ2File(stream) if start[:3] == BZIP2 else None

    def _member(self, archive: zipfile.ZipFile) -> IO[bytes]:
        """The wanted member: by its whole name, else by its last part, else the only one there."""
        files = [each.filename for each in archive.infolist() if not each.is_dir()]
        wanted = self.member or ""
        last = PurePosixPath(wanted).name
        for found in (
            [name for name in files if name == wanted],
            [name for name in files if PurePosixPath(name).name == last],
            files,
        ):
            if len(found) == 1:
                return archive.open(found[0])
        raise DataError(
            f"{self.path} has no member {wanted!r}; it has {', '.join(files[:5]) or 'none'}"
            f"{' and more' if len(files) > 5 else ''}; give the right file"
        )

    def _damaged(self, error: Exception) -> DataError:
        reason = " ".join(str(error).split()) or type(error).__name__
        return DataError(
            f"{self.label} cannot be read to its end ({reason}); delete it, and fetch or copy it "
            f"again"
        )


# RuntimeError is zipfile's word for a member that asks for a password.
_DAMAGE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)


class _Counted(io.RawIOBase):
    """Counts what is read, and turns what damaged files raise into one line."""

    def __init__(self, stream: IO[bytes], file: PackedFile) -> None:
        self._stream = stream
        self._file = file
        self._count = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read some bytes."""
        try:
            data = self._stream.read(len(buffer))
        except _DAMAGE as error:
            raise self._file._damaged(error) from None
        self._count += len(data)
        if self._count > self._file.most_bytes:
            raise DataError(
                f"{self._file.label} unpacks to more than the {self._file.most_bytes:,} bytes that "
                f"the card allows, so it is not the file that it should be; delete it"
            )
        buffer[: len(data)] = data
        return len(data)
