"""A figure of a cell over the nights: each night's median, and how far chance may have moved it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

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
    frame = frame[frame["status"] == "ok"]
    if cells is not None:
        frame = frame[frame["cell"].isin(list(cells))]
    if frame.empty or not columns:
        return
    grouped = frame.groupby(["cell", "night"], observed=True, sort=True)
    medians = grouped[list(columns)].median()
    errors = _OF_MEDIAN * grouped[list(columns)].std(ddof=1) / grouped[list(columns)].count() ** 0.5
    names = medians.index.get_level_values("cell").to_numpy()
    nights = _places(medians.index.get_level_values("night"))
    conditions = _places(grouped["conditions"].first())
    bounds = np.flatnonzero(np.r_[True, names[1:] != names[:-1], True])
    for column, figure in columns.items():
        values, spreads = _floats(medians[column]), _floats(errors[column])
        for start, stop in pairwise(bounds):
            known = np.flatnonzero(~np.isnan(values[start:stop])) + start
            if len(known):
                yield Series(
                    str(names[start]),
                    figure,
                    nights[known],
                    values[known],
                    spreads[known],
                    conditions[known],
                )


def _floats(column: pd.Series[Any]) -> NDArray[np.float64]:
    return column.to_numpy(dtype=np.float64)


def _places(column: pd.Series[Any] | pd.Index[Any]) -> NDArray[np.intp]:
    return column.to_numpy().astype(np.intp)
