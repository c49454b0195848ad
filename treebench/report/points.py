"""Cells as the plain records that charts are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.analysis.axes import axis_value, held_cells
from treebench.analysis.labels import series_labels
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.summary import CellSummary, Figure

Point = dict[str, Any]


@dataclass(frozen=True)
class Selection:
    """The cells of one chart with their labels, and what else varies and is held. `references`
    are those without the chart's axis, which are the same wherever one stands on it, with theirs.
    """

    cells: tuple[CellSummary, ...]
    labels: tuple[str, ...]
    held: dict[str, float]
    references: tuple[tuple[CellSummary, str], ...] = ()

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

    def references_of(self, dataset: str) -> list[tuple[CellSummary, str]]:
        """The cells of one data set that lack the axis, with their labels."""
        return [(c, label) for c, label in self.references if c.spec.dataset == dataset]

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

    Cells without the axis (exact has no max_bin to be drawn at) are its references; data sets in
    which it does not vary stay out, save for rows.
    """
    having = [cell for cell in cells if axis is None or axis_value(cell.spec, axis) is not None]
    if axis not in (None, "rows"):
        varying = {name for name in _datasets(having) if _varies(having, axis, name)}
        having = [cell for cell in having if cell.spec.dataset in varying]
    kept, held = held_cells([cell.spec for cell in having], axis)
    chosen = [having[position] for position in kept]
    apart = {name for name in (axis, *held) if name is not None}
    lacking = [] if axis is None else _references(cells, chosen, axis, held)
    labels = series_labels([cell.spec for cell in (*chosen, *lacking)], apart)
    drawn, named = labels[: len(chosen)], labels[len(chosen) :]
    # A series drawn at other values of the axis: only its lack of one tells the two apart.
    named = [f"{each}, no {axis}" if each in drawn else each for each in named]
    return Selection(tuple(chosen), tuple(drawn), held, tuple(zip(lacking, named, strict=True)))


def _references(
    cells: Sequence[CellSummary], chosen: Sequence[CellSummary], axis: str, held: dict[str, float]
) -> list[CellSummary]:
    """Those without the axis that stand beside what was chosen: same data, threads and held
    values."""
    places = {_place(cell) for cell in chosen}
    return [
        cell
        for cell in cells
        if axis_value(cell.spec, axis) is None
        and _place(cell) in places
        and all(axis_value(cell.spec, name) in (None, value) for name, value in held.items())
    ]


def _place(cell: CellSummary) -> tuple[str, int, int, int, str]:
    spec = cell.spec
    return (spec.dataset, spec.rows, spec.features, spec.threads, spec.layout)


def held_text(held: dict[str, float]) -> str:
    """What else varies in the run, and where it is held here."""
    return ", ".join(f"{name} {units.number(value)}" for name, value in held.items())


def rows_text(cells: Sequence[CellSummary]) -> str:
    """The training rows that cells have in common, to stand in a title."""
    rows = _drawn_rows(cells)
    return f"{units.count(max(rows))} training rows" if len(rows) == 1 else "several row counts"


def _drawn_rows(cells: Sequence[CellSummary]) -> set[int]:
    return {cell.spec.rows for cell in cells if cell.n_ok}


def point(
    cell: CellSummary, label: str, figure: Figure | None, text: Callable[[float | None], str]
) -> Point | None:
    """One mark: a figure's median and interval, and what is said of it when it is pointed at; None
    where the cell has no such figure."""
    if figure is None or figure.estimate is None:
        return None
    known = figure.estimate
    low = known.median if known.interval is None else known.interval.low
    high = known.median if known.interval is None else known.interval.high
    spread = "" if known.interval is None else f", {text(low)} to {text(high)}"
    place = f"{label}, {cell.spec.layout}, {units.count(cell.spec.rows)} rows"
    return {
        "series": label,
        "layout": cell.spec.layout,
        "value": known.median,
        "low": low,
        "high": high,
        "said": f"{place}: {text(known.median)}{spread}",
    }


def _datasets(cells: Sequence[CellSummary]) -> set[str]:
    return {cell.spec.dataset for cell in cells}


def _varies(cells: Sequence[CellSummary], axis: str | None, dataset: str) -> bool:
    if axis is None:
        return True
    return len({axis_value(c.spec, axis) for c in cells if c.spec.dataset == dataset}) > 1
