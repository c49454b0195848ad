"""What would be simulated alike is simulated once."""

from __future__ import annotations

import dataclasses

import pytest

from tests.plan.test_reduce import planned
from tests.runner.fakes import Rows, SilentProgress, plan, row
from treebench.analysis.counters import cell_counters
from treebench.measure.counters import Choice
from treebench.plan.build import PlannedCell
from treebench.runner.local import LocalExecutor
from treebench.runner.simulated import (
    SimulatedExecutor,
    missing_simulated,
    rows_needed,
    taken_simulated,
)
from treebench.runner.sweep import run_sweep
from treebench.store.row import SampleRow, Status

SHARES = (0.1, 0.1)


class Simulations(list[str]):
    """The small copies that were simulated, by id; each ends with `status`."""

    status: Status = "ok"

    def measure(self, _executor: LocalExecutor, cell: PlannedCell, block: int) -> SampleRow:
        self.append(cell.id)
        taken = row(cell, block, self.status, "simulated")
        counters = {"tier": "simulated", "reduced": {"rows": cell.spec.rows}, "phases": {}}
        return dataclasses.replace(taken, counters=counters)


@pytest.fixture
def simulations(monkeypatch: pytest.MonkeyPatch) -> Simulations:
    kept = Simulations()
    monkeypatch.setattr(LocalExecutor, "measure", lambda *told: kept.measure(*told))
    return kept


def limited(cell: PlannedCell, limit_bytes: int) -> PlannedCell:
    return dataclasses.replace(
        cell, spec=dataclasses.replace(cell.spec, memory_limit_bytes=limit_bytes)
    )


def executor(taken: dict[str, SampleRow] | None = None) -> SimulatedExecutor:
    local = LocalExecutor("run", {}, 60.0, {"fingerprint": "f"}, "code")
    return SimulatedExecutor(local, local, Choice("simulated"), *SHARES, taken or {})


FREE = planned("lightgbm", {}, threads=1)
ALIKE = [FREE, limited(FREE, 2**30), planned("lightgbm", {}, threads=2)]
OTHER = planned("lightgbm", {"max_bin": 63})


def test_what_trains_in_other_processes_is_refused_with_a_reason_and_takes_no_sample(
    simulations: Simulations,
) -> None:
    """Callgrind would count the parent alone: figures of a forest without its trees."""
    forest = planned("loky-forest-memmap", {"n_jobs": 2})
    sweep = plan(forest)
    (kept,) = simulate([forest])
    assert simulations == []
    assert (kept.status, kept.kind) == ("unsupported", "simulated")
    assert kept.error is not None
    assert "callgrind does not follow" in kept.error.message
    found = cell_counters([kept])
    assert found is not None
    assert found.missing == dict.fromkeys(("construct", "fit", "predict"), kept.error.message)
    assert rows_needed(sweep, set(sweep.cells), *SHARES) == {}
    assert missing_simulated(sweep, [kept], set(sweep.cells), True) == []


def simulate(cells: list[PlannedCell], taken: dict[str, SampleRow] | None = None) -> Rows:
    sweep, rows = plan(*cells), Rows()
    missing = missing_simulated(sweep, [], set(sweep.cells), False)
    run_sweep(missing, executor(taken), rows, SilentProgress())
    return rows


def test_cells_that_differ_in_threads_or_limit_alone_share_a_simulation(
    simulations: Simulations,
) -> None:
    rows = simulate([*ALIKE, OTHER])
    assert len(simulations) == len(set(simulations)) == 2
    assert {(one.cell, one.spec["threads"]) for one in rows} == {
        (cell.id, cell.spec.threads) for cell in (*ALIKE, OTHER)
    }
    alike = [one for one in rows if one.cell != OTHER.id]
    first, *others = alike
    assert first.counters is not None
    assert "shared_with" not in first.counters
    for other in others:
        assert other.counters is not None
        assert other.counters["shared_with"] == first.cell
        assert other.counters["reduced"] | {"rows_share": 0.1} == other.counters["reduced"]


def test_a_run_that_goes_on_does_not_simulate_anew(simulations: Simulations) -> None:
    earlier = simulate(ALIKE[:1])
    taken = taken_simulated(plan(*ALIKE), earlier, *SHARES)
    rows = simulate(ALIKE[1:], taken)
    assert len(simulations) == 1
    assert [one.counters and one.counters["shared_with"] for one in rows] == [FREE.id] * 2


def test_a_failure_is_not_handed_on(simulations: Simulations) -> None:
    simulations.status = "timeout"
    rows = simulate(ALIKE)
    assert [one.status for one in rows] == ["timeout"] * 3
    assert len(simulations) == 3
    assert taken_simulated(plan(*ALIKE), rows, *SHARES) == {}
