"""From a table of named columns to a prepared data set.

Three passes, each over the columns it needs alone: labels; categories; all features. Problems are
gathered and raised together; nothing is written by a pass that finds some.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from treebench.data.making.batches import Batch, PartName, Prepared, SparseBatch, WideBatch
from treebench.data.making.columns import NumberCounter
from treebench.data.making.encode import CategoryEncoder
from treebench.data.making.labelling import read_labels, split_rows
from treebench.data.making.table_columns import TableColumns, plan_columns
from treebench.data.manifest import Feature
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    from treebench.data.cards import Card
    from treebench.data.making.labelling import SplitLabels
    from treebench.data.making.readers.base import TableReader

BATCH_BYTES = 32 << 20
MOST_BATCH_ROWS = 65_536
# Above this, text that the card does not name is worth a word: it may name the rows themselves.
MANY_CATEGORIES = 1_000
UNFIT_REMEDY = "`nonfinite: nan` (`--nonfinite nan`) makes such values missing"


@dataclass(frozen=True)
class _Rows:
    """A record batch with its labels, its rows' parts, and the number of its first row."""

    reader: TableReader
    batch: Any
    y: NDArray[np.float32]
    parts: dict[PartName, NDArray[np.bool_]]
    start: int

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows are in a part, having a label."""
        return self.parts["train"] | self.parts["test"]

    def split(self, converted: Batch) -> Iterator[tuple[PartName, Batch]]:
        """The rows of each part, from all rows of this batch."""
        for part, mask in self.parts.items():
            if mask.all():
                yield part, converted
            elif mask.any():
                yield part, converted.take(mask)


@dataclass(frozen=True)
class _Table:
    """All that the passes share."""

    card: Card
    readers: list[TableReader]
    columns: TableColumns
    labels: SplitLabels
    encoders: dict[str, CategoryEncoder]

    def rows(self, names: list[str], batch_rows: int) -> Iterator[_Rows]:
        """All rows, reader by reader, with the columns `names`."""
        for reader, labels, masks in self.labels.by_reader(self.readers):
            start = 0
            for batch in reader.batches(names, batch_rows):
                place = slice(start, start + batch.num_rows)
                parts = {part: mask[place] for part, mask in masks.items()}
                yield _Rows(reader, batch, labels[place], parts, start)
                start = place.stop


def prepare_table(
    card: Card,
    reader: TableReader,
    test_reader: TableReader | None,
    report: Callable[[str], None],
) -> Prepared:
    """Check a table against its card and make it ready to be streamed.

    `test_reader` reads the test part, where it is a file of its own.

    Raises:
        DataError: a line for each problem of columns, labels and values.
    """
    readers = [reader] if test_reader is None else [reader, test_reader]
    columns, problems = plan_columns(card, readers, report)
    read, label_problems = read_labels(card, readers)
    problems += label_problems
    if problems:
        raise DataError(*problems, *_unfit_values(card, readers, columns))
    labels = split_rows(card, read)
    if labels.unlabelled:
        report(f"left out {labels.unlabelled:,} rows without a label")
    table = _Table(card, readers, columns, labels, {})
    _fit_categories(table, report)
    return _onehot(table) if card.features.onehot else _wide(table, report)


def _unfit_values(card: Card, readers: list[TableReader], columns: TableColumns) -> list[str]:
    """Values that do not fit, looked for though the set cannot be made, to say all in one go."""
    if card.nonfinite == "nan" or not columns.numbers:
        return []
    problems = []
    for reader in readers:
        names = [name for name in columns.numbers if name in reader.schema.names]
        counter, start = NumberCounter(), 0
        for batch in reader.batches(names, _batch_rows(len(names))):
            for name in names:
                counter.convert(name, batch.column(name), start)
            start += batch.num_rows
        problems += [f"{reader.label}: {line}" for line in counter.unfit(UNFIT_REMEDY)]
    return problems


def _fit_categories(table: _Table, report: Callable[[str], None]) -> None:
    """Fit on the training part; for one-hot, on all rows.

    One-hot columns are the width of the set. Fitted on all rows it does not hang on the seed of
    the split, and nothing leaks: a category met in the test part alone is a column of zeros in
    training.
    """
    names = list(table.columns.categories)
    if not names:
        return
    table.encoders.update({name: CategoryEncoder() for name in names})
    everywhere = bool(table.card.features.onehot)
    for rows in table.rows(names, _batch_rows(len(names))):
        fitted = pa.array(rows.known if everywhere else rows.parts["train"])
        for name in names:
            table.encoders[name].fit(rows.batch.column(name), fitted)
    for name in names:
        table.encoders[name].finish()
        many = table.encoders[name].cardinality
        if many > MANY_CATEGORIES and name not in table.card.features.named:
            report(
                f"note: text column {name!r} has {many:,} categories; if it names the rows, drop "
                f"it (`drop:`, `--drop {name}`); if it does not, `--categorical {name}` says so"
            )


def _wide(table: _Table, report: Callable[[str], None]) -> Prepared:
    names = list(table.columns.names)
    features = tuple(
        Feature(name, table.encoders[name].cardinality if name in table.encoders else None)
        for name in names
    )

    def batches(batch_rows: int) -> Iterator[tuple[PartName, Batch]]:
        counters = {reader.label: NumberCounter() for reader in table.readers}
        for rows in table.rows(names, min(batch_rows, _batch_rows(len(names)))):
            counter = counters[rows.reader.label]
            block = np.empty((len(names), rows.batch.num_rows), dtype=np.float32)
            for i, name in enumerate(names):
                column = rows.batch.column(name)
                if name in table.encoders:
                    block[i] = table.encoders[name].codes(column)
                else:
                    block[i] = counter.convert(name, column, rows.start, rows.known)
            yield from rows.split(WideBatch(block, rows.y))
        _judge(table.card, counters, report)

    return _prepared(table, "wide", batches, features)


def _judge(card: Card, counters: dict[str, NumberCounter], report: Callable[[str], None]) -> None:
    """Refuse values that do not fit, once all have been seen."""
    unfit = [
        f"{label}: {line}"
        for label, counter in counters.items()
        for line in counter.unfit(UNFIT_REMEDY)
    ]
    if unfit and card.nonfinite == "error":
        raise DataError(*unfit)
    for label, counter in counters.items():
        for line in counter.rounded():
            report(f"note: {label}: {line}")


def _onehot(table: _Table) -> Prepared:
    names = list(table.columns.names)
    widths = [table.encoders[name].cardinality for name in names]
    firsts = np.cumsum([0, *widths[:-1]], dtype=np.int32)

    def batches(batch_rows: int) -> Iterator[tuple[PartName, Batch]]:
        for rows in table.rows(names, min(batch_rows, MOST_BATCH_ROWS)):
            codes = [table.encoders[name].indices(rows.batch.column(name)) for name in names]
            yield from rows.split(_onehot_rows(np.stack(codes, axis=1), firsts, rows.y))

    return _prepared(table, "sparse-rows", batches, (), sum(widths), float(len(names)))


def _onehot_rows(
    codes: NDArray[np.int32], firsts: NDArray[np.int32], y: NDArray[np.float32]
) -> SparseBatch:
    """Rows of ones at `firsts` + `codes`; a code of -1 (missing) stores nothing."""
    known = codes >= 0
    indices = (codes + firsts)[known]
    return SparseBatch(
        known.sum(axis=1, dtype=np.int32), indices, np.ones(len(indices), dtype=np.float32), y
    )


def _prepared(
    table: _Table,
    storage: Any,
    batches: Callable[[int], Iterator[tuple[PartName, Batch]]],
    features: tuple[Feature, ...],
    width: int | None = None,
    row_entries: float = 0.0,
) -> Prepared:
    target = table.card.target
    return Prepared(
        task=table.card.task,
        classes=table.labels.classes,
        target=target.column if target is not None else "target",
        storage=storage,
        n_features=len(features) if width is None else width,
        rows=table.labels.rows,
        batches=batches,
        features=features,
        row_entries=row_entries,
        dropped=table.columns.dropped,
    )


def _batch_rows(columns: int) -> int:
    return max(1, min(MOST_BATCH_ROWS, BATCH_BYTES // (8 * max(columns, 1))))
