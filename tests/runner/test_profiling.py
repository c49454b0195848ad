"""Samples of kind `profile`, with a worker that only plays one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.runner.fakes import cell
from treebench.measure import perf_record, py_spy
from treebench.measure.profilers import Profiler
from treebench.runner.local import LocalExecutor
from treebench.runner.profiling import Profiled, frequency_for, take_profile
from treebench.store.journal import row_from_json

FAKE = (sys.executable, "-S", str(Path(__file__).parent / "fake_worker.py"))
CLOCK = Profiler("perf", ("cpu-clock",), {"perf, hardware cycles": "no PMU"})
WHY_NOT = perf_record.refused("cpu-clock")
needs_perf = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))


def taken(folder: Path, *steps: list[Any], profiler: Profiler = CLOCK) -> Profiled:
    executor = LocalExecutor("run", {}, 30.0, {"fingerprint": "f"}, "code", FAKE)
    return take_profile(executor, cell(1, steps), profiler, 199, folder)


@needs_perf
def test_the_row_says_what_sampled(tmp_path: Path) -> None:
    profiled = taken(tmp_path, ["fit", "touch", 256 * 2**20])
    row, facts = profiled.row, profiled.row.profile
    assert (row.kind, row.status, row.error, row.counters) == ("profile", "ok", None, None)
    assert facts is not None
    assert facts["samples"] == profiled.stacks["cpu-clock"].n_samples > 0
    assert facts["refused"] == {"perf, hardware cycles": "no PMU"}
    assert (facts["tool"], facts["frequency_hz"], facts["lost"]) == ("perf", 199, 0)
    assert row_from_json(row.to_json(), "here") == row
    assert not list(tmp_path.iterdir())


@needs_perf
def test_a_fit_without_a_sample_is_a_failed_profile(tmp_path: Path) -> None:
    profiled = taken(tmp_path, ["fit", "sleep", 0.05])
    assert profiled.row.status == "error"
    assert profiled.row.error is not None
    assert profiled.row.error.kind == "ProfileFailed"
    assert "raise --frequency" in profiled.row.error.message
    assert profiled.stacks == {}


def test_a_worker_that_fails_before_its_fit_is_the_rows_own_error(tmp_path: Path) -> None:
    profiled = taken(tmp_path, ["load", "exit", 3])
    assert profiled.row.error is not None
    assert profiled.row.error.kind != "ProfileFailed"
    assert profiled.row.profile is not None
    assert profiled.row.profile["samples"] == 0


@needs_perf
def test_an_event_that_perf_refuses_after_all_is_a_failed_profile(tmp_path: Path) -> None:
    refused = Profiler("perf", ("no-such-event",))
    profiled = taken(tmp_path, ["fit", "sleep", 0.05], profiler=refused)
    assert profiled.row.error is not None
    assert profiled.row.error.message.startswith("perf record:")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(py_spy.refused() is not None, reason="py-spy cannot sample here")
def test_py_spy_says_that_it_sees_python(tmp_path: Path) -> None:
    profiled = taken(
        tmp_path, ["fit", "touch", 512 * 2**20], profiler=Profiler("py-spy", ("wall clock",))
    )
    assert profiled.row.profile is not None
    assert profiled.row.profile["python_frames"] is True
    assert profiled.row.profile["lost"] is None


@pytest.mark.parametrize(
    ("tool", "fit_s", "threads", "hz"),
    [
        ("perf", None, 8, 499),
        ("perf", 1.0, 2, 499),
        ("perf", 60.0, 1, 293),
        ("perf", 60.0, 8, 19),
        ("perf", 6000.0, 8, 19),
        ("py-spy", 1.0, 2, 97),
        ("py-spy", 300.0, 1, 47),
    ],
)
def test_a_long_fit_is_sampled_less_often(tool: Any, fit_s: float, threads: int, hz: int) -> None:
    assert frequency_for(tool, fit_s, threads) == hz
