"""A whole run: its cells, how far it got, how steady the machine was, what it could not do."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from treebench.analysis.control import ControlSummary, summarise_control
from treebench.analysis.counters import CellCounters, cell_counters
from treebench.analysis.hosts import hosts_of
from treebench.analysis.summary import CellSummary, summarise
from treebench.errors import TreebenchError
from treebench.plan.cell import CONTROL_TRAINER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class Refused:
    """A point of the sweep that its library cannot do. `spec` is what is known of it."""

    spec: dict[str, Any]
    reason: str


@dataclass(frozen=True)
class Collapsed:
    """A point of the sweep that its library treats as it does the cell `into`."""

    into: str
    spec: dict[str, Any]
    reason: str


@dataclass(frozen=True)
class Overview:
    """Everything a table or a report is made from.

    `cells` are in the order planned, without the control cell. `facts` is what `run.json` says.
    `memory_rows` are the samples of kind `memory` by cell, `counted_rows` those, of any kind,
    that counted events; `timed_rows` those that `cells` sum up. `planned_samples` and
    `missing_samples` are of every kind, without the control cell's.
    """

    name: str
    facts: Mapping[str, Any]
    cells: tuple[CellSummary, ...]
    control: ControlSummary | None
    unsupported: tuple[Refused, ...]
    collapsed: tuple[Collapsed, ...]
    planned_samples: int
    missing_samples: int
    memory_rows: Mapping[str, Sequence[SampleRow]] = field(default_factory=dict)
    simulated_rows: Mapping[str, Sequence[SampleRow]] = field(default_factory=dict)
    counted_rows: Mapping[str, Sequence[SampleRow]] = field(default_factory=dict)
    timed_rows: Mapping[str, Sequence[SampleRow]] = field(default_factory=dict)

    @cached_property
    def ended_well(self) -> Mapping[str, Mapping[str, Sequence[SampleRow]]]:
        """The samples that ended well, by kind and cell."""
        by_kind = {"timed": self.timed_rows, "simulated": self.simulated_rows}
        return {
            kind: {cell: [row for row in rows if row.status == "ok"] for cell, rows in each.items()}
            for kind, each in by_kind.items()
        }

    def counters(self) -> dict[str, CellCounters]:
        """What was counted, by cell; a cell that counted nothing is left out."""
        found = {cell: cell_counters(rows) for cell, rows in self.counted_rows.items()}
        return {cell: one for cell, one in found.items() if one is not None}

    @property
    def finished_samples(self) -> int:
        """Samples with an outcome, good or bad; interrupted ones have none."""
        timed = sum(cell.n_ok + cell.n_failed for cell in self.cells)
        others = [*self.memory_rows.values(), *self.simulated_rows.values()]
        return timed + sum(map(_with_outcome, others))

    @property
    def is_complete(self) -> bool:
        """Whether every planned sample has an outcome."""
        return self.missing_samples == 0

    @property
    def has_figures(self) -> bool:
        """Whether any sample ended well."""
        return any(cell.n_ok for cell in self.cells)


def overview(facts: Mapping[str, Any], rows: Sequence[SampleRow]) -> Overview:
    """The overview of a run from its `run.json`, as `read_facts` gives it, and its rows.

    Raises:
        TreebenchError: the samples are of several hosts, whose figures are not to be mixed.
    """
    _refuse_several_hosts(facts["run"], rows)
    plan = facts["plan"]
    timed: dict[str, list[SampleRow]] = defaultdict(list)
    sampled: dict[str, list[SampleRow]] = defaultdict(list)
    counted: dict[str, list[SampleRow]] = defaultdict(list)
    simulated: dict[str, list[SampleRow]] = defaultdict(list)
    by_kind: dict[str, dict[str, list[SampleRow]]]
    by_kind = {"timed": timed, "memory": sampled, "simulated": simulated}
    for row in sorted(rows, key=lambda row: row.block):
        if row.counters is not None:
            counted[row.cell].append(row)
        if row.kind in by_kind:
            by_kind[row.kind][row.cell].append(row)
    specs = _specs(plan, timed)
    wanted = _samples_per_cell(facts)
    control = [row for cell in timed.values() for row in cell if _is_control(row.spec)]
    return Overview(
        name=facts["run"],
        facts=facts,
        cells=tuple(summarise(cell, spec, timed.get(cell, [])) for cell, spec in specs.items()),
        control=summarise_control(control),
        unsupported=tuple(Refused(each["spec"], each["reason"]) for each in plan["unsupported"]),
        collapsed=tuple(
            Collapsed(each["into"], each["spec"], each["reason"]) for each in plan["collapsed"]
        ),
        planned_samples=len(specs) * sum(wanted.values()),
        missing_samples=sum(
            max(0, n - _with_outcome(by_kind[kind].get(cell, ())))
            for cell in specs
            for kind, n in wanted.items()
        ),
        memory_rows=dict(sampled),
        simulated_rows=dict(simulated),
        counted_rows=dict(counted),
        timed_rows=dict(timed),
    )


def _samples_per_cell(facts: Mapping[str, Any]) -> dict[str, int]:
    """How many samples of each kind a cell has in the end. Where counters are simulated, there is
    one sample for that: its figures repeat."""
    plan = facts["plan"]
    tier = (facts.get("counters") or {}).get("tier")
    return {
        "timed": plan["samples"],
        "memory": plan.get("memory_samples", 0),
        "simulated": int(tier == "simulated"),
    }


def _refuse_several_hosts(run: str, rows: Sequence[SampleRow]) -> None:
    hosts = hosts_of(rows)
    if len(hosts) > 1:
        raise TreebenchError(
            f"{run} was taken on {len(hosts)} hosts ({', '.join(map(str, hosts))}), whose figures "
            f"are not mixed; `treebench show {run}` has a table for each"
        )


def _with_outcome(rows: Sequence[SampleRow]) -> int:
    return sum(row.status != "interrupted" for row in rows)


def _specs(
    plan: Mapping[str, Any], timed: Mapping[str, Sequence[SampleRow]]
) -> dict[str, dict[str, Any]]:
    """The cells' specs: those planned, then those that only an earlier plan had."""
    planned = {cell["id"]: cell["spec"] for cell in plan["cells"]}
    unplanned = {cell: rows[0].spec for cell, rows in timed.items() if cell not in planned}
    every = planned | unplanned
    return {cell: spec for cell, spec in every.items() if not _is_control(spec)}


def _is_control(spec: Mapping[str, Any]) -> bool:
    return bool(spec["trainer"] == CONTROL_TRAINER)
