"""A limit kills what goes over it, and nothing else is taken for that."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.processes import gone, started, until
from tests.runner.fakes import cell
from treebench.errors import TreebenchError
from treebench.measure.cgroup import Cgroup, Unavailable
from treebench.measure.owner import NAME_PREFIX
from treebench.measure.tree_memory import open_cgroup
from treebench.runner import memory_limit
from treebench.runner.caretaker_process import MARK_VARIABLE, kill_marked
from treebench.runner.local import LocalExecutor

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.store.row import SampleRow

MIB = 2**20
LIMIT = 96 * MIB
FAKE = (sys.executable, "-S", str(Path(__file__).with_name("fake_worker.py")))


def no_cgroup() -> Unavailable:
    return Unavailable("no cgroup in this test")


@pytest.fixture(params=["cgroup", "watchdog"])
def maker(request: pytest.FixtureRequest) -> Callable[[], Cgroup | Unavailable]:
    """Both ways to hold a limit; the first only where this machine lets us."""
    if request.param == "watchdog":
        return no_cgroup
    probed = open_cgroup()
    if isinstance(probed, Unavailable):
        pytest.skip(probed.reason)
    probed.remove()
    return open_cgroup


def measure(
    maker: Callable[[], Cgroup | Unavailable], *steps: list[Any], limit: int | None = LIMIT
) -> SampleRow:
    executor = LocalExecutor(
        "run", {}, 120.0, {"fingerprint": "f"}, "code", FAKE, cgroup_maker=maker
    )
    return executor.measure(cell(1, steps, limit), 0)


def test_what_grows_past_its_limit_is_oom_with_the_peak_so_far(
    maker: Callable[[], Cgroup | Unavailable],
) -> None:
    row = measure(maker, ["load", "sleep", 0], ["fit", "grow", 400 * MIB])
    assert row.status == "oom"
    assert row.error is not None
    assert row.error.phase == "fit"
    assert "its memory limit of 96MiB" in row.error.message
    held = row.must_match["memory_limit"]
    assert held["bytes"] == LIMIT
    assert held["by"] in row.error.message
    fit = row.phases["fit"]
    assert fit.tree_peak_source == held["by"]
    assert fit.tree_peak_bytes is not None
    if held["by"] == "PSS watchdog":
        # It sees the limit passed after the fact.
        assert LIMIT < fit.tree_peak_bytes < LIMIT + 48 * MIB
    else:
        assert LIMIT - 2 * MIB < fit.tree_peak_bytes <= LIMIT
    assert (fit.wall_ns, fit.end_rss_bytes, fit.tree_anon_bytes) == (None, None, None)
    assert fit.missing["tree_anon_bytes"]


def test_what_stays_within_its_limit_is_not_touched(
    maker: Callable[[], Cgroup | Unavailable],
) -> None:
    row = measure(maker, ["fit", "grow", 32 * MIB])
    assert row.status == "ok"
    assert row.must_match["memory_limit"]["bytes"] == LIMIT


def test_a_child_over_the_limit_counts_whatever_the_worker_makes_of_it(
    maker: Callable[[], Cgroup | Unavailable],
) -> None:
    row = measure(maker, ["fit", "child grows", 400 * MIB])
    assert row.status == "oom"


@pytest.mark.parametrize(
    ("step", "status", "signal_name"),
    [
        (["fit", "die", "SIGKILL"], "killed", "SIGKILL"),
        (["fit", "die", "SIGSEGV"], "error", "SIGSEGV"),
        (["fit", "exit", 3], "error", None),
    ],
)
def test_a_crash_under_a_limit_is_no_oom(
    maker: Callable[[], Cgroup | Unavailable],
    step: list[Any],
    status: str,
    signal_name: str | None,
) -> None:
    row = measure(maker, ["load", "grow", 16 * MIB], step)
    assert row.status == status
    assert row.error is not None
    assert row.error.signal == signal_name


def test_without_a_limit_the_row_names_none(maker: Callable[[], Cgroup | Unavailable]) -> None:
    row = measure(maker, ["fit", "grow", 160 * MIB], limit=None)
    assert row.status == "ok"
    assert "memory_limit" not in row.must_match
    assert "memory_limit_bytes" not in row.spec


def test_an_orphan_does_not_outlive_its_sample(
    maker: Callable[[], Cgroup | Unavailable], tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    row = measure(maker, ["fit", "orphan", str(note)], limit=None)
    assert row.status == "ok"
    assert gone(int(note.read_text()))


def test_only_the_marked_are_killed() -> None:
    with (
        started(["sleep", "600"], env={**os.environ, MARK_VARIABLE: "test-a"}) as mine,
        started(["sleep", "600"], env={**os.environ, MARK_VARIABLE: "test-ab"}) as other,
    ):
        kill_marked("test-a")
        assert mine.wait() == -signal.SIGKILL
        assert other.poll() is None


SUPERVISOR = """
import sys
from pathlib import Path
from tests.runner.fakes import cell
from tests.runner.test_memory_limit import FAKE, no_cgroup
from treebench.measure.tree_memory import open_cgroup
from treebench.runner.caretaker import Caretaker
from treebench.runner.local import LocalExecutor
maker = no_cgroup if sys.argv[1] == "no_cgroup" else open_cgroup
with Caretaker() as caretaker:
    steps = [["load", "orphan", sys.argv[2]], ["fit", "child", sys.argv[3]]]
    executor = LocalExecutor(
        "run", {}, 300.0, {"fingerprint": "f"}, "code", FAKE, caretaker, cgroup_maker=maker
    )
    executor.measure(cell(1, steps, 2**30), 0)
"""


def test_a_watchdog_that_hangs_is_ended_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = "import time; print('watching', flush=True); time.sleep(600)"
    monkeypatch.setattr(memory_limit, "_WATCHDOG", [sys.executable, "-S", "-c", hangs])
    monkeypatch.setattr(memory_limit, "_PATIENCE_S", 0.2)
    guard = memory_limit.WatchdogGuard(LIMIT)
    guard.attach(os.getpid())
    with pytest.raises(TreebenchError, match="what watches the memory limit hung"):
        guard.kill_seen()
    guard.close()


def test_a_killed_supervisor_leaves_no_process_and_no_cgroup(
    maker: Callable[[], Cgroup | Unavailable], tmp_path: Path
) -> None:
    notes = [tmp_path / "orphan", tmp_path / "child"]
    command = [sys.executable, "-c", SUPERVISOR, maker.__name__, *map(str, notes)]
    with started(command) as supervisor:
        assert until(lambda: all(note.exists() and note.read_text() for note in notes))
        below = psutil.Process(supervisor.pid).children(recursive=True)
    for pid in (*(int(note.read_text()) for note in notes), *(one.pid for one in below)):
        assert gone(pid)
    probed = open_cgroup()
    if isinstance(probed, Cgroup):
        left = list(probed.folder.parent.glob(f"{NAME_PREFIX}{supervisor.pid}-*"))
        probed.remove()
        assert left == []
