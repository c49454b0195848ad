"""A supervisor that may open no more files: it says so, and leaves no process, file or folder."""

from __future__ import annotations

import errno
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.runner.test_process import FAKE, measure
from treebench.measure.cgroup import Unavailable
from treebench.measure.tree_memory import open_cgroup
from treebench.runner.process import WorkerProcess


@contextmanager
def files_left(count: int) -> Iterator[None]:
    """Let this process open so many files more."""
    highest = max(map(int, os.listdir("/proc/self/fd")))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(highest)]
    top = max(held) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (top + count, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for one in held:
            os.close(one)


def opened() -> int:
    return len(os.listdir("/proc/self/fd"))


def own_things() -> set[str]:
    """Our cgroups, and our folders for temporary files."""
    found = {str(path) for path in Path(tempfile.gettempdir()).glob(f"treebench-*{os.getpid()}-*")}
    cgroup = open_cgroup()
    if not isinstance(cgroup, Unavailable):
        cgroup.remove()
        found |= {str(path) for path in cgroup.folder.parent.glob(f"treebench-{os.getpid()}-*")}
    return found


@pytest.mark.parametrize("count", range(9))
def test_a_worker_that_cannot_be_started_leaves_no_file_open_and_no_process(count: int) -> None:
    before, children = opened(), psutil.Process().children()
    with files_left(count), pytest.raises(OSError, match="Too many open files") as caught:
        WorkerProcess(dict(os.environ), FAKE)
    assert caught.value.errno == errno.EMFILE
    assert opened() <= before
    assert set(psutil.Process().children()) <= set(children)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 8, 13, 21])
def test_a_sample_is_a_row_or_says_what_was_missing_and_leaves_nothing(count: int) -> None:
    before, things, children = opened(), own_things(), psutil.Process().children()
    ending: object = None
    try:
        with files_left(count):
            ending = measure(["load", "sleep", 0]).status
    except OSError as error:
        ending = error.errno
    assert ending in ("ok", errno.EMFILE)
    assert opened() <= before
    assert set(psutil.Process().children()) <= set(children)
    assert own_things() <= things
