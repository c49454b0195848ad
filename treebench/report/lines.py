"""The cells of a run as lines of a table: named, and in the order asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.labels import series_labels
from treebench.analysis.scores import lower_is_better, main_score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.overview import Overview
    from treebench.analysis.summary import CellSummary, Figure


@dataclass(frozen=True)
class Line:
    """A cell and the label of its series."""

    cell: CellSummary
    label: str

    @property
    def score_name(self) -> str | None:
        """The score that speaks for the cell's model."""
        return main_score(self.cell.score)

    @property
    def score(self) -> Figure | None:
        """That score's figure."""
        return None if self.score_name is None else self.cell.score[self.score_name]

    @property
    def place(self) -> str:
        """Where in the sweep the cell is, in words."""
        spec = self.cell.spec
        return f"{spec.dataset}, {spec.rows:,} rows, {spec.layout}, {self.label}"


def lines(run: Overview) -> list[Line]:
    """A line for each cell, in the order planned."""
    labels = series_labels([cell.spec for cell in run.cells])
    return [Line(cell, label) for cell, label in zip(run.cells, labels, strict=True)]


SORT_KEYS: dict[str, Callable[[Line], float | str | None]] = {
    "rows": lambda line: line.cell.spec.rows,
    "time": lambda line: line.cell.construct_fit_wall_ns.median,
    "total": lambda line: line.cell.total_wall_ns.median,
    "memory": lambda line: line.cell.peak_rss_bytes.median,
    "data": lambda line: line.cell.data_bytes.median,
    "container": lambda line: line.cell.container_retained_bytes.median,
    "fit": lambda line: line.cell.fit_growth_bytes.median,
    "score": lambda line: _goodness(line),
    "spread": lambda line: _spread(line),
    "features": lambda line: line.cell.spec.features,
    "threads": lambda line: line.cell.spec.threads,
    "series": lambda line: line.label,
    "layout": lambda line: line.cell.spec.layout,
}
"""What `--sort` takes. Smallest first, save the score: best first."""


def by_dataset(listed: Sequence[Line], sort: str, *, reverse: bool) -> dict[str, list[Line]]:
    """The lines of each data set, sorted; a line without the figure comes last either way."""
    grouped: dict[str, list[Line]] = {}
    for line in listed:
        grouped.setdefault(line.cell.spec.dataset, []).append(line)
    return {name: _sorted(group, sort, reverse) for name, group in grouped.items()}


def _sorted(group: list[Line], sort: str, reverse: bool) -> list[Line]:
    key = SORT_KEYS[sort]
    # Ties keep this order: by layout, then the fastest first.
    ordered = sorted(group, key=lambda line: (line.cell.spec.layout, _time_or_last(line)))
    known = [(value, line) for line in ordered if (value := key(line)) is not None]
    unknown = [line for line in ordered if key(line) is None]
    known.sort(key=lambda pair: pair[0], reverse=reverse)
    return [line for _, line in known] + unknown


def _time_or_last(line: Line) -> float:
    median = line.cell.construct_fit_wall_ns.median
    return float("inf") if median is None else median


def _goodness(line: Line) -> float | None:
    name, figure = line.score_name, line.score
    if name is None or figure is None or figure.median is None:
        return None
    return figure.median if lower_is_better(name) else -figure.median


def _spread(line: Line) -> float | None:
    known = line.cell.construct_fit_wall_ns.estimate
    return None if known is None else known.spread_percent
