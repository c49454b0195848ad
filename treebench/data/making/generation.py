"""Draws generated rows, chunk by chunk.

A chunk has a fixed number of rows and a random stream of its own, keyed by seed, part and chunk
number. So rows do not depend on how they are batched, and a shorter set begins a longer one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from treebench.data.making.batches import Batch, PartName, Prepared, SparseBatch, WideBatch
from treebench.data.making.signal import MOST_SPARSE_TERMS, MOST_TERMS, signal, sparse_signal
from treebench.data.manifest import Feature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from treebench.data.manifest import Task
    from treebench.data.sources.generate import Generate

    Stream = Literal["train", "test", "pilot", "effects"]

CHUNK_BYTES = 4 << 20
MOST_CHUNK_ROWS = 8_192
FEWEST_CHUNK_ROWS = 64
PILOT_ROWS = 16_384
_STREAMS: dict[Stream, int] = {"train": 1, "test": 2, "pilot": 3, "effects": 4}


@dataclass(frozen=True)
class Drawn:
    """One chunk: its rows (labels still zero), the informative columns, and noise (draws, rows)."""

    rows: Batch
    informative: list[NDArray[np.float64]]
    noise: NDArray[np.float64]


@dataclass(frozen=True)
class Labeller:
    """From informative columns to labels. `scale` makes the signals' deviation 1.

    Binary: 1 above `threshold`. Multiclass: the class with the greatest of as many signals.
    """

    task: Task
    scale: float
    threshold: float
    noise: float
    signals: Callable[[list[NDArray[np.float64]], int], NDArray[np.float64]]
    n_signals: int

    def scores(self, drawn: Drawn) -> NDArray[np.float64]:
        """Signals with their noise, shape (signals, rows)."""
        width = len(drawn.informative)
        firsts = [(i * max(1, width // self.n_signals)) % width for i in range(self.n_signals)]
        clean = [self.signals(drawn.informative, first) * self.scale for first in firsts]
        return np.stack(clean) + self.noise * drawn.noise

    def label(self, drawn: Drawn) -> NDArray[np.float32]:
        """The labels of a chunk, shape (rows,)."""
        scores = self.scores(drawn)
        if self.task == "multiclass":
            return np.asarray(scores.argmax(axis=0), dtype=np.float32)
        if self.task == "binary":
            return np.asarray(scores[0] > self.threshold, dtype=np.float32)
        return np.asarray(scores[0], dtype=np.float32)


def prepare_generated(source: Generate, task: Task) -> Prepared:
    """The facts of a generated set; its rows are drawn while they are streamed."""
    draw = _sparse_chunk if source.density is not None else _wide_chunk
    labeller = _labeller(source, task, draw)
    sizes: dict[PartName, int] = {"train": source.rows, "test": source.test_rows}

    def batches(batch_rows: int) -> Iterator[tuple[PartName, Batch]]:
        for part, rows in sizes.items():
            for chunk in _chunks(source, part, rows, draw, labeller):
                for start in range(0, chunk.rows, batch_rows):
                    yield part, chunk.cut(start, min(start + batch_rows, chunk.rows))

    sparse = source.density is not None
    return Prepared(
        task=task,
        classes=_classes(source, task),
        target="label" if task != "regression" else "y",
        storage="sparse-rows" if sparse else "wide",
        n_features=source.features,
        rows=source.rows + source.test_rows,
        batches=batches,
        features=() if sparse else _features(source),
        row_entries=float(entries_per_row(source)) if sparse else 0.0,
    )


def entries_per_row(source: Generate) -> int:
    """Entries that each sparse row stores: the density's share of the width, at least one."""
    return max(1, round((source.density or 0.0) * source.features))


def chunk_rows(source: Generate) -> int:
    """Rows of a chunk, fixed by what a row takes."""
    width = source.features if source.density is None else 2 * entries_per_row(source)
    return max(FEWEST_CHUNK_ROWS, min(MOST_CHUNK_ROWS, CHUNK_BYTES // (4 * width)))


def _chunks(
    source: Generate,
    stream: Stream,
    rows: int,
    draw: Callable[[Generate, np.random.Generator, int], Drawn],
    labeller: Labeller,
) -> Iterator[Batch]:
    size = chunk_rows(source)
    for number, start in enumerate(range(0, rows, size)):
        drawn = draw(source, _random(source.seed, stream, number), size)
        drawn.rows.y[:] = labeller.label(drawn)
        yield drawn.rows.cut(0, min(size, rows - start))


def _random(seed: int, stream: Stream, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed << 3 | _STREAMS[stream], number]))


