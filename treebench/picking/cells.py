"""From a point to a cell: what `plan` would make of it, or why it cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treebench.config.load import checked
from treebench.picking.space import Holding, Point, stated
from treebench.plan.build import Plan, PlannedCell, build_plan
from treebench.trainers.registry import TRAINERS
from treebench.written.size import spelled

if TYPE_CHECKING:
    from treebench.config.model import SweepConfig
    from treebench.data.manifest import Manifest
    from treebench.picking.question import Question


@dataclass(frozen=True)
class Size:
    """At which fidelity a point is tried: rows, trees (None: its own number) and the learner's
    seed. `search` says whether on the search set, or on the whole data with its test part;
    `limit_bytes` is enforced where it is not None."""

    rows: int
    trees: int | None = None
    seed: int = 0
    search: bool = True
    limit_bytes: int | None = None


@dataclass
class Cells:
    """Plans points, each once."""

    question: Question
    _planned: dict[tuple[Point, Holding, Size], PlannedCell | str] = field(default_factory=dict)

    def cell(self, point: Point, holding: Holding, size: Size) -> PlannedCell | str:
        """The cell, or the reason why its library cannot train it."""
        key = (point, holding, size)
        if key not in self._planned:
            self._planned[key] = self._plan(*key)
        return self._planned[key]

    def full(self, point: Point, holding: Holding) -> PlannedCell | str:
        """The cell on the whole data, as it would be used."""
        return self.cell(point, holding, Size(self.question.rows, search=False))

    def written(self, point: Point, holding: Holding, size: Size) -> dict[str, Any]:
        """The config of that one cell, as a person would write it for `treebench run`."""
        question = self.question
        trees = point.values.get("n_estimators")
        if size.trees is not None and trees is not None:
            point = point.with_values(n_estimators=min(int(trees), size.trees))
        name = question.search_dataset if size.search else question.dataset
        available = question.search_rows if size.search else question.rows
        return {
            # Not the name of the picking's own folder, where a run of this config would not fit.
            "name": f"picked-{question.dataset}"[:100],
            "data": {"set": name, "rows": "all" if size.rows == available else size.rows},
            "layout": holding.layout,
            "threads": question.threads,
            **({} if size.limit_bytes is None else {"memory_limit": spelled(size.limit_bytes)}),
            **({"curve": True} if size.search else {}),
            "reference": stated(point, holding, size.seed),
        }

    def config(self, point: Point, holding: Holding, size: Size) -> SweepConfig:
        """The same, checked.

        Raises:
            ConfigError: more threads or rows than there are.
        """
        return checked(self.written(point, holding, size), "pick", tuple(TRAINERS))

    def plan(self, point: Point, holding: Holding, size: Size) -> Plan:
        """The plan of the one cell."""
        return build_plan(self.config(point, holding, size), self.manifests)

    @property
    def manifests(self) -> dict[str, Manifest]:
        """Both sets by name."""
        question = self.question
        return {
            question.dataset: question.manifest,
            question.search_dataset: question.search_manifest,
        }

    def _plan(self, point: Point, holding: Holding, size: Size) -> PlannedCell | str:
        plan = self.plan(point, holding, size)
        if plan.unsupported:
            return plan.unsupported[0].reason
        return next(iter(plan.cells.values()))
