"""Writes a subset of a training part, or splits one, one row group in memory at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq

from treebench.data.making.batches import Batch, Form, SparseBatch, WideBatch
from treebench.data.making.split import subset_mask, validation_mask
from treebench.data.making.writer import TARGET, PartWriter

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.data.making.writer import PartFacts
    from treebench.data.manifest import Manifest


def write_subset(train: Path, path: Path, manifest: Manifest, rows: int, seed: int) -> PartFacts:
    """Write `rows` rows of `train` to `path`, in their order, with classes in proportion."""
    with pq.ParquetFile(train) as file:
        labels = _floats(file.read(columns=[TARGET]).column(TARGET))
        chosen = subset_mask(labels, manifest.n_classes > 0, rows, seed)
        # All parts of a set have row groups of one size, which its largest part shows.
        group_rows = file.metadata.row_group(0).num_rows
        with PartWriter(path, _form(manifest), group_rows) as writer:
            start = 0
            for group in range(file.num_row_groups):
                batch = _batch(file.read_row_group(group), manifest)
                writer.write(batch.take(chosen[start : start + batch.rows]))
                start += batch.rows
            return writer.close()


def write_split(
    train: Path, rest: Path, validation: Path, manifest: Manifest, held_out: int, seed: int
) -> PartFacts:
    """Hold `held_out` rows of `train` out: they go to `validation`, the others to `rest`, each in
    their order. Returns the facts of the rest."""
    with pq.ParquetFile(train) as file:
        labels = _floats(file.read(columns=[TARGET]).column(TARGET))
        chosen = validation_mask(labels, manifest.n_classes > 0, held_out, seed)
        group_rows = file.metadata.row_group(0).num_rows
        form = _form(manifest)
        with (
            PartWriter(rest, form, group_rows) as kept,
            PartWriter(validation, form, group_rows) as out,
        ):
            start = 0
            for group in range(file.num_row_groups):
                batch = _batch(file.read_row_group(group), manifest)
                here = chosen[start : start + batch.rows]
                kept.write(batch.take(~here))
                out.write(batch.take(here))
                start += batch.rows
            out.close()
            return kept.close()


def _form(manifest: Manifest) -> Form:
    return Form(
        storage=manifest.storage,
        n_features=manifest.n_features,
        names=tuple(feature.name for feature in manifest.features),
        categorical=tuple(f.name for f in manifest.features if f.cardinality is not None),
    )


def _batch(table: Any, manifest: Manifest) -> Batch:
    y = _floats(table.column(TARGET))
    if manifest.storage == "wide":
        columns = np.empty((manifest.n_features, len(y)), dtype=np.float32)
        for i in range(manifest.n_features):
            columns[i] = _floats(table.column(i))
        return WideBatch(columns, y)
    indices = table.column("indices").combine_chunks()
    values = table.column("values").combine_chunks()
    lengths = np.diff(indices.offsets.to_numpy())
    return SparseBatch(lengths, indices.flatten().to_numpy(), values.flatten().to_numpy(), y)


def _floats(column: Any) -> Any:
    return column.combine_chunks().to_numpy(zero_copy_only=False)
