"""The files that are read: written once, by treebench's own writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treebench.data.making.batches import Form, SparseBatch, WideBatch
from treebench.data.making.writer import PartWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WIDE_FEATURES, SPARSE_FEATURES, ROW_ENTRIES = 100, 20_000, 20
BATCH_ROWS = 100_000


def wide(path: Path, rows: int, density: float) -> Path:
    """Normal values, of which `density` are not zero; in groups of 100,000 rows."""
    names = tuple(f"x{j}" for j in range(WIDE_FEATURES))
    rng = np.random.default_rng(1)

    def fill(writer: PartWriter) -> None:
        for begin in range(0, rows, BATCH_ROWS):
            n = min(BATCH_ROWS, rows - begin)
            columns = rng.standard_normal((WIDE_FEATURES, n), dtype=np.float32)
            if density < 1:
                columns[rng.random(columns.shape, dtype=np.float32) >= density] = 0
            writer.write(WideBatch(columns, _labels(rng, n)))

    return _written(path, Form("wide", WIDE_FEATURES, names), fill)


def sparse_rows(path: Path, rows: int) -> Path:
    """20 of 20,000 columns in each row."""
    rng = np.random.default_rng(2)

    def fill(writer: PartWriter) -> None:
        for begin in range(0, rows, BATCH_ROWS):
            n = min(BATCH_ROWS, rows - begin)
            # One column out of each of 20 stretches: ascending and apart, without a sort.
            stretch = SPARSE_FEATURES // ROW_ENTRIES
            columns = rng.integers(0, stretch, (n, ROW_ENTRIES), dtype=np.int32)
            columns += np.arange(ROW_ENTRIES, dtype=np.int32) * np.int32(stretch)
            lengths = np.full(n, ROW_ENTRIES, np.int32)
            values = rng.uniform(1, 2, columns.size).astype(np.float32)
            writer.write(SparseBatch(lengths, columns.reshape(-1), values, _labels(rng, n)))

    form = Form("sparse-rows", SPARSE_FEATURES, row_entries=float(ROW_ENTRIES))
    return _written(path, form, fill)


def _labels(rng: np.random.Generator, rows: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return rng.integers(0, 2, rows).astype(np.float32)


def _written(path: Path, form: Form, fill: Callable[[PartWriter], None]) -> Path:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        begun = path.with_suffix(".part")
        with PartWriter(begun, form) as writer:
            fill(writer)
            writer.close()
        begun.rename(path)
    return path
