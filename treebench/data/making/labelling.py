"""Reads the labels of a source, checks them, and splits the rows into parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from treebench.data.making.encode import (
    LabelColumn,
    Labels,
    class_counts,
    class_labels,
    threshold_labels,
)
from treebench.data.making.split import held_out_mask
from treebench.data.making.table_columns import listed, target_column
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from treebench.data.cards import Card
    from treebench.data.making.batches import PartName
    from treebench.data.making.readers.base import TableReader

LABEL_BATCH_ROWS = 1 << 20
MISSING_REMEDY = "fill them in, or say `missing: drop` under `target:` (`--missing-target drop`)"


@dataclass(frozen=True)
class ReadLabels:
    """Labels of all readers in one row of codes; `starts` says where each reader's rows begin."""

    label: str
    labels: Labels
    starts: tuple[int, ...]


@dataclass(frozen=True)
class SplitLabels:
    """Labels, and which rows are in which part (rows without a label are in neither)."""

    y: NDArray[np.float32]
    classes: tuple[str, ...]
    train: NDArray[np.bool_]
    test: NDArray[np.bool_]
    starts: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Rows of both parts."""
        return int(self.train.sum() + self.test.sum())

    @property
    def unlabelled(self) -> int:
        """Rows in neither part."""
        return len(self.y) - self.rows

    def by_reader(
        self, readers: Sequence[TableReader]
    ) -> Iterator[tuple[TableReader, NDArray[np.float32], dict[PartName, NDArray[np.bool_]]]]:
        """Each reader with the labels and part masks of its rows."""
        for i, reader in enumerate(readers):
            rows = slice(self.starts[i], self.starts[i + 1])
            yield reader, self.y[rows], {"train": self.train[rows], "test": self.test[rows]}


def read_labels(card: Card, readers: Sequence[TableReader]) -> tuple[ReadLabels, list[str]]:
    """The labels of a table, and what is wrong with them.

    A target that is missing altogether is left to the check of columns.
    """
    name = target_column(card)
    reader = readers[0]
    nothing = ReadLabels(reader.label, Labels(np.empty(0, dtype=np.float32), ()), (0,))
    if any(name not in each.schema.names for each in readers):
        return nothing, []
    try:
        column = LabelColumn(reader.schema.field(name).type)
    except DataError as error:
        return nothing, [f"{reader.label}: the target {name!r} {error}"]
    starts = [0]
    for each in readers:
        own = LabelColumn(each.schema.field(name).type)
        if own.is_text != column.is_text:
            return nothing, [
                f"{each.label}: the target {name!r} is {each.schema.field(name).type}, "
                f"in {reader.label} it is {reader.schema.field(name).type}"
            ]
        rows = starts[-1]
        for batch in each.batches([name], LABEL_BATCH_ROWS):
            column.add(batch.column(name))
            rows += batch.num_rows
        starts.append(rows)
    labels, problems = judge_labels(card, column)
    return ReadLabels(reader.label, labels, tuple(starts)), [
        f"{reader.label}: {p}" for p in problems
    ]


def judge_labels(card: Card, column: LabelColumn) -> tuple[Labels, list[str]]:
    """Labels in the form that the card's task wants, and the problems of that."""
    values = column.values
    target, task = card.target, card.task
    name = target_column(card)
    problems = _value_problems(card, column, values)
    if task == "regression":
        if column.is_text:
            problems.append(f"the target {name!r} is text; `task: regression` needs numbers")
        with np.errstate(over="ignore"):
            return Labels(values.astype(np.float32), ()), problems
    if target is not None and target.above is not None:
        if column.is_text:
            problems.append(f"the target {name!r} is text; `above` needs numbers")
        labels = threshold_labels(target.column, target.above, values)
    else:
        labels = class_labels(column, values)
        if column.is_rounded:
            problems.append(
                f"the target {name!r} has whole numbers of 2^53 or more, which cannot be told "
                f"apart as numbers; turn them into text in the file"
            )
            return labels, problems
    return labels, problems + _class_problems(name, task, labels)


