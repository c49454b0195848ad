"""Sampling call stacks in one phase with py-spy, where perf may not.

py-spy reads the worker's memory from outside and stops it for each reading. It knows Python's
frames and, with `--native`, those below them; threads that Python did not start it does not see.
"""

from __future__ import annotations

import itertools
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, ClassVar

from treebench.extras import install_command
from treebench.measure.function_names import short_name
from treebench.measure.probe import Probe, Reading
from treebench.measure.stacks import WORKER, Stacks, folded, frame, library_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PY_SPY_ABSENT = f"py-spy is not installed: {install_command('profile')}"

_PATIENCE_S = 30.0
_COUNTED = re.compile(r"^(?P<stack>.+) (?P<count>\d+)$")
_PLACED = re.compile(r"^(?P<name>.+) \((?P<file>[^()]+)\)$")
_NATIVE = re.compile(r"\.so(\.[\d.]+)?$")
_THREAD = re.compile(r'^thread \(\w+\): "?(.*?)"?$')


class PySpyProbe(Probe):
    """Samples while `phase` runs. Use it as a context manager; what py-spy writes is a file in
    `folder`, which is the caller's to make and remove."""

    name: ClassVar[str] = "py-spy"

    def __init__(
        self, frequency_hz: int, phase: str, folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._frequency_hz = frequency_hz
        self._phase = phase
        self._written = folder / "py-spy.txt"
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0
        self._said = b""
        self.problem: str | None = None
        """Why there is nothing."""

    def attach(self, pid: int) -> None:
        """The worker runs as `pid`."""
        self._pid = pid

    def begin(self, phase: str) -> None:
        """Start py-spy and wait until it samples, if it is the phase."""
        program = py_spy()
        if phase != self._phase:
            return
        if program is None:
            self.problem = PY_SPY_ABSENT
            return
        self._process = subprocess.Popen(
            [
                *(program, "record", "--native", "--threads", "--nolineno", "--format", "raw"),
                *("--rate", str(self._frequency_hz), "--output", str(self._written)),
                *("--pid", str(self._pid)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            start_new_session=True,  # Ctrl-C is for the supervisor
        )
        if not self._says(b"Sampling process", self._process):
            self.problem = refusal(self._said.decode(errors="replace"))

    def end(self, phase: str) -> Reading:
        """Stop sampling, and let py-spy write what it has."""
        if phase == self._phase and self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                said, _ = self._process.communicate(timeout=_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                said, _ = self._process.communicate()
                self.problem = f"py-spy did not end within {_PATIENCE_S:.0f} s"
            self._said += said
        return Reading()

    def stacks(self) -> Stacks:
        """What was sampled; nothing where there is a `problem`."""
        if self.problem is not None or not self._written.exists():
            return Stacks()
        try:
            return parse(self._written.read_text(encoding="utf-8", errors="replace").splitlines())
        except ValueError as error:
            self.problem = str(error)
            return Stacks()

    def __enter__(self) -> PySpyProbe:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _says(self, words: bytes, process: subprocess.Popen[bytes]) -> bool:
        """Wait until py-spy says so, ends, or patience does."""
        assert process.stdout is not None  # noqa: S101 - PIPE was asked for
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while words not in self._said and selector.select(_PATIENCE_S):
                chunk = os.read(process.stdout.fileno(), 4096)
                if not chunk:
                    break
                self._said += chunk
        return words in self._said


def parse(lines: Iterable[str]) -> Stacks:
    """The stacks of py-spy's `raw` format: frames from the outermost, with semicolons between,
    a space, and how often.

    Raises:
        ValueError: a line is no such thing.
    """
    stacks = Stacks()
    for line in lines:
        match = _COUNTED.match(line)
        if match is None:
            raise ValueError(f"py-spy wrote {line[:80]!r} where a stack belongs")
        count = int(match["count"])
        thread, *inner = map(_frame, match["stack"].split(";"))
        # What the C library does before Python's first function tells nothing.
        known = itertools.dropwhile(lambda one: one == "[libc.so]", inner)
        stacks.add([thread, *folded(known)], count, count)
    return stacks


def _frame(text: str) -> str:
    thread = _THREAD.match(text)
    if thread is not None:
        return "main thread" if thread[1] == "MainThread" else f"thread {thread[1]}"
    placed = _PLACED.match(text)
    if placed is None:
        return frame(text, "")
    name, file = placed["name"], placed["file"]
    if not _NATIVE.search(file):
        return _python_frame(name, file)
    return frame(None if name.startswith("0x") else short_name(name), library_name(file))


def _python_frame(name: str, file: str) -> str:
    """A Python function goes by its package; the worker's own are one box."""
    package = file.partition("/")[0]
    if package == "treebench" or file.startswith("<frozen"):
        return WORKER
    return frame(name, package)


def py_spy() -> str | None:
    """The program: of this Python's environment, else from the path."""
    beside = os.path.join(os.path.dirname(sys.executable), "py-spy")
    return beside if os.access(beside, os.X_OK) else shutil.which("py-spy")


def refused() -> str | None:
    """Why py-spy cannot sample here, tried on a Python that does nothing; None if it can."""
    program = py_spy()
    if program is None:
        return PY_SPY_ABSENT
    idle = [sys.executable, "-S", "-c", "import sys; print(flush=True); sys.stdin.read()"]
    with subprocess.Popen(idle, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None  # noqa: S101 - PIPE was asked for
        process.stdout.readline()
        try:
            done = subprocess.run(
                [program, "dump", "--native", "--pid", str(process.pid)],
                check=False,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            return f"py-spy did not read a process within {_PATIENCE_S:.0f} s"
        finally:
            process.kill()
    return None if done.returncode == 0 else refusal(done.stderr)


def refusal(said: str) -> str:
    """Why py-spy would not, in a line with the remedy."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    why = lines[0] if lines else "it said nothing"
    if "ermission" in said or "not permitted" in said:
        return (
            f"py-spy may not read another process ({why}): "
            f"`sysctl kernel.yama.ptrace_scope=0`, or CAP_SYS_PTRACE, would allow it"
        )
    return f"py-spy: {why}"
