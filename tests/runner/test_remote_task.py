"""The Dask worker's side: a process per order, that ends when its answer is not wanted."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from treebench.runner.remote_task import answer_of

if TYPE_CHECKING:
    from pathlib import Path

# Reads one line, then answers with it; with `wait` it waits for the end of stdin.
ECHO = """
import json, os, sys
order = json.loads(sys.stdin.readline())
print("a word for the log", file=sys.stderr)
if "pid" in order:
    open(order["pid"], "w").write(str(os.getpid()))
    rest = sys.stdin.read()
    order["stopped"] = True
if "die" in order:
    os._exit(7)
if "stubborn" in order:
    import time; time.sleep(600)
json.dump(order, sys.stdout)
"""
COMMAND = (sys.executable, "-c", ECHO)


def test_the_answer_is_what_the_process_wrote() -> None:
    order = {"do": "ask", "text": "ü" * 100_000}
    assert answer_of(order, lambda: True, COMMAND) == order


def test_what_it_printed_is_in_the_workers_log(
    capfd: pytest.CaptureFixture[str],
) -> None:
    answer_of({"do": "ask"}, lambda: True, COMMAND)
    assert "a word for the log" in capfd.readouterr().err


def test_an_order_that_is_taken_back_stops_its_process(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    answer = answer_of({"pid": str(told)}, lambda: not told.exists(), COMMAND)
    assert answer["stopped"] is True
    assert not psutil.pid_exists(int(told.read_text()))


def test_a_process_that_does_not_stop_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treebench.runner.remote_task._GRACE_S", 0.2)
    started = time.monotonic()
    answer = answer_of({"stubborn": True}, lambda: False, COMMAND)
    assert "ended with code -9" in answer["problem"]
    assert time.monotonic() - started < 300


def test_a_process_that_dies_is_a_problem_with_its_last_words() -> None:
    answer = answer_of({"die": True}, lambda: True, COMMAND)
    assert "ended with code 7 and no answer: a word for the log" in answer["problem"]
