"""Memory added up over processes, and the folder they share files in, against known sizes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.measure.test_process_tree import MIB, SHARING
from tests.processes import until
from treebench.measure.process_tree import ProcessTree
from treebench.measure.summed_memory import SummedMemoryProbe, allocated_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INTERVAL_S = 0.005


@pytest.fixture
def sharing() -> Iterator[subprocess.Popen[bytes]]:
    """Three processes that hold one file in memory, all of it touched by each."""
    with subprocess.Popen([sys.executable, "-S", "-c", SHARING], stdout=subprocess.PIPE) as root:
        assert root.stdout is not None
        assert len(root.stdout.read(3)) == 3
        yield root
        ProcessTree(root.pid).kill()


def test_a_page_counts_in_every_process_that_maps_it(sharing: subprocess.Popen[bytes]) -> None:
    with SummedMemoryProbe(interval_s=INTERVAL_S) as probe:
        probe.attach(sharing.pid)
        probe.begin("fit")
        summed = probe.end("fit").figures["summed_rss_peak_bytes"]
    assert 3 * 64 * MIB < int(summed) < 3 * 64 * MIB + 48 * MIB
    assert ProcessTree(sharing.pid).pss_bytes() < int(summed) - 2 * 64 * MIB + MIB


def test_a_child_that_came_and_went_within_the_phase_is_in_its_peak_and_no_other(
    sharing: subprocess.Popen[bytes],
) -> None:
    with SummedMemoryProbe(interval_s=INTERVAL_S) as probe:
        probe.attach(sharing.pid)
        probe.begin("fit")
        time.sleep(10 * INTERVAL_S)
        children = ProcessTree(sharing.pid).members()[1:]
        for child in children:
            os.kill(child, 9)
        while len(ProcessTree(sharing.pid).members()) > 1:
            time.sleep(INTERVAL_S)
        fit = probe.end("fit").figures["summed_rss_peak_bytes"]
        probe.begin("predict")
        predict = probe.end("predict").figures["summed_rss_peak_bytes"]
    assert int(fit) > 3 * 64 * MIB
    assert 64 * MIB < int(predict) < 64 * MIB + 32 * MIB


def test_the_most_that_the_folder_held_is_kept_though_it_is_empty_at_the_end(
    tmp_path: Path,
) -> None:
    deeper = tmp_path / "joblib" / "folder"
    with SummedMemoryProbe(tmp_path, INTERVAL_S) as probe:
        probe.attach(os.getpid())
        probe.begin("fit")
        deeper.mkdir(parents=True)
        (deeper / "X").write_bytes(b"x" * 4 * MIB)
        assert until(lambda: probe._files_bytes > 3 * MIB)
        (deeper / "X").unlink()
        fit = probe.end("fit").figures["shared_files_peak_bytes"]
        probe.begin("predict")
        predict = probe.end("predict").figures["shared_files_peak_bytes"]
    assert fit == pytest.approx(4 * MIB, abs=64 * 1024)
    assert int(predict) < 64 * 1024


def test_holes_of_a_file_take_nothing(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(64 * MIB)
    assert allocated_bytes(tmp_path) < MIB
    assert allocated_bytes(tmp_path / "absent") == 0


def test_what_cannot_be_had_is_missing_with_a_reason_and_never_0() -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    with SummedMemoryProbe(interval_s=INTERVAL_S) as probe:
        probe.attach(gone.pid)
        probe.begin("fit")
        reading = probe.end("fit")
    assert reading.figures == {}
    assert "no process" in reading.missing["summed_rss_peak_bytes"]
    assert "no folder" in reading.missing["shared_files_peak_bytes"]


def test_sampling_ends_with_the_probe() -> None:
    with SummedMemoryProbe(interval_s=INTERVAL_S) as probe:
        probe.attach(os.getpid())
        (sampling,) = (one for one in threading.enumerate() if one.name == probe.name)
    assert not sampling.is_alive()
