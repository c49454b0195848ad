"""Bandwidth and IPC of fits from recordings of `perf stat`, and scaling over threads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.analysis.rows import EXACT, HIST, facts, samples, spec
from treebench.analysis.counters import cell_counters
from treebench.analysis.memory_bound import FitBound, fit_bound, thread_scaling
from treebench.analysis.overview import overview
from treebench.analysis.summary import CellSummary, summarise
from treebench.measure.counters import HARDWARE_GROUPS, Choice, perf_counters
from treebench.measure.perf_output import parse
from treebench.plan.cell import CellSpec
from treebench.store.row import SampleRow

RECORDINGS = Path(__file__).parents[1] / "measure" / "perf_recordings"
CELL = spec("xgboost", EXACT, threads=2)
COPIED: dict[str, Any] = {
    "bytes_per_s": {"1": 8e9, "4": 20e9},
    "array_bytes": 128 * 2**20,
    "past_cache": True,
    "reason": None,
}


def recorded(name: str, group: int) -> dict[str, Any]:
    """A row's counters from what perf printed around fit."""
    counted = parse((RECORDINGS / name).read_text(), "", HARDWARE_GROUPS[group], "2")
    return perf_counters(Choice("hardware"), {"fit": counted})


def measured(cell: CellSpec = CELL, *counters: dict[str, Any], wall_ns: int = 1) -> list[SampleRow]:
    rows = samples(cell, max(1, len(counters)))
    fits = [replace(row.phases["fit"], wall_ns=wall_ns) for row in rows]
    rows = [
        replace(row, phases=row.phases | {"fit": fit}) for row, fit in zip(rows, fits, strict=True)
    ]
    if not counters:
        return rows
    return [replace(row, counters=one) for row, one in zip(rows, counters, strict=True)]


def bound_of(rows: list[SampleRow], copied: dict[str, Any] | None = COPIED) -> FitBound | None:
    counters = cell_counters(rows)
    assert counters is not None
    return fit_bound(summarise(CELL.id, CELL.to_json(), rows), counters, copied)


def test_recorded_counters_give_ipc_and_the_share_of_the_machines_bandwidth() -> None:
    both = recorded("hardware.jsonl", 0), recorded("hardware_caches.jsonl", 1)
    one = bound_of(measured(CELL, *both, wall_ns=15_000_000_000))
    assert one is not None
    assert one.instructions_per_cycle == pytest.approx(1.2787, abs=1e-3)
    # 118,003,125 lines of 64 bytes in 15 s.
    assert one.read_bytes_per_s == pytest.approx(503_480_000)
    assert (one.copy_threads, one.copy_bytes_per_s) == (4, 20e9)
    assert one.share_of_copy == pytest.approx(0.025174)


def test_what_was_not_counted_or_not_copied_is_unknown() -> None:
    without_misses = bound_of(measured(CELL, recorded("hardware.jsonl", 0)))
    assert without_misses is not None
    assert without_misses.read_bytes_per_s is None
    assert without_misses.share_of_copy is None
    not_copied = bound_of(measured(CELL, recorded("hardware_caches.jsonl", 1)), None)
    assert not_copied is not None
    assert not_copied.read_bytes_per_s is not None
    assert not_copied.copy_bytes_per_s is not_copied.share_of_copy is None


def test_counters_of_another_tier_say_nothing_of_it() -> None:
    simulated = recorded("hardware_caches.jsonl", 1) | {"tier": "simulated"}
    assert bound_of(measured(CELL, simulated)) is None


def test_more_threads_than_were_measured_are_held_against_the_most() -> None:
    rows = measured(CELL, recorded("hardware_caches.jsonl", 1))
    one = bound_of(rows, COPIED | {"bytes_per_s": {"1": 8e9}})
    assert one is not None
    assert one.copy_threads == 1


def summaries(*cells: CellSpec) -> dict[int, CellSummary]:
    rows = [row for cell in cells for row in samples(cell, 1)]
    return {one.spec.threads: one for one in overview(facts(list(cells)), rows).cells}


def test_scaling_is_within_cells_that_differ_in_threads_alone() -> None:
    one, four = (spec("xgboost", HIST, threads=n) for n in (1, 4))
    alone = spec("xgboost", EXACT, threads=2)
    known = summaries(one, four, alone)
    found = thread_scaling(list(known.values()))
    assert set(found) == {one.id, four.id}
    assert found[one.id].speedup == 1
    base = known[1].construct_fit_wall_ns.median
    now = known[4].construct_fit_wall_ns.median
    assert base is not None
    assert now is not None
    assert found[four.id].fewest_threads == 1
    assert found[four.id].speedup == pytest.approx(base / now)


def test_scaling_without_a_time_is_unknown() -> None:
    cells = [spec("xgboost", HIST, threads=n) for n in (1, 2)]
    run = overview(facts(cells), samples(cells[1], 1))
    assert [each.speedup for each in thread_scaling(run.cells).values()] == [None, None]
