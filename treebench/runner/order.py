"""What a host of a cluster is asked to do, and what it answers: JSON objects both ways.

An order has a key `do`: `ask` (what is this host), `prepare` (make the data sets ready) or
`sample`. An answer has `problem`, a line for people, or what was asked for: `facts`, nothing, or
`row`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treebench.data.manifest import Split
from treebench.plan.build import PlannedCell
from treebench.plan.cell import CellSpec
from treebench.trainers.base import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.runner.sweep import Wanted


@dataclass(frozen=True)
class DataWanted:
    """A data set that a host must have: its identity, the row counts asked for, and of which of
    them a validation part is held out."""

    data_sha256: str
    rows: tuple[int, ...]
    splits: tuple[Split, ...] = ()


@dataclass(frozen=True)
class Orders:
    """All that the orders of one run have in common."""

    run: str
    code: str
    deadline_s: float
    latency: bool = False
    curve: bool = False
    counters_wanted: str = "none"
    counters: dict[str, Any] = field(default_factory=lambda: {"tier": None, "absent": {}})
    simulation: dict[str, float] = field(default_factory=dict)
    distributions: tuple[str, ...] = ()
    data: Mapping[str, DataWanted] = field(default_factory=dict)

    def ask(self) -> dict[str, Any]:
        """What is this host, and what can it count?"""
        return {
            "do": "ask",
            "counters_wanted": self.counters_wanted,
            "distributions": list(self.distributions),
        }

    def prepare(self) -> dict[str, Any]:
        """Have these data sets, and no others of their names."""
        return {
            "do": "prepare",
            "data": {name: dataclasses.asdict(wanted) for name, wanted in self.data.items()},
        }

    def sample(self, wanted: Wanted, host: str) -> dict[str, Any]:
        """Take this sample, as `host`."""
        return {
            "do": "sample",
            "host": host,
            "run": self.run,
            "code": self.code,
            "deadline_s": self.deadline_s,
            "latency": self.latency,
            "curve": self.curve,
            "counters": self.counters,
            "simulation": self.simulation,
            "kind": wanted.kind,
            "block": wanted.block,
            "cell": dataclasses.asdict(wanted.cell),
        }


def cell_of(raw: Mapping[str, Any]) -> PlannedCell:
    """The cell in an order; JSON made text of the keys that were numbers, and lists of
    tuples."""
    problem = raw["problem"]
    return PlannedCell(
        spec=CellSpec(**raw["spec"]),
        problem=None if problem is None else Problem(**_whole(problem)),
        native=raw["native"],
        warm_up_native=raw["warm_up_native"],
        cardinalities=_whole(raw)["cardinalities"],
        notes=tuple(raw["notes"]),
    )


def data_of(cells: Sequence[PlannedCell]) -> dict[str, DataWanted]:
    """The data sets that cells need; the control cell needs none."""
    specs = [cell.spec for cell in cells if not cell.spec.is_control]
    return {
        name: DataWanted(
            next(spec.data_sha256 for spec in specs if spec.dataset == name),
            tuple(sorted({spec.rows for spec in specs if spec.dataset == name})),
            tuple(sorted({s for spec in specs if spec.dataset == name for s in splits_of(spec)})),
        )
        for name in dict.fromkeys(spec.dataset for spec in specs)
    }


def splits_of(spec: CellSpec) -> list[Split]:
    """What a cell's data set must be split into; nothing without a validation part."""
    share = spec.validation_share
    return [] if share is None else [Split(spec.rows, share)]


def _whole(raw: Mapping[str, Any]) -> dict[str, Any]:
    cardinalities = {int(key): value for key, value in raw["cardinalities"].items()}
    tuples = {name: tuple(value) for name, value in raw.items() if isinstance(value, list)}
    return {**raw, **tuples, "cardinalities": cardinalities}