def _labeller(
    source: Generate, task: Task, draw: Callable[[Generate, np.random.Generator, int], Drawn]
) -> Labeller:
    """Scale and threshold, from a pilot sample of its own."""
    signals = sparse_signal if source.density is not None else signal
    plain = Labeller(task, 1.0, 0.0, 0.0, signals, source.classes or 1)
    size = chunk_rows(source)
    pilots = [
        draw(source, _random(source.seed, "pilot", number), size)
        for number in range(math.ceil(PILOT_ROWS / size))
    ]
    clean = np.concatenate([plain.scores(pilot)[0] for pilot in pilots])
    scale = 1.0 / _deviation(clean)
    scaled = Labeller(task, scale, 0.0, source.noise, signals, plain.n_signals)
    noisy = np.sort(np.concatenate([scaled.scores(pilot)[0] for pilot in pilots]))
    threshold = float(noisy[int((1.0 - source.positive) * len(noisy))])
    return Labeller(task, scale, threshold, source.noise, signals, plain.n_signals)


def _deviation(values: NDArray[np.float64]) -> float:
    # fsum is exact, while numpy's order of summation depends on the processor.
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((values - mean) ** 2) / len(values)) or 1.0


def _wide_chunk(source: Generate, random: np.random.Generator, rows: int) -> Drawn:
    """Uniform numbers in [-1, 1); the first columns are categories, frequent ones first."""
    columns = random.random((source.features, rows), dtype=np.float32)
    n_categories = len(source.cardinalities)
    informative = []
    for i, cardinality in enumerate(source.cardinalities):
        uniform = columns[i].astype(np.float64)
        codes = (cardinality * (uniform * uniform)).astype(np.int64)
        columns[i] = codes
        if i < MOST_TERMS:
            informative.append(_effects(source.seed, i, cardinality)[codes])
    columns[n_categories:] = columns[n_categories:] * np.float32(2) - np.float32(1)
    plain = range(n_categories, min(source.features, MOST_TERMS))
    informative += [columns[i].astype(np.float64) for i in plain]
    y = np.zeros(rows, dtype=np.float32)
    return Drawn(WideBatch(columns, y), informative, _noise(source, random, rows))


def _effects(seed: int, column: int, cardinality: int) -> NDArray[np.float64]:
    """What each category of a column stands for: a number in [-1, 1)."""
    return _random(seed, "effects", column).random(cardinality) * 2.0 - 1.0


def _sparse_chunk(source: Generate, random: np.random.Generator, rows: int) -> Drawn:
    """One entry in each of as many strata of columns as a row has entries.

    Strata widen with the cube of their number, so that the first columns are the frequent ones, as
    with words; entries ascend, and none repeats.
    """
    bounds = _strata(source.features, entries_per_row(source))
    widths = np.diff(bounds)
    place = random.random((rows, len(widths)), dtype=np.float32).astype(np.float64)
    indices = (bounds[:-1] + np.minimum((place * widths).astype(np.int64), widths - 1)).astype(
        np.int32
    )
    # In (0, 1]: a stored entry is never zero.
    values = np.float32(1) - random.random((rows, len(widths)), dtype=np.float32)
    batch = SparseBatch(
        np.full(rows, len(widths), dtype=np.int32),
        indices.ravel(),
        values.ravel(),
        np.zeros(rows, dtype=np.float32),
    )
    return Drawn(batch, _dense_head(source, indices, values), _noise(source, random, rows))


def _strata(width: int, strata: int) -> NDArray[np.int64]:
    """Ascending bounds, `strata` + 1 of them, each stratum at least one column wide."""
    number = np.arange(strata + 1, dtype=np.int64)
    cubic = [width * n**3 // strata**3 for n in number.tolist()]
    widened = np.maximum.accumulate(np.array(cubic) - number) + number
    return np.minimum(widened, width - strata + number)


def _dense_head(
    source: Generate, indices: NDArray[np.int32], values: NDArray[np.float32]
) -> list[NDArray[np.float64]]:
    """The informative columns of sparse rows, as dense columns with 0 where nothing is stored."""
    width = min(source.features, MOST_SPARSE_TERMS)
    head = np.zeros((width, len(indices)), dtype=np.float64)
    row, place = np.nonzero(indices < width)
    head[indices[row, place], row] = values[row, place]
    return list(head)


def _noise(source: Generate, random: np.random.Generator, rows: int) -> NDArray[np.float64]:
    """Nearly normal noise of deviation 1: twice the sum of three uniforms; (signals, rows)."""
    draws = random.random((3, source.classes or 1, rows)) - 0.5
    return np.asarray(2.0 * (draws[0] + draws[1] + draws[2]), dtype=np.float64)


def _classes(source: Generate, task: Task) -> tuple[str, ...]:
    if task == "regression":
        return ()
    return tuple(str(code) for code in range(source.classes or 2))


def _features(source: Generate) -> tuple[Feature, ...]:
    categories = [Feature(f"c{i}", n) for i, n in enumerate(source.cardinalities)]
    numbers = [Feature(f"f{i}") for i in range(len(categories), source.features)]
    return (*categories, *numbers)
