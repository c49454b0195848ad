"""The tables of a report as CSV: raw figures, their units in the names of the columns.

A figure that is not known is an empty field, never 0. Tables of several data sets are one file,
which says in its first column whose a line is.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from treebench.report.blocks import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.report.blocks import Section, Value

FOLDER = "csv"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_files(parts: Sequence[Section], prefix: str = "") -> dict[str, bytes]:
    """The files by path from the report's folder; `prefix` begins their names."""
    tables: dict[str, list[Table]] = {}
    for part in parts:
        for block in part.blocks:
            if isinstance(block, Table) and block.name:
                tables.setdefault(block.name, []).append(block)
    return {f"{FOLDER}/{prefix}{name}.csv": _file(found) for name, found in tables.items()}


def _file(tables: Sequence[Table]) -> bytes:
    placed = any(one.place for one in tables)
    # Tables of the same name can differ in what varies, and so in columns.
    titles = list(dict.fromkeys(title for one in tables for title in one.raw_titles))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(["of"] if placed else []), *titles])
    for one in tables:
        for row in one.raw_rows:
            known = dict(zip(one.raw_titles, row, strict=True))
            values = [_field(known.get(title)) for title in titles]
            writer.writerow([*([_field(one.place)] if placed else []), *values])
    return out.getvalue().encode()


def _field(value: Value) -> str:
    """A word that a spreadsheet would compute is quoted as one of its own texts."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return repr(value)
