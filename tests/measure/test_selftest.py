"""The self-test itself: it passes honest probes, fails lying ones, and skips with a reason."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from treebench.measure import selftest
from treebench.measure.capabilities import capabilities, peak_rss, pss, time_by_function
from treebench.measure.cgroup import Cgroup, Unavailable
from treebench.measure.copy_bandwidth import copy_bandwidth
from treebench.measure.probe import Reading
from treebench.measure.resident import ResidentProbe
from treebench.measure.selftest import Check
from treebench.runner.sample_cgroup import sample_cgroup

MIB = 2**20
NO_CGROUP = Unavailable("cgroups are switched off in this test")


@pytest.fixture
def cgroup() -> Iterator[Cgroup | Unavailable]:
    with sample_cgroup(None, "selftest") as made:
        yield made


def bad(checks: list[Check]) -> list[Check]:
    return [check for check in checks if check.outcome == "fail"]


def test_memory_touched_is_seen(cgroup: Cgroup | Unavailable) -> None:
    checks = selftest.touched(cgroup)
    assert bad(checks) == []
    assert checks[0].outcome == "pass"


def test_memory_held_for_a_moment_is_seen(cgroup: Cgroup | Unavailable) -> None:
    checks = selftest.spike(cgroup, 128 * MIB)
    assert bad(checks) == []
    assert checks[0].seen == pytest.approx(128 * MIB, rel=0.02)


def test_shared_memory_is_without_a_name_so_that_none_is_left_after_a_kill() -> None:
    before = set(os.listdir("/dev/shm"))
    with selftest.KnownTruth(NO_CGROUP, "share", "/dev/shm", 4 * MIB, 3) as process:
        assert len(process.act()["pids"]) == 3
        maps = Path("/proc", str(process.pid), "maps").read_text()
        assert re.search(r"/dev/shm/\S+ \(deleted\)", maps)
        assert set(os.listdir("/dev/shm")) <= before


def test_a_shared_memmap_counts_once(cgroup: Cgroup | Unavailable) -> None:
    checks = selftest.shared(cgroup)
    assert bad(checks) == []
    # The sum over processes would have been three times as much.
    assert "sum of RSS grew by 18" in checks[0].note or "by 19" in checks[0].note


def test_a_small_child_of_a_large_parent_is_small() -> None:
    (check,) = selftest.fat_parent(NO_CGROUP)
    assert check.outcome == "pass"
    assert int(check.note.split()[2]) >= 256


def test_pages_touched_are_faults() -> None:
    checks = selftest.faults(NO_CGROUP)
    assert bad(checks) == []
    assert checks[0].outcome == "pass"


def test_without_a_cgroup_its_checks_are_skipped_with_the_reason() -> None:
    checks = selftest.touched(NO_CGROUP)
    assert [check.outcome for check in checks] == ["pass", "skip"]
    assert checks[1].skipped == NO_CGROUP.reason


def test_a_probe_that_sees_too_little_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    class Blind(ResidentProbe):
        def end(self, phase: str) -> Reading:
            seen = super().end(phase)
            return Reading({**seen.figures, "peak_rss_bytes": seen.figures["baseline_rss_bytes"]})

    monkeypatch.setattr(selftest, "ResidentProbe", Blind)
    assert [check.probe for check in bad(selftest.touched(NO_CGROUP))] == ["VmHWM"]


def test_a_probe_without_a_figure_fails_rather_than_passing_as_zero() -> None:
    check = Check("truth", "probe", "bytes", 0, 10, seen=None, failed="it could not be read")
    assert check.outcome == "fail"
    assert Check("truth", "probe", "bytes", 0, 10, seen=10).outcome == "pass"
    assert Check("truth", "probe", "bytes", 0, 10, seen=11).outcome == "fail"


def test_nothing_is_left_running() -> None:
    with selftest.KnownTruth(NO_CGROUP, "fat", MIB) as process:
        child = int(process.act()["pid"])
        pid = process.pid
    assert not Path("/proc", str(pid)).exists()
    assert not Path("/proc", str(child)).exists()


@pytest.mark.slow
def test_the_whole_self_test_passes_here() -> None:
    @contextmanager
    def made() -> Iterator[Cgroup | Unavailable]:
        with sample_cgroup(None, "selftest") as cgroup:
            yield cgroup

    checks = list(selftest.selftest(made))
    assert bad(checks) == []
    assert {check.truth for check in checks} >= {"1 GiB held for 20 ms", "64 MiB shared by 3"}


def test_without_a_cgroup_the_tree_and_the_limit_cannot_be_had_and_the_reason_is_said() -> None:
    found = {each.name: each for each in capabilities(NO_CGROUP)}
    for name in ("peak of a process tree", "memory limit by the kernel"):
        assert not found[name].possible
        assert NO_CGROUP.reason in found[name].how
        assert found[name].remedy
    assert found["time per phase"].possible
    bound = found["compute- or memory-bound"]
    assert bound.possible == found["hardware counters"].possible


def test_a_kernel_without_the_files_is_told_apart(tmp_path: Path) -> None:
    assert not peak_rss(tmp_path).possible
    assert not pss(tmp_path).possible
    assert pss().possible == Path("/proc/self/smaps_rollup").is_file()


def test_a_py_spy_beside_python_samples_though_it_is_in_no_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The doctor must not deny what `treebench profile` then does."""
    spy = tmp_path / "bin" / "py-spy"
    spy.parent.mkdir()
    spy.write_text("#!/bin/sh\n")
    spy.chmod(0o755)
    (spy.parent / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(spy.parent / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    found = time_by_function()
    assert found.possible, found
    assert found.how.startswith("py-spy --native (perf is not installed")


def test_without_perf_and_py_spy_both_reasons_are_said() -> None:
    found = time_by_function(lambda: "perf may not", lambda: "py-spy may not")
    assert not found.possible
    assert found.how == "perf may not; py-spy may not"


def test_files_of_the_current_folder_stand_in_for_no_module(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("json", "mmap", "tempfile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(7)\n")
    monkeypatch.chdir(tmp_path)
    with selftest.KnownTruth(NO_CGROUP, "fat", MIB) as process:
        assert int(process.act()["pid"]) > 0
    assert copy_bandwidth(None, passes=1).reason is None
