"""What holds for every test."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the data sets of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TREEBENCH_CACHE", str(tmp_path_factory.mktemp("made-sets")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_is_heard() -> None:
    """Whoever starts the tests may be deaf to Ctrl-C, and a child inherits that: a shell ignores
    it in what it puts in the background, and some supervisors block it. The tests of Ctrl-C must
    not depend on how they were started."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
