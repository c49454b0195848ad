"""Samples of one state of the measuring code: every worker reads the sources anew, so an edit in
the middle of a sweep would give figures of two programs under one name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treebench.errors import RunFolderError
from treebench.runner.code_version import code_version

if TYPE_CHECKING:
    from treebench.plan.build import PlannedCell
    from treebench.runner.sweep import Executor
    from treebench.store.row import Kind, SampleRow


@dataclass(frozen=True)
class SteadyCode:
    """Takes samples through `executor`, and looks after each whether the code is still `code`."""

    executor: Executor
    code: str

    def of_kind(self, kind: Kind) -> SteadyCode:
        """The same for samples of another kind."""
        return replace(self, executor=self.executor.of_kind(kind))

    def measure(self, cell: PlannedCell, block: int) -> SampleRow:
        """Take one sample.

        Raises:
            RunFolderError: the code changed since the run began. The sample is not to be kept:
                nobody knows which code took it.
            SampleInterrupted: Ctrl-C.
        """
        row = self.executor.measure(cell, block)
        now = code_version()
        if now != self.code:
            raise RunFolderError(
                f"treebench's measuring code changed during the run (it was {self.code}, now "
                f"{now}); the samples before that are kept: put it back and type the same command "
                f"again to go on, or add --fresh to start anew"
            )
        return row
