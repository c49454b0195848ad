"""A sample of kind `profile`: one fresh worker whose fit is sampled from outside.

What is sampled disturbs what it samples, so such a row is in no figure; it says with what it was
taken, and names the pictures.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treebench.measure.counters import Choice
from treebench.measure.perf_record import PerfRecordProbe
from treebench.measure.py_spy import PySpyProbe
from treebench.runner.caretaker_process import MARK_VARIABLE, kill_marked
from treebench.runner.counting import NoCounting
from treebench.store.row import SampleError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from treebench.measure.probe import Probe
    from treebench.measure.profilers import Profiler, Tool
    from treebench.measure.stacks import Stacks
    from treebench.plan.build import PlannedCell
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.local import LocalExecutor
    from treebench.store.row import SampleRow

PHASE = "fit"
HIGHEST_HZ: dict[Tool, int] = {"perf": 499, "py-spy": 97}
_SLOWER_HZ = (19, 47, 97, 199, 293)
_MOST_SAMPLES = 20_000


@dataclass(frozen=True)
class Profiled:
    """A profile's row, and the stacks to draw by event; the row names no files yet."""

    row: SampleRow
    stacks: dict[str, Stacks] = field(default_factory=dict)


class ProfileCounting(NoCounting):
    """The profiler's probe, in the place of what counts events."""

    def __init__(self, probe: PerfRecordProbe | PySpyProbe) -> None:
        super().__init__(Choice(None))
        self._probe = probe
        self.probes: Sequence[Probe] = (probe,)

    def counters(self) -> dict[str, Any] | None:
        """Nothing is counted."""
        return None

    def __exit__(self, *error: object) -> None:
        self._probe.__exit__(*error)


def frequency_for(tool: Tool, fit_s: float | None, threads: int) -> int:
    """Samples per second for a fit of about `fit_s`: as many as come to 20,000 at most, since
    each of perf's takes 16 KiB; and 97 of py-spy's, which stops the worker for each. Primes keep
    from falling into step with the machine's own clock."""
    most = HIGHEST_HZ[tool]
    if fit_s is None or fit_s * threads * most <= _MOST_SAMPLES:
        return most
    possible = _MOST_SAMPLES / (fit_s * threads)
    return max((hz for hz in _SLOWER_HZ if hz <= min(possible, most)), default=_SLOWER_HZ[0])


def take_profile(
    executor: LocalExecutor,
    cell: PlannedCell,
    profiler: Profiler,
    frequency_hz: int,
    run_folder: Path,
) -> Profiled:
    """Take one sample of a cell under the profiler. Every failure is a row.

    Raises:
        SampleInterrupted: Ctrl-C; the worker and the profiler are gone.
    """
    with _room(executor.caretaker, run_folder) as (folder, environment):
        probe = _probe(profiler, frequency_hz, folder, environment)
        under = dataclasses.replace(
            executor, kind="profile", latency=False, counting=lambda _: ProfileCounting(probe)
        )
        row = under.measure(cell, 0)
        stacks, n_lost = _stacks(probe)
    problem = probe.problem
    profile = _facts(profiler, frequency_hz, stacks, n_lost)
    if row.status == "ok":
        row = _with_problem(row, problem or _nothing(stacks, row, frequency_hz))
    return Profiled(dataclasses.replace(row, profile=profile), stacks)


@contextmanager
def _room(caretaker: Caretaker | None, run_folder: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder for the recording, which may be large and so lies by the run; and the environment
    of the profiler's processes, whose mark ends them with this process."""
    mark = uuid.uuid4().hex
    # Named before there is one, so that a kill in between leaves nothing the caretaker misses.
    folder = run_folder / f".profile.{mark}"
    if caretaker is not None:
        caretaker.made("folder", folder.absolute())
        caretaker.made("mark", mark)
    folder.mkdir()
    try:
        yield folder, {**os.environ, MARK_VARIABLE: mark}
    finally:
        kill_marked(mark)
        shutil.rmtree(folder, ignore_errors=True)
        if caretaker is not None:
            caretaker.gone(mark)
            caretaker.gone(folder.absolute())


def _probe(
    profiler: Profiler, frequency_hz: int, folder: Path, environment: Mapping[str, str]
) -> PerfRecordProbe | PySpyProbe:
    if profiler.tool == "perf":
        return PerfRecordProbe(profiler.events, frequency_hz, PHASE, folder, environment)
    return PySpyProbe(frequency_hz, PHASE, folder, environment)


def _stacks(probe: PerfRecordProbe | PySpyProbe) -> tuple[dict[str, Stacks], int | None]:
    """By event, and how many samples were lost, where that is known."""
    if isinstance(probe, PerfRecordProbe):
        recorded = probe.recorded()
        return recorded.by_event, None if probe.problem else recorded.n_lost
    stacks = probe.stacks()
    return ({"wall clock": stacks} if stacks.n_samples else {}), None


def _facts(
    profiler: Profiler, frequency_hz: int, stacks: Mapping[str, Stacks], n_lost: int | None
) -> dict[str, Any]:
    """The row's `profile`."""
    event, *others = profiler.events
    main = stacks.get(event)
    return {
        "tool": profiler.tool,
        "event": event,
        "frequency_hz": frequency_hz,
        "samples": main.n_samples if main else 0,
        "cut_stacks": main.n_cut if main and profiler.tool == "perf" else None,
        "lost": n_lost,
        "native_frames": True,
        "python_frames": profiler.tool == "py-spy",
        "other_events": {name: stacks[name].n_samples for name in others if name in stacks},
        "refused": dict(profiler.refused),
        "files": [],
    }


def _nothing(stacks: Mapping[str, Stacks], row: SampleRow, frequency_hz: int) -> str | None:
    if stacks:
        return None
    wall_ns = row.phases[PHASE].wall_ns if PHASE in row.phases else None
    took = "" if wall_ns is None else f" in the {wall_ns / 1e6:.3g} ms that it took"
    return (
        f"fit was not sampled once{took}, at {frequency_hz} per second; raise --frequency, or "
        f"profile a larger cell"
    )


def _with_problem(row: SampleRow, problem: str | None) -> SampleRow:
    """The worker ended well; whether the profile is one is another matter."""
    if problem is None:
        return row
    error = SampleError("ProfileFailed", problem, phase=PHASE)
    return dataclasses.replace(row, status="error", error=error)
