"""A tree of processes and what it holds."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.processes import started, until
from treebench.measure.process_tree import ProcessTree
from treebench.measure.pss_watchdog_process import over, pause_s

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 2**20
SHARING = f"""
import mmap, os, tempfile, time
with tempfile.TemporaryFile(dir="/dev/shm") as file:
    file.truncate({64 * MIB})
    shared = mmap.mmap(file.fileno(), {64 * MIB})
shared.write(b"x" * {64 * MIB})
for _ in range(2):
    if os.fork() == 0:
        sum(shared[page] for page in range(0, {64 * MIB}, 4096))
        os.write(1, b"r")
        time.sleep(600)
os.write(1, b"r")
time.sleep(600)
"""


@pytest.fixture
def sharing() -> Iterator[subprocess.Popen[bytes]]:
    """Three processes that hold one file in memory, all of it touched by each."""
    with subprocess.Popen([sys.executable, "-S", "-c", SHARING], stdout=subprocess.PIPE) as root:
        assert root.stdout is not None
        assert len(root.stdout.read(3)) == 3
        yield root
        ProcessTree(root.pid).kill()


def test_a_map_that_three_processes_share_counts_once(sharing: subprocess.Popen[bytes]) -> None:
    tree = ProcessTree(sharing.pid)
    assert len(tree.members()) == 3
    assert 64 * MIB < tree.pss_bytes() < 64 * MIB + 48 * MIB
    assert tree.rss_bytes() > 3 * 64 * MIB


def test_rss_above_a_limit_is_not_yet_over_it(sharing: subprocess.Popen[bytes]) -> None:
    tree = ProcessTree(sharing.pid)
    assert over(tree, 128 * MIB) is None
    seen = over(tree, 48 * MIB)
    assert seen is not None
    assert seen > 64 * MIB


def test_who_was_once_seen_stays_in_the_tree_without_a_parent() -> None:
    code = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid, flush=True); input()"
    with started(
        [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as root:
        assert root.stdout is not None
        child = int(root.stdout.readline())
        tree = ProcessTree(root.pid)
        assert tree.members() == [root.pid, child]
        root.kill()
        root.wait()
        assert tree.members() == [child]
        tree.kill()
        assert until(lambda: tree.members() == [])


def test_a_tree_that_has_ended_holds_nothing() -> None:
    with subprocess.Popen(["true"]) as root:
        pass
    tree = ProcessTree(root.pid)
    assert (tree.members(), tree.pss_bytes()) == ([], 0)


def test_the_nearer_the_limit_the_closer_the_watch() -> None:
    pauses = [pause_s(used, 2**30) for used in (0, 900 * MIB, 1020 * MIB, 2000 * MIB)]
    assert pauses == sorted(pauses, reverse=True)
    assert (pauses[0], pauses[-1]) == (0.1, 0.002)
