"""A figure of a cell over the nights: each night's median, and how far chance may have moved it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from treebench.history.parts import figure_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from treebench.history.parts import History

_OF_MEDIAN = 1.2533
"""The standard error of a median of normal samples is that of the mean times sqrt(pi / 2)."""


@dataclass(frozen=True)
class Series:
    """A figure of a cell, a place for each night that has it, in order. `nights` are places in the
    history's nights, `conditions` in its conditions; `errors` the standard error of each median by
    the spread within its night, NaN for one sample."""

    cell: str
    figure: str
    nights: NDArray[np.intp]
    medians: NDArray[np.float64]
    errors: NDArray[np.float64]
    conditions: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.nights)

    def kept(self, which: NDArray[np.bool_]) -> Series:
        """Some of its nights."""
        return Series(
            self.cell,
            self.figure,
            self.nights[which],
            self.medians[which],
            self.errors[which],
            self.conditions[which],
        )


def all_series(
    history: History, figures: Sequence[str], cells: Sequence[str] | None = None
) -> Iterator[Series]:
    """The series of these figures of all cells, or of `cells` alone; none that is empty."""
    held = set(history.figures)
    columns = {figure_column(name): name for name in figures if name in held}
    frame = history.samples
    which = (frame["status"] == "ok").to_numpy(dtype=bool, copy=True)
    if cells is not None:
        which &= frame["cell"].isin(list(cells)).to_numpy(dtype=bool)
    if not which.any() or not columns:
        return
    groups = _Groups.of(frame[which], len(history.nights))
    for column, figure in columns.items():
        medians, errors = groups.summarised(frame[column].to_numpy(dtype=np.float64)[which])
        for start, stop in pairwise(groups.edges):
            known = np.flatnonzero(~np.isnan(medians[start:stop])) + start
            if len(known):
                yield Series(
                    str(groups.cells[start]),
                    figure,
                    groups.nights[known],
                    medians[known],
                    errors[known],
                    groups.conditions[known],
                )


@dataclass(frozen=True)
class _Groups:
    """Samples by cell and night. `group` is that of each sample; `cells`, `nights` and `conditions`
    have a place for each group, which are sorted; `edges` are where another cell begins."""

    group: NDArray[np.intp]
    cells: NDArray[np.object_]
    nights: NDArray[np.intp]
    conditions: NDArray[np.intp]
    edges: NDArray[np.intp]

    @classmethod
    def of(cls, frame: pd.DataFrame, n_nights: int) -> _Groups:
        codes, names = frame["cell"].factorize(sort=True)
        keys = codes.astype(np.int64) * n_nights + frame["night"].to_numpy()
        found, first, group = np.unique(keys, return_index=True, return_inverse=True)
        owner = found // n_nights
        edges = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1], True])
        conditions = frame["conditions"].to_numpy()[first].astype(np.intp)
        listed = np.asarray(names, dtype=object)[owner]
        return cls(group, listed, (found % n_nights).astype(np.intp), conditions, edges)

    def summarised(
        self, values: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The median of each group and its standard error; NaN where it has no value, or one."""
        known = ~np.isnan(values)
        group, values = self.group[known], values[known]
        order = np.lexsort((values, group))
        ordered = values[order]
        counts = np.bincount(group, minlength=len(self.nights))
        starts = np.cumsum(counts) - counts
        medians = np.full(len(counts), np.nan)
        filled = np.flatnonzero(counts)
        low = ordered[starts[filled] + (counts[filled] - 1) // 2]
        high = ordered[starts[filled] + counts[filled] // 2]
        medians[filled] = low + (high - low) / 2
        return medians, self._errors(group, values, counts)

    @staticmethod
    def _errors(
        group: NDArray[np.intp], values: NDArray[np.float64], counts: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        errors = np.full(len(counts), np.nan)
        several = counts > 1
        means = np.bincount(group, values, len(counts)) / np.maximum(counts, 1)
        squares = np.bincount(group, (values - means[group]) ** 2, len(counts))
        n = counts[several]
        errors[several] = _OF_MEDIAN * np.sqrt(squares[several] / (n - 1) / n)
        return errors
