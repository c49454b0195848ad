"""From a config's name to a plan whose data is there: the first half of `plan` and `run`."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.errors import ConfigError, DataError, NothingMeasuredError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
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
        ConfigError: with one line for each thing that is wrong, in the file, in `--set` and
            `--only`, with the data sets and for this machine, before any data is made.
        TreebenchError: see `runner.prepare`.
    """
    from treebench.config.load import examined_file
    from treebench.trainers.registry import TRAINERS

    found = examined_file(name, overrides or [], tuple(TRAINERS))
    problems = [*found.problems, *_problems_of_only(only), *_problems_of_sets(found.sets)]
    if problems or found.config is None:
        further = [] if found.config is None else _problems_of_sizes(found.config, found.where)
        raise ConfigError(*dict.fromkeys([*problems, *further]))
    try:
        return plan_checked(found.config, only)
    except ConfigError as error:
        raise ConfigError(*(f"{found.where}: {line}" for line in error.problems)) from None


def _problems_of_only(only: str | None) -> Sequence[str]:
    from treebench.plan.only import matcher

    try:
        matcher(only) if only else None
    except ConfigError as error:
        return error.problems
    return ()


def _problems_of_sets(names: Sequence[str]) -> list[str]:
    """What is wrong with the cards of data sets, all of them."""
    from treebench.data.cards import find_card

    problems: list[str] = []
    for name in names:
        try:
            find_card(name)
        except DataError as error:
            problems += error.problems
    return problems


def _problems_of_sizes(config: SweepConfig, where: str) -> list[str]:
    """What the plan of a config would refuse, as far as its data sets are made already."""
    from treebench.plan.build import build_plan

    manifests = _made_manifests({name for entry in config.data for name in entry.set})
    kept = [
        entry.model_copy(update={"set": tuple(name for name in entry.set if name in manifests)})
        for entry in config.data
    ]
    data = tuple(entry for entry in kept if entry.set)
    try:
        build_plan(config.model_copy(update={"data": data}), manifests)
    except ConfigError as error:
        return [f"{where}: {line}" for line in error.problems]
    return []


def _made_manifests(names: Iterable[str]) -> dict[str, Manifest]:
    from treebench.data.making.make import made_folder
    from treebench.data.manifest import read_manifest

    manifests: dict[str, Manifest] = {}
    for name in names:
        try:
            folder = made_folder(name)
        except DataError:
            continue  # told already: see _problems_of_sets
        if folder is not None:
            manifests[name] = read_manifest(folder)
    return manifests


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
    """Say on stderr which cells' memory-mapped data will lie on disk, or nowhere; which may not fit
    the memory; and that the machine is busy."""
    from treebench.cli.estimating import warn_of_memory
    from treebench.machine.cpus import usable_cores
    from treebench.report.preflight import busy_warnings, room_warnings

    for line in busy_warnings(os.getloadavg()[0], usable_cores()):
        sys.stderr.write(f"{line}\n")
    warn_of_memory(planned)

    cells = [planned.plan.cells[cell] for cell in planned.plan.cells if cell in planned.chosen]
    for line in room_warnings(cells, planned.manifests):
        sys.stderr.write(f"{line}\n")
