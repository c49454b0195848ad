"""A machine whose nights, samples and re-runs are made, for the tests of `treebench nightly`."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.comparing.two_runs import MATCHING, slower
from tests.analysis.rows import CONTROL, sample
from tests.cli.test_show import call
from treebench.analysis.comparing.runs import compare_runs
from treebench.analysis.comparing.sides import Side
from treebench.history.settling import NotRerun
from treebench.store.journal import Journal
from treebench.store.run_folder import write_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treebench.cli.planning import Planned
    from treebench.store.row import SampleRow

    Change = Callable[[SampleRow], SampleRow]

CONFIG = """
name: tiny
data: {set: wine, rows: [100]}
samples: 3
reference: {trainer: xgboost, method: hist, n_estimators: 5, max_leaves: 4}
variants:
  - {trainer: lightgbm}
"""
MACHINE = "fingerprint0"
Text = pytest.CaptureFixture[str]


class World:
    """A machine whose nights are made: `change` is what tonight does to a sample, `rerun` what a
    re-run does to tonight's side, and `refusal` why there can be none."""

    def __init__(self) -> None:
        self.now = datetime.datetime(2026, 3, 1, 1, tzinfo=datetime.UTC)
        self.machine = MACHINE
        self.versions = {"xgboost": "3.1.0"}
        self.change: Change = lambda row: row
        self.rerun: Change = lambda row: row
        self.refusal: str | None = None
        self.left_out: frozenset[str] = frozenset()
        self.samples = 3
        self.reruns: list[tuple[str, ...]] = []
        self.plans: list[Planned] = []

    def take(
        self, planned: Planned, folder: Path, facts: dict[str, Any], retry_failed: bool
    ) -> None:
        self.plans.append(planned)
        folder.mkdir(parents=True, exist_ok=True)
        write_facts(folder, facts)
        with Journal(folder / "samples.jsonl") as journal:
            for block in range(self.samples):
                for row in self._block(planned, block):
                    journal.append(self.change(row))

    def _block(self, planned: Planned, block: int) -> Iterator[SampleRow]:
        noise = 1 + 0.002 * ((7 * block + self.now.day) % 5 - 2)
        must = MATCHING | {"machine": self.machine, "versions": self.versions}
        cells = {CONTROL.id: CONTROL} | {c: planned.plan.cells[c].spec for c in planned.chosen}
        for cell, spec in cells.items():
            if cell not in self.left_out:
                # Long enough for changes of a few percent to pass the floor of times.
                made = slower(sample(spec, block, noise), 1000 if cell != CONTROL.id else 1)
                yield replace(made, cell=cell, must_match=must)

    def reruns_of(self, config: Any, folder: Path, night: Any) -> Any:
        def rerun(cells: Any, good: Any, rounds: int) -> Any:
            self.reruns.append((*cells, good.name))
            if self.refusal is not None:
                return NotRerun(self.refusal)
            planned = self.plans[-1]
            blocks = [self._block(planned, block) for block in range(rounds)]
            rows = [row for block in blocks for row in block if row.cell in cells]
            after = [self.rerun(row) for row in rows]
            return compare_runs(Side("before", tuple(rows)), Side("after", tuple(after)))

        return rerun

    def night(self, *more: str) -> int:
        code = call("nightly", "tiny.yaml", "--history", "kept", *more)
        self.now += datetime.timedelta(days=1)
        return code

    def nights(self, n: int) -> None:
        for _ in range(n):
            assert self.night() == 0


def of_trainer(trainer: str, change: Change) -> Change:
    return lambda row: change(row) if row.spec["trainer"] == trainer else row
