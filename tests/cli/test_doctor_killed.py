"""A self-test that is killed leaves neither a folder nor what wrote there."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from tests.processes import started, until
from treebench.measure.callgrind import why_absent

pytestmark = pytest.mark.skipif(why_absent() is not None, reason=str(why_absent()))

WALKS = """
from treebench.cli.doctor import _watched
from treebench.measure.callgrind_walk import simulate_walks
simulate_walks(_watched)
"""


def under_callgrind(folder: Path) -> list[int]:
    """Processes whose command line names the folder."""
    listed = psutil.process_iter(["pid", "cmdline"])
    return [
        each.info["pid"]
        for each in listed
        if any(str(folder) in word for word in each.info["cmdline"] or ())
    ]


def test_the_folder_of_callgrind_goes_with_a_killed_self_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started([sys.executable, "-c", WALKS]):
        assert until(lambda: list(tmp_path.glob("treebench-callgrind-*/vgdb*")))
    assert until(lambda: not list(tmp_path.iterdir()))
    assert until(lambda: not under_callgrind(tmp_path))
