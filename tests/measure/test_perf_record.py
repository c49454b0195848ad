"""`perf record` for real, by a clock that needs no counter of the CPU."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.measure.busy import busy_python
from treebench.measure import perf_record
from treebench.measure.perf_record import PerfRecordProbe, refusal
from treebench.measure.perf_stat import PERF_ABSENT
from treebench.measure.stacks import INTERPRETER

WHY_NOT = perf_record.refused("cpu-clock")
needs_perf = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))


@needs_perf
def test_only_the_phase_is_sampled_and_stacks_reach_the_outermost_function(tmp_path: Path) -> None:
    with (
        busy_python() as pid,
        PerfRecordProbe(["cpu-clock"], 199, "fit", tmp_path, os.environ) as probe,
    ):
        probe.attach(pid)
        probe.begin("construct")
        probe.end("construct")
        assert not list(tmp_path.iterdir())
        began_s = time.monotonic()
        probe.begin("fit")
        time.sleep(0.5)
        probe.end("fit")
        took_s = time.monotonic() - began_s
        recorded = probe.recorded()
    assert probe.problem is None
    stacks = recorded.by_event["cpu-clock"]
    assert 0 < stacks.n_samples <= 1.5 * 199 * took_s
    assert stacks.n_cut == 0
    assert all(stack[:2] == ("main thread", INTERPRETER) for stack in stacks.weights)


@needs_perf
def test_a_process_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    with busy_python() as pid:
        pass
    with PerfRecordProbe(["cpu-clock"], 99, "fit", tmp_path, os.environ) as probe:
        probe.attach(pid)
        probe.begin("fit")
        probe.end("fit")
        assert probe.problem
        assert probe.recorded().by_event == {}


FULL_DISK = f"""#!{sys.executable} -SE
import os, signal, sys
control = next(word for word in sys.argv if word.startswith("fd:"))
reads, writes = map(int, control[3:].split(","))
def end(*_):
    sys.stderr.write("failed to write perf data, error: No space left on device\\n")
    sys.stderr.flush()
    os._exit(255)
signal.signal(signal.SIGINT, end)
open(sys.argv[sys.argv.index("-o") + 1], "w").write("a part of it")
while os.read(reads, 100):
    os.write(writes, b"ack\\n\\0")
"""


def test_a_recording_that_could_not_be_written_to_its_end_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIVEN a perf that ends badly once it was told to THEN half a recording is none."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "perf").write_text(FULL_DISK)
    (tmp_path / "perf").chmod(0o755)
    with PerfRecordProbe(["cpu-clock"], 99, "fit", tmp_path, os.environ) as probe:
        probe.attach(os.getpid())
        probe.begin("fit")
        probe.end("fit")
        assert probe.problem is not None
        assert "No space left on device" in probe.problem
        assert probe.recorded().by_event == {}


def test_without_perf_the_reason_is_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert perf_record.refused("cpu-clock") == PERF_ABSENT


@needs_perf
def test_an_event_that_is_none_is_refused() -> None:
    assert "perf record:" in str(perf_record.refused("no-such-event"))


def test_a_refusal_by_rights_names_the_remedy() -> None:
    said = "Error:\nAccess to performance monitoring is limited.\nperf_event_paranoid setting is 4"
    assert "CAP_PERFMON" in refusal(said)
    assert refusal("Error:\nevent syntax error: 'x'\n") == "perf record: event syntax error: 'x'"
    assert refusal("") == "perf record: it said nothing"
