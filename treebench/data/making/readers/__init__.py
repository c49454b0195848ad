"""Readers of tables. `open_table` finds the one for a file or a folder of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from treebench.data.making.checksum import data_files
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from treebench.data.making.readers.base import TableReader


def open_table(
    path: Path,
    kind: Literal["csv", "parquet"],
    header: bool,
    delimiter: str,
    report: Callable[[str], None],
) -> TableReader:
    """A reader over one file, or over all files of a folder as one table.

    Raises:
        DataError: nothing there, an empty folder, damaged or empty files (each named), or files
            of a folder that do not agree on their columns.
    """
    from treebench.data.making.readers.csv_file import CsvReader
    from treebench.data.making.readers.folder import FolderReader
    from treebench.data.making.readers.parquet_file import ParquetReader

    def open_file(file: Path) -> TableReader:
        if file.stat().st_size == 0:
            raise DataError(f"{file} is empty (0 bytes); remove it or write it again")
        if kind == "parquet":
            return ParquetReader(file)
        return CsvReader(file, header, delimiter)

    if not path.exists():
        raise DataError(f"{path} does not exist")
    files = data_files(path)
    if not files:
        raise DataError(f"{path} is a folder without data files; give a folder that holds some")
    if not path.is_dir():
        return open_file(path)
    report(f"looking at {len(files):,} files in {path}")
    readers: list[TableReader] = []
    problems: list[str] = []
    for file in files:
        try:
            readers.append(open_file(file))
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError(*problems)
    return FolderReader(path, files, readers, widen=kind == "csv")
