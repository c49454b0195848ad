"""Reads svmlight (libsvm) text in blocks of whole lines.

scikit-learn's parser does the lines; it is given byte ranges, so that a file larger than memory can
be read. Two passes: labels, width and entries; then the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from treebench.data.making.batches import Batch, PartName, Prepared, SparseBatch
from treebench.data.making.encode import LabelColumn
from treebench.data.making.labelling import ReadLabels, judge_labels, split_rows
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from treebench.data.cards import Card
    from treebench.data.making.labelling import SplitLabels

BLOCK_BYTES = 8 << 20
# Indices are int32, here as in the made set.
MOST_FEATURES = 2**31 - 1


@dataclass
class Scan:
    """What the first pass finds in one file."""

    path: Path
    labels: list[NDArray[np.float64]]
    lowest: int
    highest: int
    entries: int
    unfit: int


def prepare_svmlight(card: Card, path: Path, test: Path | None) -> Prepared:
    """Check a file (and a test file) against its card and make the rows ready to be streamed.

    Indices that never go below 1 are taken to begin at 1, as the format's own tools write them.

    Raises:
        DataError: a line for each problem of the files, their labels and values.
    """
    scans = [scan_file(file) for file in (path, test) if file is not None]
    column = LabelColumn.of_numbers([piece for scan in scans for piece in scan.labels])
    labels, problems = judge_labels(card, column)
    problems = [f"{path}: {problem}" for problem in problems]
    if card.nonfinite == "error":
        problems += map(_unfit, filter(lambda scan: scan.unfit, scans))
    entries = sum(scan.entries for scan in scans)
    if not entries:
        problems.append(f"{path}: no row holds an entry; give a file with features")
    if problems:
        raise DataError(*problems)
    starts = np.cumsum([0, *(sum(map(len, scan.labels)) for scan in scans)]).tolist()
    split = split_rows(card, ReadLabels(str(path), labels, tuple(starts)))
    first_index = 1 if min(scan.lowest for scan in scans) >= 1 else 0
    return Prepared(
        task=card.task,
        classes=split.classes,
        target="label",
        storage="sparse-rows",
        n_features=max(scan.highest for scan in scans) + 1 - first_index,
        rows=split.rows,
        batches=partial(_batches, [scan.path for scan in scans], split, first_index),
        row_entries=entries / starts[-1],
    )


def _unfit(scan: Scan) -> str:
    return (
        f"{scan.path}: {scan.unfit:,} values are infinite or beyond ±3.4e38, which float32 "
        f"cannot hold; `nonfinite: nan` (`--nonfinite nan`) makes such values missing"
    )


def _batches(
    paths: Sequence[Path], split: SplitLabels, first_index: int, batch_rows: int
) -> Iterator[tuple[PartName, Batch]]:
    row = 0
    for block in chain.from_iterable(map(read_blocks, paths)):
        rows = slice(row, row + len(block.y))
        batch = _sparse_batch(block, split.y[rows], first_index)
        masks: dict[PartName, Any] = {"train": split.train[rows], "test": split.test[rows]}
        for part, mask in masks.items():
            chosen = batch.take(mask)
            for start in range(0, chosen.rows, batch_rows):
                yield part, chosen.cut(start, min(start + batch_rows, chosen.rows))
        row = rows.stop


@dataclass(frozen=True)
class Block:
    """Rows as they are parsed: CSR arrays with the file's own indices, and labels.

    Values beyond float32 are infinite; none is zero.
    """

    lengths: NDArray[np.int32]
    indices: NDArray[np.int64]
    values: NDArray[np.float32]
    y: NDArray[np.float64]


def read_blocks(path: Path) -> Iterator[Block]:
    """The rows of a file, some megabytes of text at a time; entries of zero are left out.

    Raises:
        DataError: the file is missing or empty, or a line is not svmlight.
    """
    if not path.is_file() or path.stat().st_size == 0:
        state = "is empty (0 bytes)" if path.is_file() else "does not exist"
        raise DataError(f"{path} {state}; write it again")
    size = path.stat().st_size
    for offset in range(0, size, BLOCK_BYTES):
        # A range gives the lines that begin in it.
        yield parsed(str(path), str(path), offset=offset, length=BLOCK_BYTES)


def parsed(source: Any, label: str, **place: int) -> Block:
    """The rows in a file (its path, or a stream of bytes), or at a `place` of it; a `qid:` is left
    out.

    Raises:
        DataError: a line is not svmlight; `label` is how it calls the file.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        # Indices are taken as they stand.
        X, y = load_svmlight_file(
            source, n_features=MOST_FEATURES, dtype=np.float64, zero_based=True, **place
        )
    except (ValueError, OverflowError) as error:
        raise DataError(
            f"{label} is not svmlight ({str(error).splitlines()[0]}); lines must read "
            f"`label index:value ...` with ascending indices"
        ) from None
    return _stored(X, y)


def scan_file(path: Path) -> Scan:
    """Labels, index range, number of entries, and values that float32 cannot hold."""
    scan = Scan(path, [], 2**62, -1, 0, 0)
    for block in read_blocks(path):
        scan.labels.append(block.y)
        if len(block.indices):
            scan.lowest = min(scan.lowest, int(block.indices.min()))
            scan.highest = max(scan.highest, int(block.indices.max()))
        scan.entries += len(block.indices)
        scan.unfit += int(np.isinf(block.values).sum())
    return scan


def _stored(X: Any, y: NDArray[np.float64]) -> Block:
    with np.errstate(over="ignore", under="ignore"):
        values = X.data.astype(np.float32)
    keep = values != 0
    ends = np.concatenate([[0], np.cumsum(keep)])[X.indptr]
    return Block(np.diff(ends).astype(np.int32), X.indices[keep].astype(np.int64), values[keep], y)


def _sparse_batch(block: Block, y: NDArray[np.float32], first_index: int) -> SparseBatch:
    values = np.where(np.isinf(block.values), np.float32(np.nan), block.values)
    return SparseBatch(block.lengths, (block.indices - first_index).astype(np.int32), values, y)
