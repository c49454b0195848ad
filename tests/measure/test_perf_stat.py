"""The control protocol for real, with events that every kernel has."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.processes import started
from treebench.measure.counters import SOFTWARE_GROUPS, choose, perf_probe
from treebench.measure.perf_stat import PerfStatProbe

PAGE = 4096
WORKER = """
import subprocess, sys, threading
def touch(pages):
    block = bytearray(pages * 4096)
    block[::4096] = b"x" * pages
def child(pages):
    program = f"b = bytearray({pages} * 4096); b[::4096] = b'x' * {pages}"
    subprocess.run([sys.executable, "-S", "-c", program])
print("ready", flush=True)
for line in sys.stdin:
    how, pages = line.split()
    if how == "thread":
        thread = threading.Thread(target=touch, args=(int(pages),))
        thread.start(); thread.join()
    else:
        {"self": touch, "child": child}[how](int(pages))
    print("done", flush=True)
"""

pytestmark = pytest.mark.skipif(
    choose("software").tier is None, reason=choose("software").absent.get("software", "")
)


@pytest.fixture
def worker() -> Iterator[subprocess.Popen[str]]:
    with started(
        [sys.executable, "-S", "-c", WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"  # its own start is in no phase
        yield process


def work(worker: subprocess.Popen[str], how: str, pages: int) -> None:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{how} {pages}\n")
    worker.stdin.flush()
    assert worker.stdout.readline() == "done\n"


def faults(probe: PerfStatProbe, phase: str) -> int:
    return probe.counted[phase].values["page-faults"]


def test_page_faults_fall_in_the_phase_that_made_them(worker: subprocess.Popen[str]) -> None:
    with perf_probe("software", 0) as probe:
        probe.attach(worker.pid)
        for phase, how, pages in (
            ("construct", "self", 5_000),
            ("between", "self", 20_000),
            ("fit", "thread", 10_000),
            ("predict", "self", 1),
        ):
            probe.begin(phase)
            work(worker, how, pages)
            probe.end(phase)
    assert set(probe.counted) == {"construct", "fit", "predict"}
    assert faults(probe, "construct") == pytest.approx(5_000, abs=100)
    assert faults(probe, "fit") == pytest.approx(10_000, abs=100)
    assert faults(probe, "predict") < 100


def test_children_count(worker: subprocess.Popen[str]) -> None:
    with PerfStatProbe([["page-faults"]], ["fit"]) as probe:
        probe.attach(worker.pid)
        probe.begin("fit")
        work(worker, "child", 20_000)
        probe.end("fit")
    assert 20_000 < faults(probe, "fit") < 30_000


def test_a_phase_whose_worker_died_keeps_what_was_counted(worker: subprocess.Popen[str]) -> None:
    with PerfStatProbe(SOFTWARE_GROUPS, ["fit"]) as probe:
        probe.attach(worker.pid)
        probe.begin("fit")
        work(worker, "self", 5_000)
        worker.kill()
        worker.wait()
        probe.end("fit")
    assert faults(probe, "fit") == pytest.approx(5_000, abs=100)


def test_leaving_ends_every_perf(worker: subprocess.Popen[str]) -> None:
    import psutil

    with perf_probe("software", 0) as probe:
        probe.attach(worker.pid)
        own = [child for child in psutil.Process().children() if child.name() == "perf"]
        assert len(own) == 3
    assert not any(process.is_running() for process in own)
