"""Taking a picking's samples on this machine, each into the journal of its folder."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treebench.errors import DataError
from treebench.picking.question import SEARCH_SUFFIX
from treebench.runner.local import LocalExecutor, SampleInterrupted
from treebench.runner.steady_code import SteadyCode
from treebench.store.run_folder import write_facts

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.plan.build import PlannedCell
    from treebench.store.journal import Journal
    from treebench.store.row import SampleRow

PASSING = ("interrupted", "timeout", "error")
"""Statuses that may be others the next time: an earlier call ended these samples before their time,
or something went wrong that can be put right."""


@dataclass
class JournalTake:
    """`picking.bench.Take` on this machine. `rows` are the samples that earlier calls took and that
    can stand beside new ones, by cell; `facts` becomes `run.json`, with every cell as it comes."""

    executor: LocalExecutor
    folder: Path
    journal: Journal
    facts: dict[str, Any]
    rows: dict[str, SampleRow] = field(default_factory=dict)

    def __call__(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        """The sample's row, from before or taken now.

        Raises:
            SampleInterrupted: Ctrl-C; the interrupted sample is in the journal as such.
            RunFolderError: the journal cannot be written, or the measuring code has changed.
            DataError: the data is gone, or is other data now: no sample would fare better.
        """
        if cell.id in self.rows:
            return self.rows[cell.id]
        self._planned(cell)
        local = dataclasses.replace(
            self.executor,
            deadline_s=deadline_s,
            curve=cell.spec.dataset.endswith(SEARCH_SUFFIX),
        )
        try:
            row = SteadyCode(local, self.facts["code"]).measure(cell, 0)
        except SampleInterrupted as interrupted:
            self.journal.append(interrupted.row)
            raise
        self.journal.append(row)
        if row.error is not None and row.error.kind == DataError.__name__:
            raise DataError(
                f"the data is gone, or other than it was ({row.error.message}); the samples so far "
                f"are kept: type the same command again, which makes what is missing"
            )
        self.rows[cell.id] = row
        return row

    def _planned(self, cell: PlannedCell) -> None:
        """So that `show` and `report` know the cell."""
        cells = self.facts["plan"]["cells"]
        if all(each["id"] != cell.id for each in cells):
            cells.append(cell.to_json())
            write_facts(self.folder, self.facts)


def usable_rows(rows: list[SampleRow], facts: dict[str, Any]) -> dict[str, SampleRow]:
    """Of earlier samples those that were taken on this machine, with this software, and that would
    end as they did whatever time this call allows."""
    return {row.cell: row for row in rows if row.status not in PASSING and _same(row, facts)}


def _same(row: SampleRow, facts: dict[str, Any]) -> bool:
    match, versions = row.must_match, facts["versions"]
    return (
        match.get("machine") == facts["machine"]["fingerprint"]
        and match.get("code") == facts["code"]
        and all(versions.get(name) == held for name, held in match.get("versions", {}).items())
    )
