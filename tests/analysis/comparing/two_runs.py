"""Two runs as they lie in journals, with changes planted in the second."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING, Any

from tests.analysis.rows import CONTROL, EXACT, HIST, LIGHTGBM, facts, sample, spec
from treebench.analysis.comparing.sides import Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

MATCHING: dict[str, Any] = {
    "machine": "aaaa",
    "allocator": {"libc": "glibc 2.36"},
    "thread_settings": {"OMP_NUM_THREADS": "2"},
    "code": "0.1.0+1234",
    "versions": {"python": "3.11.7", "xgboost": "3.1.0"},
    "threads_seen": {"libgomp-1234.so": 2},
}


def cells() -> list[CellSpec]:
    """Large enough for the floors to be passed by 10 %."""
    return [
        spec(params=HIST, rows=260_000),
        spec(params=EXACT, rows=260_000),
        spec("lightgbm", LIGHTGBM, rows=260_000),
    ]


def rows_of(
    listed: Sequence[CellSpec], n: int = 5, seed: int = 0, noise: float = 0.004, **must: Any
) -> list[SampleRow]:
    """Samples in blocks, the control cell in each."""
    draw = random.Random(seed)  # noqa: S311
    return [
        dataclasses.replace(
            sample(cell, block, draw.lognormvariate(0, noise)), must_match=MATCHING | must
        )
        for block in range(n)
        for cell in (CONTROL, *listed)
    ]


def side(
    rows: Sequence[SampleRow], listed: Sequence[CellSpec] | None = None, name: str = ""
) -> Side:
    run = facts(list(cells() if listed is None else listed))
    return Side(name or "run", tuple(rows), run)


def slower(row: SampleRow, factor: float) -> SampleRow:
    """Every phase takes so many times as long."""
    phases = {
        name: dataclasses.replace(figures, wall_ns=round((figures.wall_ns or 0) * factor))
        for name, figures in row.phases.items()
    }
    return dataclasses.replace(row, phases=phases)


def hungrier(row: SampleRow, more_bytes: int) -> SampleRow:
    """The peak of fit is so much higher."""
    fit = row.phases["fit"]
    higher = dataclasses.replace(fit, peak_rss_bytes=(fit.peak_rss_bytes or 0) + more_bytes)
    return dataclasses.replace(row, phases=row.phases | {"fit": higher})


def only(cell: CellSpec, rows: Sequence[SampleRow], change: Any) -> list[SampleRow]:
    """The rows, those of one cell changed."""
    return [change(row) if row.cell == cell.id else row for row in rows]
