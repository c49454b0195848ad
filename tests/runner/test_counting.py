"""Samples with counters, taken for real from the fake worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.processes import runs, started, until
from tests.runner.fakes import cell
from treebench.measure.callgrind import why_absent
from treebench.measure.counters import Choice, choose
from treebench.runner.counting import timed_counting
from treebench.runner.local import LocalExecutor
from treebench.store.row import SampleRow

FAKE = (sys.executable, "-S", str(Path(__file__).with_name("fake_worker.py")))
PAGES = 8192


def measure(choice: Choice, *steps: list[object]) -> SampleRow:
    executor = LocalExecutor(
        "run",
        {},
        120.0,
        {"fingerprint": "f"},
        "code",
        FAKE,
        counting=lambda block: timed_counting(choice, block),
    )
    return executor.measure(cell(1, steps), 0)


needs_perf = pytest.mark.skipif(choose("software").tier is None, reason="no perf here")


@needs_perf
def test_page_faults_by_phase_stand_in_the_row() -> None:
    row = measure(
        Choice("software"),
        ["load", "touch", 4096],
        ["fit", "touch", PAGES * 4096],
        ["save", "sleep", 0],
    )
    assert row.status == "ok"
    assert row.counters is not None
    assert row.counters["tier"] == "software"
    assert list(row.counters["phases"]) == ["fit"]
    assert row.counters["phases"]["fit"]["page-faults"] == pytest.approx(PAGES, abs=100)


@needs_perf
def test_a_death_leaves_what_was_counted_and_no_perf_behind() -> None:
    row = measure(Choice("software"), ["fit", "die", "SIGSEGV"])
    assert row.status == "error"
    assert row.counters is not None
    assert "page-faults" in row.counters["phases"]["fit"]
    assert not [child for child in psutil.Process().children() if child.name() == "perf"]


def test_an_absent_tier_says_why_and_the_sample_is_taken() -> None:
    row = measure(Choice(None, {"hardware": "no PMU"}), ["fit", "sleep", 0])
    assert row.status == "ok"
    assert row.counters is not None
    assert row.counters["absent"] == {"hardware": "no PMU"}


def test_the_simulated_tier_does_not_ride_with_timed_samples() -> None:
    assert (
        measure(Choice("simulated", {"hardware": "no PMU"}), ["fit", "sleep", 0]).counters is None
    )


SUPERVISOR = """
import sys
from tests.runner.fakes import cell
from treebench.measure.counters import Choice
from treebench.runner.caretaker import Caretaker
from treebench.runner.counting import CallgrindCounting
from treebench.runner.local import LocalExecutor

fake, note = sys.argv[1:]
with Caretaker() as caretaker:
    executor = LocalExecutor(
        "run", {}, 300.0, {"fingerprint": "f"}, "code", (sys.executable, "-S", fake), caretaker,
        kind="simulated",
        counting=lambda _: CallgrindCounting(Choice("simulated"), {}, caretaker),
    )
    executor.measure(cell(1, [["fit", "child", note]]), 0)
"""


@pytest.mark.skipif(why_absent() is not None, reason=str(why_absent()))
def test_a_killed_supervisor_leaves_no_file_of_callgrinds(tmp_path: Path) -> None:
    """Neither its folder nor the pipes it is switched by, which it would remove itself."""
    temporary, note = tmp_path / "temporary", tmp_path / "note"
    temporary.mkdir()
    command = [sys.executable, "-c", SUPERVISOR, FAKE[-1], str(note)]
    with started(command, env={**os.environ, "TMPDIR": str(temporary)}) as supervisor:
        assert until(lambda: note.exists() and note.read_text() != "")
        (folder,) = (path for path in temporary.iterdir() if "callgrind" in path.name)
        assert [path.name for path in folder.iterdir() if path.name.startswith("vgdb")]
        os.kill(supervisor.pid, signal.SIGKILL)
    assert until(lambda: not list(temporary.iterdir()))


PERF_SUPERVISOR = """
import sys, time
from treebench.measure.counters import Choice
from treebench.runner.caretaker import Caretaker
from treebench.runner.counting import timed_counting
with Caretaker() as caretaker, timed_counting(Choice("software"), 0, caretaker) as counting:
    [probe] = counting.probes
    probe.attach(int(sys.argv[1]))
    probe.begin("load")
    print("attached", flush=True)
    time.sleep(600)
"""


@needs_perf
def test_perf_goes_at_once_with_a_killed_supervisor() -> None:
    with (
        started(["sleep", "600"]) as watched,
        started(
            [sys.executable, "-c", PERF_SUPERVISOR, str(watched.pid)],
            stdout=subprocess.PIPE,
            text=True,
        ) as supervisor,
    ):
        assert supervisor.stdout is not None
        assert supervisor.stdout.readline() == "attached\n"
        beside = [
            each for each in psutil.Process(supervisor.pid).children() if each.name() == "perf"
        ]
        supervisor.kill()
        # What is watched runs on for minutes, so that it is not what ends them.
        assert until(lambda: not any(map(runs, beside)), 30)
        assert watched.poll() is None
    assert len(beside) == 3
