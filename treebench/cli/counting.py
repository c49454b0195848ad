"""The counters of a run: which tier, and the samples that are simulated after the timed ones."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treebench.cli.planning import Planned
    from treebench.measure.counters import Choice
    from treebench.runner.local import LocalExecutor
    from treebench.runner.sweep import Executor, Wanted
    from treebench.store.row import SampleRow


def chosen_counters(planned: Planned) -> Choice:
    """The tier for what the config wishes."""
    from treebench.measure.counters import choose

    return choose(planned.config.counters)


def tell(choice: Choice) -> None:
    """Say on stderr which tier is taken, and why no better one."""
    from treebench.measure.counters import in_words

    for line in in_words(choice):
        sys.stderr.write(f"{line}\n")


def with_simulated(
    planned: Planned,
    choice: Choice,
    local: LocalExecutor,
    rows: list[SampleRow],
    retry_failed: bool,
) -> tuple[Executor, list[Wanted]]:
    """The executor of the run, and the simulated samples that are missing; their small training
    parts are made. They are none in any other tier."""
    from treebench.runner.prepare import ensure_data
    from treebench.runner.simulated import SimulatedExecutor, missing_simulated, rows_needed

    if choice.tier != "simulated":
        return local, []
    shares = planned.config.simulation
    missing = missing_simulated(planned.plan, rows, planned.chosen, retry_failed)
    ids = {wanted.cell.id for wanted in missing}
    folders = ensure_data(rows_needed(planned.plan, ids, shares.rows, shares.trees))
    small = dataclasses.replace(local, folders=folders)
    return SimulatedExecutor(local, small, choice, shares.rows, shares.trees), missing
