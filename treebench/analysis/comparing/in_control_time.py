"""Times against the control cell of their own block, so that a machine's speed falls out of them.

A sample's times are divided by the control cell's in the same block, and multiplied by one
reference for both sides, so that they stay times and the usual floors can be held against them.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from treebench.plan.cell import CONTROL_TRAINER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from treebench.store.row import PhaseFigures, SampleRow

_Block = tuple[str | None, int]
"""Host and number: numbers of blocks are a run's, but every block is of one host."""


def control_times(rows: Iterable[SampleRow]) -> dict[_Block, int]:
    """Nanoseconds of the control cell's fit, by block; without those that it has no time of."""
    return {
        _block(row): figures.wall_ns
        for row in rows
        if row.spec["trainer"] == CONTROL_TRAINER
        and row.status == "ok"
        and (figures := row.phases.get("fit")) is not None
        and figures.wall_ns
    }


def in_control_time(
    rows: Sequence[SampleRow], control: Mapping[_Block, int], reference_ns: float
) -> list[SampleRow]:
    """The rows with wall times as if the control cell took `reference_ns` in every block; those
    that ended well in a block without a control cell are left out."""
    return [
        row if row.status != "ok" else _scaled(row, reference_ns / control[_block(row)])
        for row in rows
        if row.status != "ok" or _block(row) in control
    ]


def _block(row: SampleRow) -> _Block:
    return (row.must_match.get("host"), row.block)


def _scaled(row: SampleRow, factor: float) -> SampleRow:
    phases = {name: _scaled_phase(figures, factor) for name, figures in row.phases.items()}
    return dataclasses.replace(row, phases=phases)


def _scaled_phase(figures: PhaseFigures, factor: float) -> PhaseFigures:
    if figures.wall_ns is None:
        return figures
    return dataclasses.replace(figures, wall_ns=round(figures.wall_ns * factor))
