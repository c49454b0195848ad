"""Runs whose figures grow as a test says, with noise of a known size."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.analysis.rows import HIST, LIGHTGBM, facts, phase, row, spec
from treebench.analysis.curves.curve import Curve, curves
from treebench.analysis.figures import figure_named
from treebench.analysis.overview import overview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from treebench.analysis.overview import Overview
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

MS = 10**6
SIZES = (10_000, 20_000, 40_000, 80_000, 160_000, 320_000)
FIT_TIME = figure_named("fit_time")

Cost = "Callable[[CellSpec], float]"


def grown_rows(
    cells: Iterable[CellSpec],
    fit_ns: Callable[[CellSpec], float],
    samples: int = 5,
    noise: float = 0.02,
    **more: Any,
) -> list[SampleRow]:
    """Samples whose fit takes `fit_ns` of the cell, times noise of that relative size."""
    made = []
    for cell in cells:
        draw = random.Random(cell.id)  # noqa: S311
        for block in range(samples):
            wall = int(fit_ns(cell) * draw.lognormvariate(0, noise))
            made.append(row(cell, block, phases={"fit": phase(wall)}, **more))
    return made


def grown_run(
    cells: Iterable[CellSpec], fit_ns: Callable[[CellSpec], float], **more: Any
) -> Overview:
    listed = list(cells)
    return overview(facts(listed), grown_rows(listed, fit_ns, **more))


def hist(rows: int = 20_000, **params: Any) -> CellSpec:
    return spec("xgboost", HIST | params, rows=rows)


def lightgbm(rows: int = 20_000, **more: Any) -> CellSpec:
    return spec("lightgbm", dict(LIGHTGBM), rows=rows, **more)


def only_curve(run: Overview, axis: str = "rows", figure: str = "fit_time") -> Curve:
    (found,) = curves(run, axis, figure_named(figure))
    return found


def stepped(rows: int, at: int = 200_000) -> float:
    """Linear up to `at`, then a third cheaper and flatter."""
    return 30.0 * rows * MS / 1000 if rows <= at else 20.0 * at**0.5 * rows**0.5 * MS / 1000
