"""Models that should be one and the same whatever the layout of their data, but are not.

An absent sparse entry is missing to XGBoost and zero to LightGBM and scikit-learn, so the layouts
of one data set can be different data to a library (xgboost#5960).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.scores import main_score

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treebench.analysis.summary import CellSummary

# The same trees give the same score to the last digits; summing in another order moves fewer.
RELATIVE_TOLERANCE = 1e-4


@dataclass(frozen=True)
class LayoutGap:
    """Cells alike in all but layout, whose scores differ. `scores` is by cell id."""

    score: str
    cells: tuple[CellSummary, ...]
    scores: dict[str, float]


def layout_gaps(cells: Iterable[CellSummary]) -> list[LayoutGap]:
    """The groups of cells whose score depends on the layout, in the order of the cells."""
    groups: dict[str, list[CellSummary]] = {}
    for cell in cells:
        groups.setdefault(_all_but_layout(cell), []).append(cell)
    gaps = (_gap(group) for group in groups.values())
    return [gap for gap in gaps if gap is not None]


def _all_but_layout(cell: CellSummary) -> str:
    spec = cell.spec.to_json()
    del spec["layout"]
    return json.dumps(spec, sort_keys=True)


def _gap(group: list[CellSummary]) -> LayoutGap | None:
    name = main_score({name: None for cell in group for name in cell.score})
    if name is None:
        return None
    medians = {cell.cell: cell.score[name].median for cell in group if name in cell.score}
    known = {cell: median for cell, median in medians.items() if median is not None}
    if len(known) < 2:
        return None
    low, high = min(known.values()), max(known.values())
    if high - low <= RELATIVE_TOLERANCE * max(abs(low), abs(high)):
        return None
    return LayoutGap(name, tuple(cell for cell in group if cell.cell in known), known)
