"""Which profiler is taken, for every combination of refusals."""

from __future__ import annotations

from treebench.measure.profilers import CLOCK, HARDWARE, MISSES, NoProfiler, Profiler, choose


def test_hardware_with_misses_is_best() -> None:
    assert choose("auto", dict, lambda: "no", lambda: "no") == Profiler("perf", (HARDWARE, MISSES))


def test_cycles_alone_are_next() -> None:
    found = choose("auto", lambda: {MISSES: "none"}, lambda: "no", lambda: "no")
    assert found == Profiler("perf", (HARDWARE,))


def test_then_the_clock_and_it_says_why() -> None:
    found = choose("auto", lambda: {HARDWARE: "no PMU"}, lambda: None, lambda: "no")
    assert found == Profiler("perf", (CLOCK,), {"perf, hardware cycles": "no PMU"})


def test_then_py_spy_and_it_says_why() -> None:
    found = choose("auto", lambda: {HARDWARE: "no PMU"}, lambda: "paranoid", lambda: None)
    reasons = {"perf, hardware cycles": "no PMU", "perf, cpu-clock": "paranoid"}
    assert found == Profiler("py-spy", ("wall clock",), reasons)


def test_nothing_works_and_every_reason_is_kept() -> None:
    found = choose("auto", lambda: {HARDWARE: "no PMU"}, lambda: "paranoid", lambda: "ptrace")
    assert isinstance(found, NoProfiler)
    assert list(found.refused.values()) == ["no PMU", "paranoid", "ptrace"]


def test_perf_alone_was_asked_for() -> None:
    found = choose("perf", lambda: {HARDWARE: "no PMU"}, lambda: "paranoid", lambda: None)
    assert isinstance(found, NoProfiler)


def test_py_spy_alone_was_asked_for() -> None:
    assert choose("py-spy", dict, lambda: None, lambda: None) == Profiler("py-spy", ("wall clock",))
