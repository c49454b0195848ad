"""The worker's side of the handshake: one phase, bracketed and clocked."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from treebench.worker.protocol import encode

if TYPE_CHECKING:
    from collections.abc import Iterator


class SupervisorGoneError(Exception):
    """The supervisor's end of the pipe is closed: there is nobody to measure for."""


class Stage:
    """Runs phases under the supervisor's eyes. `phase` is the one running, for error reports."""

    def __init__(self, receive: BinaryIO, send: BinaryIO) -> None:
        self._receive = receive
        self._send = send
        self.phase: str | None = None

    def say(self, message: dict[str, Any]) -> None:
        """Send one message."""
        self._send.write(encode(message))
        self._send.flush()

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Everything inside is the phase; its clocks start after the go and stop before the word.

        Raises:
            SupervisorGoneError: the supervisor died.
        """
        self.phase = phase
        self.say({"say": "begin", "phase": phase})
        self._wait_for_go()
        cpu_start, wall_start = time.process_time_ns(), time.perf_counter_ns()
        yield
        wall_ns = time.perf_counter_ns() - wall_start
        cpu_ns = time.process_time_ns() - cpu_start
        self.say({"say": "end", "phase": phase, "wall_ns": wall_ns, "cpu_ns": cpu_ns})
        self._wait_for_go()
        self.phase = None

    def _wait_for_go(self) -> None:
        if not self._receive.readline():
            raise SupervisorGoneError
