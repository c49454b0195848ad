"""Real processes, with a worker that has no library in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.processes import gone
from tests.runner.fakes import cell
from treebench.runner import process
from treebench.runner.local import LocalExecutor, SampleInterrupted

if TYPE_CHECKING:
    from treebench.store.row import SampleRow

MIB = 2**20
FAKE = (sys.executable, "-S", str(Path(__file__).with_name("fake_worker.py")))


def measure(*steps: list[Any], deadline_s: float = 120.0) -> SampleRow:
    executor = LocalExecutor("run", {}, deadline_s, {"fingerprint": "f"}, "code", FAKE)
    return executor.measure(cell(1, steps), 0)


def growth(row: SampleRow, phase: str) -> int:
    value = row.phases[phase].peak_growth_bytes
    assert value is not None
    return value


def test_64_mib_show_in_the_phase_that_touched_them_and_in_no_other() -> None:
    row = measure(["load", "sleep", 0], ["fit", "touch", 64 * MIB], ["predict", "sleep", 0])
    assert row.status == "ok"
    assert growth(row, "fit") == pytest.approx(64 * MIB, abs=MIB)
    assert growth(row, "load") < MIB
    assert growth(row, "predict") < MIB


def test_a_fat_supervisor_does_not_leak_into_its_workers_peak() -> None:
    fat = bytearray(200 * MIB)
    fat[::4096] = b"x" * len(fat[::4096])
    row = measure(["load", "sleep", 0])
    peak = row.phases["load"].peak_rss_bytes
    assert peak is not None
    assert peak < 64 * MIB
    assert len(fat) == 200 * MIB


def test_a_short_spike_is_seen() -> None:
    row = measure(["fit", "touch", 256 * MIB])
    assert growth(row, "fit") > 250 * MIB


def test_the_deadline_kills_the_whole_tree(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    started = time.monotonic()
    row = measure(["fit", "child", str(note)], deadline_s=3.0)
    assert time.monotonic() - started < 100, "the child alone would run for minutes"
    assert row.status == "timeout"
    assert row.error is not None
    assert (row.error.phase, row.error.message) == ("fit", "it was still running after 3 s")
    assert gone(int(note.read_text()))


@pytest.mark.parametrize(
    ("step", "status", "kind"),
    [
        (["fit", "die", "SIGKILL"], "killed", "Killed"),
        (["fit", "die", "SIGABRT"], "error", "Crash"),
        (["fit", "die", "SIGSEGV"], "error", "Crash"),
        (["fit", "die", 40], "error", "Crash"),  # a real-time signal, which has no name
        (["fit", "exit", 3], "error", "Exit"),
    ],
)
def test_a_death_is_a_row_with_its_cause(step: list[Any], status: str, kind: str) -> None:
    row = measure(["load", "print", "last words"], step)
    assert row.status == status
    assert row.error is not None
    assert row.error.kind == kind
    assert row.error.phase == "fit"
    assert row.error.stderr_tail == "last words"
    names = {"Exit": None, "Crash": "signal 40" if step[2] == 40 else step[2], "Killed": step[2]}
    assert row.error.signal == names[kind]
    assert row.error.exit_code == (3 if kind == "Exit" else None)
    assert row.phases["load"].wall_ns is not None


def test_a_talkative_worker_keeps_only_its_last_words() -> None:
    row = measure(["load", "print", "x" * 300_000 + "end"], ["fit", "exit", 1])
    assert row.error is not None
    assert row.error.stderr_tail.endswith("end")
    assert len(row.error.stderr_tail) <= 4_000


def test_a_stopped_worker_meets_its_deadline() -> None:
    row = measure(["fit", "die", "SIGSTOP"], deadline_s=1.0)
    assert row.status == "timeout"


def test_a_child_that_ended_after_it_was_listed_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    child = subprocess.Popen(["true"])
    listed = psutil.Process(child.pid)
    child.wait()
    monkeypatch.setattr(process, "_descendants", lambda _pid: [listed])
    assert measure(["fit", "exit", 1]).status == "error"


def test_ctrl_c_leaves_no_process_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "pid"
    real = os.write
    sent: list[int] = []

    def interrupting(fd: int, data: bytes) -> int:
        sent.append(fd)
        if len(sent) == 2:  # the go of the first phase
            real(fd, data)
            while not note.exists() or not note.read_text():
                time.sleep(0.01)
            raise KeyboardInterrupt
        return real(fd, data)

    monkeypatch.setattr(os, "write", interrupting)
    with pytest.raises(SampleInterrupted) as caught:
        measure(["fit", "child", str(note)])
    assert caught.value.row.status == "interrupted"
    assert gone(int(note.read_text()))
