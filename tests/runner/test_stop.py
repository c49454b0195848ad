"""SIGTERM stops a verb as Ctrl-C does; a real run that is stopped by it is in the slow tests."""

from __future__ import annotations

import signal

import pytest

from treebench.runner.stop import stop_on_sigterm


def test_sigterm_is_ctrl_c_inside_and_what_it_was_outside() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), stop_on_sigterm():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before
