"""Samples on this machine that are kept nowhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from treebench.measure import environment
from treebench.runner.code_version import code_version
from treebench.runner.local import LocalExecutor

if TYPE_CHECKING:
    from treebench.cli.pick_data import PickData
    from treebench.plan.build import PlannedCell
    from treebench.store.row import SampleRow


class LocalTake:
    """`picking.bench.Take` without a journal."""

    def __init__(self, data: PickData) -> None:
        self._executor = LocalExecutor(
            run="rival",
            folders={data.name: data.folder, f"{data.name}.search": data.search_folder},
            deadline_s=0.0,
            machine=environment.machine(),
            code=code_version(),
        )

    def __call__(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        return replace(self._executor, deadline_s=deadline_s).measure(cell, 0)
