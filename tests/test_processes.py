"""What the tests rely on when they start processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest

from tests.processes import gone, runs, started, until
from treebench.cli import main

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
DEAF = """
import os, signal, sys
for each in sys.argv[1].split(","):
    signal.signal(int(each), signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", sys.argv[2]])
"""


def test_a_process_ends_with_its_block_though_the_test_fails() -> None:
    seen: list[subprocess.Popen[bytes]] = []

    def fail() -> None:
        with started(["sleep", "600"]) as process:
            assert runs(psutil.Process(process.pid))
            seen.append(process)
            raise AssertionError

    with pytest.raises(AssertionError):
        fail()
    assert seen[0].returncode == -signal.SIGKILL


def test_one_that_nobody_has_reaped_has_ended() -> None:
    with started(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not runs(psutil.Process(process.pid))
        assert gone(process.pid, 0)
    assert gone(process.pid, 0)


def test_what_does_not_come_to_hold_is_said() -> None:
    assert until(lambda: True, 0)
    assert not until(lambda: False, 0)
    assert not gone(os.getpid(), 0)


def test_signals_are_heard() -> None:
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.SIG_IGN not in map(signal.getsignal, SIGNALS)


def test_a_verb_that_is_stopped_leaves_this_process_deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("treebench.cli.verbs.call", stopped)
    with pytest.raises(SystemExit):
        main(["plan", "quickstart"])
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_and_the_next_test_hears_again() -> None:
    test_signals_are_heard()


def test_signals_are_heard_though_whoever_starts_the_tests_is_deaf_to_them() -> None:
    this = f"{__file__}::{test_signals_are_heard.__name__}"
    numbers = ",".join(str(int(each)) for each in SIGNALS)
    done = subprocess.run(
        [sys.executable, "-c", DEAF, numbers, this], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
