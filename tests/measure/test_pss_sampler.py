"""PSS sampled from outside, against what is known of the sampled."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.measure.test_process_tree import MIB, SHARING
from treebench.measure import pss_sampler
from treebench.measure.process_tree import ProcessTree
from treebench.measure.pss_sampler import PssProbe
from treebench.measure.pss_sampler_process import by_memory_profiler, reader_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GROWING = f"""
input()
kept = b"x" * {64 * MIB}
print("grown", flush=True)
input()
"""


@pytest.fixture
def growing() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-S", "-c", GROWING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def say(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_growth_is_in_the_phase_it_happened_in(growing: subprocess.Popen[str]) -> None:
    assert growing.stdout is not None
    with PssProbe(5_000_000) as probe:
        probe.attach(growing.pid)
        probe.begin("load")
        time.sleep(0.05)
        load = probe.end("load").figures
        probe.begin("fit")
        say(growing)
        growing.stdout.readline()
        fit = probe.end("fit")
        timeline = probe.timeline()
    grown = int(fit.figures["tree_peak_bytes"]) - int(fit.figures["tree_baseline_bytes"])
    assert grown == pytest.approx(64 * MIB, abs=2 * MIB)
    assert int(load["tree_peak_bytes"]) - int(load["tree_baseline_bytes"]) < 2 * MIB
    assert fit.figures["tree_peak_source"] == "PSS sampling"
    assert "PSS" in fit.missing["tree_shmem_bytes"]
    assert timeline is not None
    lengths = {len(timeline[name]) for name in ("t_ns", "pss_bytes", "phase")}
    assert lengths == {timeline["ticks"]}
    assert timeline["ticks"] >= 4
    assert timeline["t_ns"] == sorted(timeline["t_ns"])
    assert set(timeline["phase"]) <= {"load", "fit", None}
    gaps = [b - a for a, b in zip(timeline["t_ns"], timeline["t_ns"][1:], strict=False)]
    assert timeline["largest_gap_ns"] == max(gaps)


def test_a_process_that_has_ended_keeps_what_was_read_of_it(
    growing: subprocess.Popen[str],
) -> None:
    with PssProbe(5_000_000) as probe:
        probe.attach(growing.pid)
        probe.begin("fit")
        growing.kill()
        growing.wait()
        assert int(probe.end("fit").figures["tree_peak_bytes"]) > 0
        probe.begin("predict")
        reading = probe.end("predict")
    assert reading.figures == {}
    assert "had ended" in reading.missing["tree_peak_bytes"]


def test_the_sampler_ends_with_its_supervisor(growing: subprocess.Popen[str]) -> None:
    with PssProbe() as probe:
        probe.attach(growing.pid)
        sampler = probe._process
        assert sampler is not None
        assert sampler.poll() is None
    assert sampler.returncode == 0


def test_a_sampler_that_hangs_is_ended_and_the_sample_goes_on(
    growing: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = "import json, time; print(json.dumps({'source': 'x'}), flush=True); time.sleep(600)"
    monkeypatch.setattr(pss_sampler, "_PROCESS", (sys.executable, "-c", hanging))
    with PssProbe() as probe:
        probe.attach(growing.pid)
        monkeypatch.setattr(pss_sampler, "_PATIENCE_S", 0.05)
        sampler = probe._process
    assert sampler is not None
    assert sampler.returncode == -signal.SIGKILL


@pytest.mark.skipif(
    importlib.util.find_spec("memory_profiler") is None, reason="treebench[memory] is not installed"
)
def test_memory_profiler_and_our_own_reading_agree_and_count_a_shared_map_once() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", SHARING], stdout=subprocess.PIPE) as root:
        assert root.stdout is not None
        assert len(root.stdout.read(3)) == 3
        tree = ProcessTree(root.pid)
        try:
            theirs, ours = by_memory_profiler(root.pid), tree.pss_bytes()
        finally:
            tree.kill()
    assert theirs == pytest.approx(ours, rel=0.02)
    assert 64 * MIB < ours < 112 * MIB


def test_a_proc_of_processes_alone_is_read_without_memory_profiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `mount -o subset=pid` shows it, where psutil fails for want of /proc/stat."""
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
    source, read = reader_of(os.getpid())
    assert source == "smaps_rollup"
    assert (read() or 0) > 2**20
