"""Which profiler samples here: the first of three that can, and why those before it cannot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from treebench.measure import perf_record, py_spy
from treebench.measure.perf_stat import PERF_ABSENT, count_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Tool = Literal["perf", "py-spy"]

HARDWARE, CLOCK, MISSES = "cycles", "cpu-clock", "cache-misses"


@dataclass(frozen=True)
class Profiler:
    """What samples. `events` has the clock first, then what else is sampled; `refused` has, by
    better way, why it was not taken."""

    tool: Tool
    events: tuple[str, ...]
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NoProfiler:
    """Nothing can sample here, and why."""

    refused: dict[str, str]


def choose(
    asked: Tool | Literal["auto"],
    hardware: Callable[[], Mapping[str, str]] | None = None,
    clock: Callable[[], str | None] = lambda: perf_record.refused(CLOCK),
    spy: Callable[[], str | None] = py_spy.refused,
) -> Profiler | NoProfiler:
    """The best of what was asked for that works here.

    The three callables try it out: by event, why it cannot be counted; why perf cannot sample by
    a clock; why py-spy cannot.
    """
    refused: dict[str, str] = {}
    if asked != "py-spy":
        missing = (hardware or _hardware)()
        if HARDWARE not in missing:
            events = (HARDWARE,) if MISSES in missing else (HARDWARE, MISSES)
            return Profiler("perf", events)
        refused["perf, hardware cycles"] = missing[HARDWARE]
        problem = clock()
        if problem is None:
            return Profiler("perf", (CLOCK,), refused)
        refused[f"perf, {CLOCK}"] = problem
    if asked == "perf":
        return NoProfiler(refused)
    problem = spy()
    if problem is None:
        return Profiler("py-spy", ("wall clock",), refused)
    return NoProfiler({**refused, "py-spy": problem})


def _hardware() -> Mapping[str, str]:
    """Why each hardware event cannot be had. Counting tells: to record what is not there, perf
    takes another event in its place."""
    counted = count_command([[HARDWARE], [MISSES]], ["true"])
    if PERF_ABSENT in counted.missing.values():
        return dict.fromkeys((HARDWARE, MISSES), PERF_ABSENT)
    problem = None if HARDWARE in counted.missing else perf_record.refused(HARDWARE)
    return {**counted.missing, **({} if problem is None else {HARDWARE: problem})}
