"""Importing a file, or being refused, in the current folder; and tables to import."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from treebench.data.importing import Request, import_file
from treebench.data.making.make import made_folder
from treebench.data.manifest import Manifest, read_manifest
from treebench.errors import DataError


def imported(
    path: str, target: str | None = "y", **options: Any
) -> tuple[Path, Manifest, list[str]]:
    said: list[str] = []
    card_file = import_file(Request(Path(path), target, **options), said.append)
    folder = made_folder(card_file.card.name)
    assert folder is not None
    return folder, read_manifest(folder), said


def refused(path: str, target: str | None = "y", **options: Any) -> list[str]:
    """The lines of the refusal; nothing but the cache's empty folder is left behind."""
    with pytest.raises(DataError) as raised:
        import_file(Request(Path(path), target, **options), lambda line: None)
    left = [item for item in Path("datasets").rglob("*") if item.name != "cache"]
    assert left == []
    assert all("\n" not in problem for problem in raised.value.problems)
    return list(raised.value.problems)


def with_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    return table.drop_columns([name] if name in table.column_names else []).append_column(
        name, values
    )
