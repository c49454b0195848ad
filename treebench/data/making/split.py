"""Which rows are the test part, which make a subset of the training part, and which validate.

All come from one ranking of rows: a seeded shuffle within each class, then the classes merged in
proportion. Any prefix of the ranking is stratified, so subsets are nested by construction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# One stream of random numbers for each use of a seed.
_TEST, _SUBSET, _VALIDATION = 1, 2, 3


def held_out_mask(
    labels: NDArray[np.float32], stratify: bool, share: float, seed: int
) -> NDArray[np.bool_]:
    """Which rows are held out: shape (rows,), true for round(`share` * rows) rows.

    With `stratify`, `labels` are classes; each class gives its share rounded to the nearest row, or
    one beside it, so a class with a single row stays in training. At least one row is held out and
    at least one is kept, given two.
    """
    rows = len(labels)
    wanted = min(max(round(share * rows), 1), rows - 1)
    order = _ranking(labels, stratify, seed, _TEST, offset=0.5)
    mask = np.zeros(rows, dtype=bool)
    mask[order[:wanted]] = True
    return mask


def subset_mask(
    labels: NDArray[np.float32], stratify: bool, rows: int, seed: int
) -> NDArray[np.bool_]:
    """Which rows of the training part a subset of `rows` rows holds: shape (all rows,).

    With `stratify`, a class of n among N rows gets `rows` * n / N of them, give or take
    1 + k n / N for k classes; with at least as many rows as classes, every class is there.
    """
    order = _ranking(labels, stratify, seed, _SUBSET, offset=0.0)
    mask = np.zeros(len(labels), dtype=bool)
    mask[order[:rows]] = True
    return mask


def validation_mask(
    labels: NDArray[np.float32], stratify: bool, rows: int, seed: int
) -> NDArray[np.bool_]:
    """Which rows of a training part are held out to validate: shape (all rows,), true for `rows`.

    With `stratify`, classes are in proportion, and every class keeps a row to train on, if `rows`
    leaves as many as there are classes.
    """
    order = _ranking(labels, stratify, seed, _VALIDATION, offset=0.5, keep_one=True)
    mask = np.zeros(len(labels), dtype=bool)
    mask[order[:rows]] = True
    return mask


def _ranking(
    labels: NDArray[np.float32],
    stratify: bool,
    seed: int,
    stream: int,
    offset: float,
    *,
    keep_one: bool = False,
) -> NDArray[np.intp]:
    """All rows, such that every prefix holds the classes in proportion. With `keep_one` the last
    row of each class comes after all others.

    Row number p (from 0) of a shuffled class of n rows has the key (p + offset) / n: the share of
    its class that is used up before it. Equal keys are in random order, which favours no class.
    """
    draws = np.random.Philox(key=[seed, stream]).random_raw(len(labels))
    if not stratify:
        return np.argsort(draws, kind="stable")
    shuffled = np.lexsort((draws, labels))
    _, starts, counts = np.unique(labels[shuffled], return_index=True, return_counts=True)
    place = np.arange(len(labels)) - np.repeat(starts, counts)
    keys = np.empty(len(labels), dtype=np.float64)
    keys[shuffled] = (place + offset) / np.repeat(counts, counts)
    if keep_one:
        keys[shuffled[starts + counts - 1]] = np.inf
    return np.lexsort((draws, keys))
