"""From a config to a plan: which cells are run, which cannot be, which are the same."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from treebench.config.expand import Candidate, candidates
from treebench.config.variants import Setting
from treebench.data.manifest import Split
from treebench.errors import ConfigError
from treebench.plan.cell import CONTROL_TRAINER, CellSpec
from treebench.plan.problem import cardinalities_of, problem_of, without_idle_categorical
from treebench.plan.threads import check_jobs, resolve_threads
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Unsupported, filled, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.config.model import SweepConfig
    from treebench.data.manifest import Layout, Manifest
    from treebench.trainers.base import Problem, Trainer


@dataclass(frozen=True)
class PlannedCell:
    """A cell to run: what identifies it, and what its trainer makes of it.

    `problem` is the data as the trainer meets it, `cardinalities` those of the stored columns:
    the two differ where categories are one-hot encoded on the way. The control cell has no
    problem.
    """

    spec: CellSpec
    problem: Problem | None
    native: dict[str, Any]
    warm_up_native: dict[str, Any] = field(default_factory=dict)
    cardinalities: dict[int, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The cell's id."""
        return self.spec.id

    def to_json(self) -> dict[str, Any]:
        """The cell as it stands in `run.json`."""
        return {
            "id": self.id,
            "spec": self.spec.to_json(),
            "native": self.native,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class UnsupportedCell:
    """A point of the sweep that its library cannot do, and why."""

    spec: CellSpec
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The cell as it stands in `run.json`."""
        return {"spec": self.spec.to_json(), "reason": self.reason}


@dataclass(frozen=True)
class CollapsedCell:
    """A point of the sweep that the library would treat as a cell already planned."""

    into: str
    stated: dict[str, Any]
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The cell as it stands in `run.json`."""
        return {"into": self.into, "spec": self.stated, "reason": self.reason}


@dataclass
class Plan:
    """All that a sweep will do, and all that it will not."""

    samples: int
    order_seed: int
    deadline_s: float
    control: PlannedCell
    cells: dict[str, PlannedCell] = field(default_factory=dict)
    unsupported: list[UnsupportedCell] = field(default_factory=list)
    collapsed: list[CollapsedCell] = field(default_factory=list)
    memory_samples: int = 0

    def cell(self, cell_id: str) -> PlannedCell:
        """The cell of an id, the control cell included."""
        return self.control if cell_id == self.control.id else self.cells[cell_id]

    def to_json(self) -> dict[str, Any]:
        """The plan as it stands in `run.json`."""
        return {
            "samples": self.samples,
            "memory_samples": self.memory_samples,
            "order_seed": self.order_seed,
            "deadline_s": self.deadline_s,
            "control": self.control.to_json(),
            "cells": [cell.to_json() for cell in self.cells.values()],
            "unsupported": [cell.to_json() for cell in self.unsupported],
            "collapsed": [cell.to_json() for cell in self.collapsed],
        }


def build_plan(config: SweepConfig, manifests: Mapping[str, Manifest]) -> Plan:
    """The plan of a config, given what is known of its data sets.

    Raises:
        ConfigError: rows, features or threads that are not there to be had; all are listed.
    """
    plan = Plan(
        samples=config.samples,
        order_seed=config.order_seed,
        deadline_s=config.deadline,
        control=control_cell(1),
        memory_samples=config.memory_samples,
    )
    problems: dict[str, None] = {}
    for candidate in candidates(config):
        manifest = manifests[candidate.dataset]
        candidate, found = _possible(candidate, manifest, config.oversubscribe)
        problems.update(dict.fromkeys(found))
        try:
            _place(plan, candidate, manifest, config.oversubscribe, config.curve)
        except ConfigError as error:
            problems.update(dict.fromkeys(error.problems))
    if problems:
        raise ConfigError(*problems)
    plan.control = control_cell(max((cell.spec.threads for cell in plan.cells.values()), default=1))
    return plan


def planned_again(spec: CellSpec, manifest: Manifest) -> PlannedCell | None:
    """The cell of an earlier plan, planned from its spec alone; None where that comes to another
    cell now: its data set, its library or treebench has changed what is made of it."""
    setting = Setting(spec.trainer, spec.params, spec.extra, spec.layout, spec.threads)
    candidate = Candidate(
        dataset=spec.dataset,
        rows=spec.rows,
        features=spec.features,
        layout=spec.layout,
        threads=spec.threads,
        setting=setting,
        memory_limit_bytes=spec.memory_limit_bytes,
        validation_share=spec.validation_share,
    )
    plan = Plan(samples=1, order_seed=0, deadline_s=0.0, control=control_cell(1))
    if not _size_problems(candidate, manifest):
        _place(plan, candidate, manifest, oversubscribe=True)
    return plan.cells.get(spec.id)


def control_cell(threads: int) -> PlannedCell:
    """The fixed cell that opens every block: a numpy sort on as many threads as the sweep's cells
    use at most, since a machine may be steady for one thread and not for two."""
    spec = CellSpec(
        dataset="none",
        data_sha256="",
        rows=0,
        features=0,
        layout="dense-c",
        trainer=CONTROL_TRAINER,
        params={},
        extra={},
        threads=threads,
    )
    return PlannedCell(spec, None, {"threads": threads})


def _possible(
    candidate: Candidate, manifest: Manifest, oversubscribe: bool
) -> tuple[Candidate, list[str]]:
    """The candidate and its problems; where it has some, and so nothing will be run, what can be
    had in the place of it, whose further problems are looked for."""
    found = _size_problems(candidate, manifest)
    if found:
        candidate = dataclasses.replace(candidate, rows=None, features=None, validation_share=None)
    try:
        resolve_threads(candidate.threads, oversubscribe)
    except ConfigError as error:
        found += error.problems
        candidate = dataclasses.replace(candidate, threads="all")
    return candidate, found


def _size_problems(candidate: Candidate, manifest: Manifest) -> list[str]:
    found = []
    name = candidate.dataset
    if candidate.rows is not None and candidate.rows > manifest.train_rows:
        found.append(
            f"rows is {candidate.rows:,}, but the training part of {name} has "
            f"{manifest.train_rows:,}; lower it, or write all"
        )
    elif candidate.validation_share is not None:
        split = manifest.split_problem(Split(candidate.rows, candidate.validation_share))
        found += [] if split is None else [split]
    if candidate.features is not None and candidate.features > manifest.n_features:
        found.append(
            f"features is {candidate.features:,}, but {name} has {manifest.n_features:,}; "
            f"lower it, or write all"
        )
    return found


def _place(
    plan: Plan,
    candidate: Candidate,
    manifest: Manifest,
    oversubscribe: bool,
    curve: bool = False,
) -> None:
    """Put a candidate where it belongs: among the cells, the unsupported or the collapsed."""
    threads = resolve_threads(candidate.threads, oversubscribe)
    setting = candidate.setting
    trainer = TRAINERS[setting.trainer]
    stated = Params(**setting.params, threads=threads, extra=setting.extra)
    params = without_idle_categorical(stated, manifest, candidate)
    problem = problem_of(candidate, manifest, params)
    # Where training takes one thread, a cell for each number of them would be one cell many times.
    spec = _spec(candidate, manifest, threads if trainer.parallel else 1, params.stated())
    resolved = resolve(trainer, params, problem)
    if isinstance(resolved, Unsupported):
        plan.unsupported.append(UnsupportedCell(spec, resolved.reason))
        return
    check_jobs(resolved.params.get("n_jobs"), oversubscribe)
    cell = PlannedCell(
        spec=dataclasses.replace(spec, params=resolved.params),
        problem=problem,
        native=resolved.native,
        warm_up_native=warm_up_native(trainer, params, problem),
        cardinalities=cardinalities_of(candidate, manifest),
        notes=(*resolved.notes, *(_curve_notes(trainer) if curve else ())),
    )
    if cell.id in plan.cells:
        idle = stated.categorical is not None and params.categorical is None
        reason = _why_alike(resolved.dropped, idle_categorical=idle)
        plan.collapsed.append(CollapsedCell(cell.id, spec.to_json(), reason))
    else:
        plan.cells[cell.id] = cell


def _curve_notes(trainer: Trainer) -> list[str]:
    """What of a curve cannot be had."""
    if not trainer.stages:
        return [f"no curve but its last point: {trainer.no_stages}"]
    return [] if trainer.clocks_iterations else [f"a curve without times: {trainer.no_clock}"]


def _why_alike(dropped: tuple[str, ...], *, idle_categorical: bool) -> str:
    """Why a point of the sweep comes to a cell that is planned already."""
    said = [*dropped]
    if idle_categorical:
        said.append("categorical has no meaning here: no column used is categorical")
    return "; ".join(said) or "it comes to the same values as a point written before it"


def warm_up_native(trainer: Trainer, params: Params, problem: Problem) -> dict[str, Any]:
    """What the worker warms up with: one tree on a few numeric columns, so without all that
    speaks of this data's columns."""
    bare = dataclasses.replace(filled(trainer, params), n_estimators=1, extra={})
    return trainer.native(bare, dataclasses.replace(problem, cardinalities={}))


def _spec(
    candidate: Candidate, manifest: Manifest, threads: int, params: dict[str, Any]
) -> CellSpec:
    return CellSpec(
        dataset=candidate.dataset,
        data_sha256=manifest.identity_sha256,
        rows=candidate.rows or manifest.train_rows,
        features=candidate.features or manifest.n_features,
        layout=cast("Layout", candidate.layout),
        trainer=candidate.setting.trainer,
        params=params,
        extra=candidate.setting.extra,
        threads=threads,
        memory_limit_bytes=candidate.memory_limit_bytes,
        validation_share=candidate.validation_share,
    )