def _value_problems(card: Card, column: LabelColumn, values: NDArray[np.float64]) -> list[str]:
    name, rows = target_column(card), len(values)
    if rows == 0:
        return ["there are no rows; give a file that has some"]
    problems = []
    missing = int(np.isnan(values).sum())
    drops = card.target is not None and card.target.missing == "drop"
    if missing == rows:
        problems.append(f"the target {name!r} is missing in all {rows:,} rows; name another column")
    elif missing and not drops:
        problems.append(
            f"the target {name!r} is missing in {missing:,} of {rows:,} rows; {MISSING_REMEDY}"
        )
    with np.errstate(over="ignore"):
        unfit = int(np.isinf(values.astype(np.float32)).sum())
    if unfit and not column.is_text:
        problems.append(
            f"the target {name!r} is infinite, or beyond what float32 holds, "
            f"in {unfit:,} rows; remove these rows"
        )
    return problems


def _class_problems(name: str, task: str, labels: Labels) -> list[str]:
    known = labels.known
    present = [label for label, count in class_counts(labels, known) if count]
    if not known.any():
        return []
    if len(present) == 1:
        return [
            f"the target {name!r} has one class only, {present[0]!r}, so there is nothing to "
            f"learn; name another column"
        ]
    if task == "binary" and len(labels.classes) > 2:
        shown = listed([repr(label) for label in labels.classes])
        return [
            f"the target {name!r} has {len(labels.classes):,} classes ({shown}); "
            f"say `task: multiclass` (`--task multiclass`)"
        ]
    if task == "multiclass" and len(labels.classes) == 2:
        return [f"the target {name!r} has two classes; say `task: binary` (`--task binary`)"]
    return []


def split_rows(card: Card, read: ReadLabels) -> SplitLabels:
    """Choose the test part by the card's rule and check that both parts can be used.

    Raises:
        DataError: a part without rows, a class that training lacks, a test part of one class.
    """
    known = read.labels.known
    test = known & _test_rows(card, read, known)
    split = SplitLabels(read.labels.y, read.labels.classes, known & ~test, test, read.starts)
    problems = list(_split_problems(read, split))
    if problems:
        raise DataError(*(f"{read.label}: {problem}" for problem in problems))
    return split


def _constant_problem(split: SplitLabels) -> Iterator[str]:
    """Of one value every library but CatBoost, which refuses it, learns in silence that value."""
    trained = split.y[split.train]
    if float(trained.min()) == float(trained.max()):
        yield (
            f"the target has one value only in the training part, {float(trained[0]):g}; there is "
            f"nothing to learn: name another column, or split otherwise"
        )


def _test_rows(card: Card, read: ReadLabels, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    labels, rule = read.labels, card.split
    chosen = np.zeros(len(known), dtype=bool)
    if rule is not None and rule.test_file is not None:
        chosen[read.starts[1] :] = True
    elif rule is not None and rule.last_rows is not None:
        chosen[np.flatnonzero(known)[-rule.last_rows :]] = True
    elif rule is not None and rule.test_share is not None and known.sum() > 1:
        classes = bool(labels.classes)
        chosen[known] = held_out_mask(labels.y[known], classes, rule.test_share, rule.seed)
    return chosen


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _split_problems(read: ReadLabels, split: SplitLabels) -> Iterator[str]:
    sizes = {"training": int(split.train.sum()), "test": int(split.test.sum())}
    empty = [part for part, rows in sizes.items() if rows == 0]
    if empty:
        yield f"the {empty[0]} part has no rows; change `split:` (`--test-share`, `--test`)"
        return
    if not split.classes:
        yield from _constant_problem(split)
        return
    absent = [
        f"{label!r} ({_rows(held_out)} in the test part)"
        for (label, trained), (_, held_out) in zip(
            class_counts(read.labels, split.train),
            class_counts(read.labels, split.test),
            strict=True,
        )
        if not trained
    ]
    if absent:
        yield (
            f"classes that the training part lacks: {listed(absent)}; "
            f"remove their rows, or split otherwise"
        )
    present = [label for label, count in class_counts(read.labels, split.test) if count]
    if len(present) == 1:
        yield (
            f"the test part holds one class only, {present[0]!r}, so no score can be computed; "
            f"hold out more rows"
        )
