"""A run on several hosts is taken apart, and never averaged over them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.rows import CONTROL, sample, spec
from treebench.analysis.hosts import by_host, hosts_of, of_host
from treebench.analysis.overview import overview
from treebench.errors import TreebenchError
from treebench.store.row import SampleRow
from treebench.store.run_folder import Run

A, B = spec(), spec("lightgbm")
HOSTS = ("left", "left", "right")


def by(host: str, one: SampleRow) -> SampleRow:
    return dataclasses.replace(one, must_match={**one.must_match, "host": host})


def facts(samples: int = 3, tier: str | None = None) -> dict[str, Any]:
    cells = [{"id": one.id, "spec": one.to_json(), "native": {}, "notes": []} for one in (A, B)]
    return {
        "run": "r",
        "machine": {"cpu": "the client's"},
        "hosts": {name: {"machine": {"cpu": name}} for name in ("left", "right")},
        "counters": {"tier": tier, "absent": {}},
        "plan": {
            "samples": samples,
            "memory_samples": 0,
            "cells": cells,
            "unsupported": [],
            "collapsed": [],
        },
    }


def run(tier: str | None = None) -> Run:
    rows = [
        by(host, sample(one, block)) for block, host in enumerate(HOSTS) for one in (CONTROL, A, B)
    ]
    return Run(Path("r"), facts(tier=tier), rows)


def test_each_host_has_its_own_samples_machine_and_control() -> None:
    parts = by_host(run())
    assert list(parts) == ["left", "right"]
    left = overview(parts["left"].facts, parts["left"].rows)
    assert left.name == "r on left"
    assert left.facts["machine"] == {"cpu": "left"}
    assert [cell.n_ok for cell in left.cells] == [2, 2]
    assert left.control is not None
    assert len(left.control.fit_wall_ns.values) == 2
    assert left.is_complete
    right = overview(parts["right"].facts, parts["right"].rows)
    assert [cell.n_ok for cell in right.cells] == [1, 1]
    assert right.is_complete


def test_a_host_in_the_middle_of_a_block_is_not_complete() -> None:
    whole = run()
    part = of_host(dataclasses.replace(whole, rows=whole.rows[:-1]), "right")
    assert overview(part.facts, part.rows).missing_samples == 1


def test_hosts_are_never_mixed_unseen() -> None:
    both = run()
    with pytest.raises(TreebenchError, match=r"taken on 2 hosts \(left, right\)"):
        overview(both.facts, both.rows)


def test_simulated_samples_of_another_host_are_not_missing_here() -> None:
    both = run("simulated")
    more = [by("right", dataclasses.replace(sample(one, 0), kind="simulated")) for one in (A, B)]
    parts = by_host(dataclasses.replace(both, rows=[*both.rows, *more]))
    assert overview(parts["left"].facts, parts["left"].rows).is_complete
    assert parts["right"].facts["counters"]["tier"] == "simulated"
    assert "another host" in parts["left"].facts["counters"]["absent"]["simulated"]


def test_a_run_outside_a_cluster_is_one_without_a_name() -> None:
    rows = [sample(A, 0), sample(B, 0)]
    assert hosts_of(rows) == [None]
    assert by_host(Run(Path("r"), facts(), rows)) == {}
