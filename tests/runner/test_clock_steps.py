"""A wall clock that is set while a sweep runs: times and deadlines are those of a clock that nobody
sets."""

from __future__ import annotations

import ast
import datetime
import itertools
import time
from pathlib import Path

import pytest

import treebench
from tests.runner.test_process import measure

ROOMS = ("runner", "worker", "measure", "store", "trainers", "data/reading", "machine", "plan")
_SET_BY_PEOPLE = {"time", "time_ns", "ctime", "localtime", "gmtime"}


def uses_of_the_wall_clock(source: Path) -> list[str]:
    """Calls of `time.time` and its like; `datetime.now` is for telling people when."""
    found = []
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "time" and node.attr in _SET_BY_PEOPLE:
                found.append(f"{source}:{node.lineno}")
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            names = {one.name for one in node.names}
            found += [f"{source}:{node.lineno}"] if names & _SET_BY_PEOPLE else []
    return found


def test_nothing_that_measures_or_waits_reads_the_wall_clock() -> None:
    package = Path(treebench.__file__).parent
    sources = [path for room in ROOMS for path in (package / room).rglob("*.py")]
    assert len(sources) > 100
    assert [use for source in sources for use in uses_of_the_wall_clock(source)] == []


def test_the_check_sees_the_wall_clock(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import time\nfrom time import time as now\ntime.time_ns()\n")
    assert len(uses_of_the_wall_clock(tmp_path / "a.py")) == 2


@pytest.mark.parametrize("step_s", [-86_400, 86_400])
def test_a_clock_that_jumps_changes_no_time_and_no_deadline(
    step_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = itertools.count()
    start = time.time()

    class Jumping(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Jumping:
            return cls.fromtimestamp(start + next(steps) * step_s, tz)

    monkeypatch.setattr(time, "time", lambda: start + next(steps) * step_s)
    monkeypatch.setattr(datetime, "datetime", Jumping)
    row = measure(["load", "sleep", 0], ["fit", "sleep", 0.05], deadline_s=60)
    assert row.status == "ok"
    wall_ns = row.phases["fit"].wall_ns
    assert wall_ns is not None
    assert 0.05e9 <= wall_ns < 60e9
    late = measure(["fit", "sleep", 60], deadline_s=1.5)
    assert late.status == "timeout"
