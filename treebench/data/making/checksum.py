"""SHA-256 of a source's files, so that a card vouches for what it describes."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def data_files(path: Path) -> list[Path]:
    """The files of a source: `path` itself, or the files below it in order of their names.

    As in other readers of such folders, names that begin with `.` or `_` are left out
    (`_SUCCESS`, `_metadata`, checksums). Links are followed: rows must not vanish in silence.

    Raises:
        DataError: a folder cannot be read, a link leads nowhere, or back to a folder above it.
    """
    return sorted(_files_below(path, frozenset())) if path.is_dir() else [path]


def sha256_of(path: Path) -> str:
    """The hash of a file; for a folder, the hash over each file's relative name and own hash."""
    if not path.is_dir():
        return _file_sha256(path)
    whole = hashlib.sha256()
    for file in data_files(path):
        whole.update(f"{file.relative_to(path).as_posix()}\0{_file_sha256(file)}\n".encode())
    return whole.hexdigest()


def check_file(path: Path, expected: str | None, remedy: str) -> None:
    """Compare a file or folder with the checksum of its card, if the card gives one.

    Raises:
        DataError: nothing is there, or it is not what the card describes.
    """
    if not path.exists():
        raise DataError(f"{path} does not exist; {remedy}")
    if expected is None:
        return
    found = sha256_of(path)
    if found != expected:
        raise DataError(
            f"{path} is not what the card describes (sha256 {found[:12]}…, "
            f"the card's is {expected[:12]}…); {remedy}"
        )


def _file_sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); mend its rights") from None


def _files_below(folder: Path, above: frozenset[str]) -> Iterator[Path]:
    """`above` are the folders that led here, each as it is called without links."""
    here = os.path.realpath(folder)
    if here in above:
        raise DataError(f"{folder} is a link back to a folder that it lies in; remove it")
    for path in _listed(folder):
        if path.is_dir():
            yield from _files_below(path, above | {here})
        elif path.is_file():
            yield path
        elif path.is_symlink():
            raise DataError(f"{path} is a link to nothing; remove it, or put the file there")


def _listed(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not path.name.startswith((".", "_"))]
    except OSError as error:
        raise DataError(f"{folder} cannot be read ({error.strerror}); mend its rights") from None
