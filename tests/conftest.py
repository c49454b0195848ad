"""What holds for every test."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

_HEARD: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGCHLD: signal.SIG_DFL,
}

# Drawn examples are the same wherever the tests run, and a slow machine is no failure;
# `TREEBENCH_FUZZ` (tests/properties) draws others.
settings.register_profile(
    "treebench",
    derandomize="TREEBENCH_FUZZ" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("treebench")


def pytest_configure() -> None:
    """Whoever starts the tests may be deaf to some signals, and a child inherits that: a shell
    ignores Ctrl-C in what it puts in the background, and some supervisors block it or do not want
    to hear of children. No test may depend on how it was started."""
    _hear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Nor on what ran before it: `main` ends deaf to Ctrl-C where it was stopped by one, which is
    of no matter but where a test calls it."""
    _hear()


def _hear() -> None:
    for number, action in _HEARD.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, action)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the data sets of whoever runs it; nor, as none pulls the plug, does
    one wait for the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TREEBENCH_CACHE", str(tmp_path_factory.mktemp("made-sets")))
        patch.setattr(os, "fsync", lambda _: None)
        yield
