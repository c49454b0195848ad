"""A worker process: started, talked to, and, whatever happens, ended with all its children."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.runner.conversation import ChannelClosedError, UnreadableMessageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

_STDERR_TAIL_BYTES = 4_000
_LONGEST_MESSAGE_BYTES = 64 * 2**20
_READ_BYTES = 65_536
_GRACE_S = 5.0


def worker_command(python: str) -> tuple[str, ...]:
    """What starts a worker. `-P`: a file named xgboost.py in the current folder must not stand in
    for the library."""
    return (python, "-P", "-m", "treebench.worker")


WORKER_COMMAND = worker_command(sys.executable)


@dataclass(frozen=True)
class Death:
    """How the process ended: `exit_code` is None where a signal ended it."""

    exit_code: int | None
    signal_name: str | None


class WorkerProcess:
    """A worker and its two pipes. Leaving the context kills whatever still runs."""

    def __init__(self, environment: Mapping[str, str], command: Sequence[str] = WORKER_COMMAND):
        with ExitStack() as opened:
            # All that needs a file of its own comes before the process: should this process have
            # too many open, none is started that nobody would end.
            self._selector = opened.enter_context(selectors.DefaultSelector())
            worker_reads, self._write_fd = _pipe(opened)
            self._read_fd, worker_writes = _pipe(opened)
            self._process = subprocess.Popen(
                [*command, str(worker_reads), str(worker_writes), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                # What a library prints belongs to the record, not on the person's screen.
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(worker_reads, worker_writes),
                env=dict(environment),
                # Its own group, so that one signal reaches its children, and Ctrl-C does not.
                start_new_session=True,
            )
            opened.pop_all()
        os.close(worker_reads)
        os.close(worker_writes)
        assert self._process.stdout is not None  # noqa: S101 - PIPE was asked for
        self._output_fd = self._process.stdout.fileno()
        os.set_blocking(self._read_fd, False)
        os.set_blocking(self._output_fd, False)
        self._selector.register(self._read_fd, selectors.EVENT_READ, self._take_messages)
        self._selector.register(self._output_fd, selectors.EVENT_READ, self._take_output)
        self._received = b""
        self._closed = False
        self._messages: deque[dict[str, Any]] = deque()
        self._output = b""
        self._death: Death | None = None

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    @property
    def output_tail(self) -> str:
        """The last that the worker printed, on either stream."""
        return self._output.decode(errors="replace").strip()

    def send(self, line: bytes) -> None:
        """Send one line; see `Channel`."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._write_fd, rest) :]
        except BrokenPipeError:
            raise ChannelClosedError from None

    def receive(self, timeout_s: float) -> dict[str, Any] | None:
        """The next message; see `Channel`."""
        ends_at = time.monotonic() + timeout_s
        while not self._messages:
            if self._closed:
                raise ChannelClosedError
            left = ends_at - time.monotonic()
            if left <= 0:
                return None
            for key, _ in self._selector.select(left):
                key.data()
        return self._messages.popleft()

    def end(self) -> Death:
        """Let the process end by itself for a moment, then kill what is left of it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
        return self.kill()

    def kill(self) -> Death:
        """Kill the process group and every descendant, and wait until they are gone."""
        if self._death is None:
            self._death = self._kill()
        return self._death

    def _kill(self) -> Death:
        descendants = _descendants(self.pid)
        with contextlib.suppress(ProcessLookupError):  # the whole group may be gone already
            os.killpg(self.pid, signal.SIGKILL)
        _end(descendants)
        code = self._process.wait()
        self._drain()
        if code < 0:
            return Death(None, signal_name_of(-code))
        return Death(code, None)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        self._selector.close()
        os.close(self._write_fd)
        os.close(self._read_fd)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _take_messages(self) -> None:
        chunk = _read(self._read_fd)
        if chunk is None:
            return
        if not chunk:
            self._selector.unregister(self._read_fd)
            self._closed = True
            return
        *lines, self._received = (self._received + chunk).split(b"\n")
        if len(self._received) > _LONGEST_MESSAGE_BYTES:
            raise UnreadableMessageError("the worker sent a line without end")
        self._messages.extend(_parsed(line) for line in lines)

    def _take_output(self) -> bool:
        """Take what was printed; False once there is no more for now."""
        chunk = _read(self._output_fd)
        if chunk:
            self._output = (self._output + chunk)[-_STDERR_TAIL_BYTES:]
            return True
        if chunk == b"" and self._output_fd in self._selector.get_map():
            self._selector.unregister(self._output_fd)
        return False

    def _drain(self) -> None:
        while self._take_output():
            pass


def _pipe(opened: ExitStack) -> tuple[int, int]:
    """The reading and the writing end of a pipe, which `opened` closes."""
    ends = os.pipe()
    for end in ends:
        opened.callback(os.close, end)
    return ends


def _read(fd: int) -> bytes | None:
    """What can be read now; empty at the end of the file; None if there is nothing yet."""
    try:
        return os.read(fd, _READ_BYTES)
    except BlockingIOError:
        return None


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise UnreadableMessageError(f"the worker sent {line[:200]!r}")
    return message


def signal_name_of(number: int) -> str:
    """`SIGSEGV`; real-time signals have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end(processes: Sequence[Any]) -> None:
    """Kill processes that may have ended since they were listed, and wait until they are gone, so
    that what they held is free before the next sample begins."""
    import psutil

    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    ends_at = time.monotonic() + _GRACE_S
    while any(map(_holds_memory, processes)) and time.monotonic() < ends_at:
        time.sleep(0.01)


def _holds_memory(process: Any) -> bool:
    """Whether a process still runs; one that nobody has reaped yet has ended."""
    import psutil

    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _descendants(pid: int) -> list[Any]:
    """Every process below `pid`, also those that left its group."""
    import psutil

    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
