"""Cells as the plain records that charts are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.analysis.axes import axis_value, held_cells
from treebench.analysis.labels import series_labels
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.summary import CellSummary, Figure

Point = dict[str, Any]


@dataclass(frozen=True)
class Selection:
    """The cells of one chart with their labels, and what else varies and is held."""

    cells: tuple[CellSummary, ...]
    labels: tuple[str, ...]
    held: dict[str, float]

    @property
    def datasets(self) -> list[str]:
        """The data sets, in order."""
        return list(dict.fromkeys(cell.spec.dataset for cell in self.cells))

    @property
    def layouts(self) -> list[str]:
        """The layouts, in order."""
        return list(dict.fromkeys(cell.spec.layout for cell in self.cells))

    def of(self, dataset: str) -> list[tuple[CellSummary, str]]:
        """The cells of one data set with their labels."""
        pairs = zip(self.cells, self.labels, strict=True)
        return [(cell, label) for cell, label in pairs if cell.spec.dataset == dataset]

    def row_name(self, cell: CellSummary, label: str) -> str:
        """The name of a bar: the series, with layout and rows where there are several."""
        said = [label]
        if len(self.layouts) > 1:
            said.append(cell.spec.layout)
        if len(_drawn_rows([other for other, _ in self.of(cell.spec.dataset)])) > 1:
            said.append(f"{units.short_count(cell.spec.rows)} rows")
        return ", ".join(said)


def select(cells: Sequence[CellSummary], axis: str | None) -> Selection:
    """The cells to draw against `axis`, or (None) against nothing.

    Cells without the axis stay out (exact has no max_bin to be drawn at), and so do data sets in
    which it does not vary, save for rows.
    """
    having = [cell for cell in cells if axis is None or axis_value(cell.spec, axis) is not None]
    if axis not in (None, "rows"):
        having = [cell for cell in having if _varies(having, axis, cell.spec.dataset)]
    kept, held = held_cells([cell.spec for cell in having], axis)
    chosen = [having[position] for position in kept]
    apart = {name for name in (axis, *held) if name is not None}
    labels = series_labels([cell.spec for cell in chosen], apart)
    return Selection(tuple(chosen), tuple(labels), held)


def held_text(held: dict[str, float]) -> str:
    """What else varies in the run, and where it is held here."""
    return ", ".join(f"{name} {units.number(value)}" for name, value in held.items())


def rows_text(cells: Sequence[CellSummary]) -> str:
    """The training rows that cells have in common, to stand in a title."""
    rows = _drawn_rows(cells)
    return f"{units.count(max(rows))} training rows" if len(rows) == 1 else "several row counts"


def _drawn_rows(cells: Sequence[CellSummary]) -> set[int]:
    return {cell.spec.rows for cell in cells if cell.n_ok}


def point(cell: CellSummary, label: str, figure: Figure | None) -> Point | None:
    """One mark: a figure's median and interval; None where the cell has no such figure."""
    if figure is None or figure.estimate is None:
        return None
    known = figure.estimate
    return {
        "series": label,
        "layout": cell.spec.layout,
        "value": known.median,
        "low": known.median if known.interval is None else known.interval.low,
        "high": known.median if known.interval is None else known.interval.high,
    }


def _varies(cells: Sequence[CellSummary], axis: str | None, dataset: str) -> bool:
    if axis is None:
        return True
    return len({axis_value(c.spec, axis) for c in cells if c.spec.dataset == dataset}) > 1
