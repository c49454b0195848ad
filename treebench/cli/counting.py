"""The counters of a run: which tier, and the samples that are simulated after the timed ones."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.cli.planning import Planned
    from treebench.measure.counters import Choice
    from treebench.runner.local import LocalExecutor
    from treebench.runner.sweep import Executor, Wanted
    from treebench.store.row import SampleRow

_PASSES = 3
"""Copies of which the best counts: a second or so, where `doctor` takes its time."""


def chosen_counters(planned: Planned) -> Choice:
    """The tier for what the config wishes."""
    from treebench.measure.counters import choose

    return choose(planned.config.counters)


def tell(choice: Choice) -> None:
    """Say on stderr which tier is taken, and why no better one."""
    from treebench.measure.counters import in_words

    for line in in_words(choice):
        sys.stderr.write(f"{line}\n")


def refuse_what_cannot_be_small(planned: Planned, choice: Choice) -> None:
    """Before a folder is made, let alone a sample taken.

    Raises:
        ConfigError: a trainer cannot do so few rows or trees as would be simulated.
    """
    from treebench.runner.simulated import rows_needed

    if choice.tier == "simulated":
        shares = planned.config.simulation
        rows_needed(planned.plan, planned.chosen, shares.rows, shares.trees)


def copy_bandwidth_for(choice: Choice, folder: Path, fingerprint: str) -> dict[str, Any] | None:
    """How fast this machine copies memory, as `run.json` keeps it, where hardware counters are to
    be held against it; said on stderr. A run that goes on has what it measured at its start."""
    if choice.tier != "hardware":
        return None
    kept = _kept_copy_bandwidth(folder, fingerprint)
    if kept is not None:
        return kept
    from treebench.measure.copy_bandwidth import copy_bandwidth
    from treebench.measure.hardware import hardware
    from treebench.report.memory_bound_text import copy_words

    measured = asdict(copy_bandwidth(hardware().last_level_bytes, _PASSES))
    measured["bytes_per_s"] = {str(n): rate for n, rate in measured["bytes_per_s"].items()}
    said = measured["reason"] or copy_words(measured)
    sys.stderr.write(f"copy bandwidth: {said}\n")
    return measured


def _kept_copy_bandwidth(folder: Path, fingerprint: str) -> dict[str, Any] | None:
    from treebench.store.run_folder import FACTS_NAME, START_ANEW, read_facts

    if not (folder / FACTS_NAME).exists():
        return None
    earlier = read_facts(folder, START_ANEW)
    kept: dict[str, Any] | None = earlier.get("copy_bandwidth")
    same_machine = earlier["machine"].get("fingerprint") == fingerprint
    return kept if same_machine and kept is not None and kept.get("reason") is None else None


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
    from treebench.runner.simulated import (
        SimulatedExecutor,
        missing_simulated,
        rows_needed,
        taken_simulated,
    )

    if choice.tier != "simulated":
        return local, []
    shares = planned.config.simulation
    missing = missing_simulated(planned.plan, rows, planned.chosen, retry_failed)
    ids = {wanted.cell.id for wanted in missing}
    folders = ensure_data(rows_needed(planned.plan, ids, shares.rows, shares.trees))
    small = dataclasses.replace(local, folders=folders)
    taken = taken_simulated(planned.plan, rows, shares.rows, shares.trees)
    return SimulatedExecutor(local, small, choice, shares.rows, shares.trees, taken), missing
