"""A run on several hosts, taken apart: a figure is of one host, and none is mixed from two.

Every block was taken whole on one host, so each host's part is a small run of its own, with as many
samples of each cell as it took blocks, and a control cell for its own drift.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from treebench.store.row import Kind, SampleRow
    from treebench.store.run_folder import Run


def hosts_of(rows: Iterable[SampleRow]) -> list[str | None]:
    """The hosts that took samples, by name; a run outside a cluster has the one host None.

    A profile is taken where it is asked for, be it on none of them, and is no sample of a host.
    """
    taken = (row for row in rows if row.kind != "profile")
    return sorted(dict.fromkeys(row.must_match.get("host") for row in taken), key=str)


def by_host(run: Run) -> dict[str, Run]:
    """The part of each host, by name; empty for a run outside a cluster, or without samples."""
    return {name: of_host(run, name) for name in hosts_of(run.rows) if name is not None}


def of_host(run: Run, host: str) -> Run:
    """What `host` took, as a run of its own: on its machine, with the blocks that it has begun."""
    rows = [row for row in run.rows if row.must_match.get("host") == host]
    return dataclasses.replace(run, facts=_facts_of(run.facts, host, rows), rows=rows)


def _facts_of(facts: Mapping[str, Any], host: str, rows: Sequence[SampleRow]) -> dict[str, Any]:
    its: Mapping[str, Any] = (facts.get("hosts") or {}).get(host, {})
    plan = {
        **facts["plan"],
        "samples": _blocks(rows, "timed"),
        "memory_samples": _blocks(rows, "memory"),
    }
    name = f"{facts['run']} on {host}"
    return {**facts, **its, "run": name, "plan": plan, "counters": _counters(facts, rows)}


def _counters(facts: Mapping[str, Any], rows: Sequence[SampleRow]) -> dict[str, Any] | None:
    """Simulated samples are one block, of one host; the others have none to miss."""
    counters: dict[str, Any] | None = facts.get("counters")
    if counters is None or counters["tier"] != "simulated" or _blocks(rows, "simulated"):
        return counters
    elsewhere = {"simulated": "they are of another host of the run"}
    return {**counters, "tier": None, "absent": {**counters["absent"], **elsewhere}}


def _blocks(rows: Sequence[SampleRow], kind: Kind) -> int:
    return len({row.block for row in rows if row.kind == kind})
