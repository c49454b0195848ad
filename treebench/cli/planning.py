"""From a config's name to a plan whose data is there: the first half of `plan` and `run`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.errors import NothingMeasuredError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.config.model import SweepConfig
    from treebench.data.manifest import Manifest
    from treebench.plan.build import Plan


@dataclass(frozen=True)
class Planned:
    """A config, its data and its plan; `chosen` are the ids that `--only` leaves."""

    config: SweepConfig
    folders: Mapping[str, Path]
    manifests: Mapping[str, Manifest]
    plan: Plan
    chosen: frozenset[str]


def plan_config(name: str, overrides: list[str] | None, only: str | None) -> Planned:
    """Load, make what data is missing, and plan.

    Raises:
        TreebenchError: see `config.load`, `runner.prepare` and `plan.build`.
    """
    from treebench.config.load import load_config
    from treebench.trainers.registry import TRAINERS

    return plan_checked(load_config(name, overrides or [], tuple(TRAINERS)), only)


def plan_checked(config: SweepConfig, only: str | None = None) -> Planned:
    """Make what data is missing for a config, and plan.

    Raises:
        TreebenchError: see `runner.prepare` and `plan.build`.
    """
    from treebench.config.expand import wanted_rows, wanted_splits
    from treebench.plan.build import build_plan
    from treebench.plan.only import matcher
    from treebench.runner.prepare import ensure_data, read_manifests

    matches = matcher(only) if only else lambda spec: True
    folders = ensure_data(wanted_rows(config), wanted_splits(config))
    manifests = read_manifests(folders)
    plan = build_plan(config, manifests)
    chosen = frozenset(cell_id for cell_id, cell in plan.cells.items() if matches(cell.spec))
    return Planned(config, folders, manifests, plan, chosen)


def refuse_empty_choice(planned: Planned, config: str) -> None:
    """Say so where `--only` leaves nothing of a sweep that has cells.

    Raises:
        NothingMeasuredError: no cell is left.
    """
    if planned.plan.cells and not planned.chosen:
        raise NothingMeasuredError(
            f"{config}: --only leaves none of its {len(planned.plan.cells)} cells; "
            f"`treebench plan {shlex.quote(config)}` lists them"
        )


def warn_of_room(planned: Planned) -> None:
    """Say on stderr which cells' memory-mapped data will lie on disk, or nowhere; and which may not
    fit the memory."""
    from treebench.cli.estimating import warn_of_memory
    from treebench.report.preflight import room_warnings

    warn_of_memory(planned)

    cells = [planned.plan.cells[cell] for cell in planned.plan.cells if cell in planned.chosen]
    for line in room_warnings(cells, planned.manifests):
        sys.stderr.write(f"{line}\n")
