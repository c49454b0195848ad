"""svmlight whose rows hold nearly all columns, as a wide table, from files packed as they came.

Each file is read twice, some megabytes of text at a time: for its labels, then for its rows.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from treebench.data.making.batches import Batch, PartName, Prepared, WideBatch
from treebench.data.making.encode import LabelColumn
from treebench.data.making.labelling import ReadLabels, judge_labels, split_rows
from treebench.data.making.svmlight import BLOCK_BYTES, Block, parsed
from treebench.data.manifest import Feature
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from treebench.data.cards import Card
    from treebench.data.making.packed import PackedFile

MOST_LINE_BYTES = 32 << 20


def prepare_svmlight_wide(card: Card, files: Sequence[PackedFile], width: int) -> Prepared:
    """Check the files and make their rows ready to be streamed as `width` columns.

    Indices begin at 1, as the format's own tools write them; what a row does not hold is 0.

    Raises:
        DataError: a line for each problem of the files, their labels and values.
    """
    labels = [_labels(file, width, card.nonfinite == "error") for file in files]
    column = LabelColumn.of_numbers([piece for pieces in labels for piece in pieces])
    judged, problems = judge_labels(card, column)
    if problems:
        raise DataError(*(f"{files[0].label}: {problem}" for problem in problems))
    starts = np.cumsum([0, *(sum(map(len, pieces)) for pieces in labels)]).tolist()
    split = split_rows(card, ReadLabels(files[0].label, judged, tuple(starts)))

    def batches(batch_rows: int) -> Iterator[tuple[PartName, Batch]]:
        for i, file in enumerate(files):
            row = starts[i]
            for block in _blocks(file):
                rows = slice(row, row + len(block.y))
                batch = WideBatch(_dense(block, width), split.y[rows])
                masks: dict[PartName, Any] = {"train": split.train[rows], "test": split.test[rows]}
                for part, mask in masks.items():
                    chosen = batch if mask.all() else batch.take(mask)
                    for start in range(0, chosen.rows, batch_rows):
                        yield part, chosen.cut(start, min(start + batch_rows, chosen.rows))
                row = rows.stop

    return Prepared(
        task=card.task,
        classes=split.classes,
        target="label",
        storage="wide",
        n_features=width,
        rows=split.rows,
        batches=batches,
        features=tuple(Feature(f"f{i}") for i in range(1, width + 1)),
    )


def _labels(file: PackedFile, width: int, refuse_unfit: bool) -> list[NDArray[np.float64]]:
    """The labels of a file, while indices and values are looked at."""
    labels, unfit = [], 0
    for block in _blocks(file):
        if len(block.indices) and not 1 <= block.indices.min() <= block.indices.max() <= width:
            raise DataError(
                f"{file.label} has column {_beyond(block, width)}, the card says 1 to {width:,}; "
                f"give the right file"
            )
        labels.append(block.y)
        unfit += int(np.isinf(block.values).sum())
    if unfit and refuse_unfit:
        raise DataError(
            f"{file.label}: {unfit:,} values are infinite or beyond ±3.4e38, which float32 cannot "
            f"hold; `nonfinite: nan` makes such values missing"
        )
    return labels


def _beyond(block: Block, width: int) -> int:
    highest = int(block.indices.max())
    return highest if highest > width else int(block.indices.min())


def _blocks(file: PackedFile) -> Iterator[Block]:
    """The rows of a file, some megabytes of whole lines at a time."""
    rest = b""
    with file.open() as stream:
        while text := stream.read(BLOCK_BYTES):
            lines, newline, rest = (rest + text).rpartition(b"\n")
            if len(rest) > MOST_LINE_BYTES:
                raise DataError(f"{file.label} is no text: a line has no end")
            if newline:
                yield parsed(io.BytesIO(lines), file.label)
    if rest.strip():
        yield parsed(io.BytesIO(rest), file.label)


def _dense(block: Block, width: int) -> NDArray[np.float32]:
    """Shape (width, rows)."""
    columns = np.zeros((width, len(block.y)), dtype=np.float32)
    values = np.where(np.isinf(block.values), np.float32(np.nan), block.values)
    columns[block.indices - 1, np.arange(len(block.y)).repeat(block.lengths)] = values
    return columns
