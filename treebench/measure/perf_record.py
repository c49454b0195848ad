"""Sampling call stacks in one phase with `perf record`, from outside the worker.

perf is attached at the phase's start, while the worker stands still, and disabled at its end:
threads and children that start later are sampled too. Libraries are built without frame pointers,
so perf copies the top of the stack with each sample, and it is unwound afterwards by the tables
that exceptions use.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.measure.perf_script import FIELDS, Recorded, parse
from treebench.measure.perf_stat import ACK, PERF_ABSENT, paranoid_level
from treebench.measure.probe import Probe, Reading
from treebench.measure.process_tree import ProcessTree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STACK_BYTES = 16_384
"""Of the stack, copied with each sample. Checked: with 16 KiB no stack of XGBoost or LightGBM is
cut; more would only make the recording larger."""

LARGEST_RECORDING = "2G"

_PATIENCE_S = 10.0
_WRITING_S = 120.0
_ENDED_WELL = (0, -signal.SIGINT)  # after its work perf ends by the signal that it was sent
_REFUSED = ("perf_event_paranoid", "permission", "not permitted", "EACCES", "EPERM")


class PerfRecordProbe(Probe):
    """Samples `events` while `phase` runs. Use it as a context manager; the recording is a file
    in `folder`, which is the caller's to make and remove."""

    name: ClassVar[str] = "perf record"

    def __init__(
        self,
        events: Sequence[str],
        frequency_hz: int,
        phase: str,
        folder: Path,
        environment: Mapping[str, str],
    ) -> None:
        self._events = events
        self._frequency_hz = frequency_hz
        self._phase = phase
        self._data = folder / "perf.data"
        self._environment = {**environment, "LC_ALL": "C"}
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints = folder / "perf.txt"
        self._control, self._acks = -1, -1
        self.worker_pid = 0
        self.problem: str | None = None
        """Why there is no recording, or why it is not whole."""

    def attach(self, pid: int) -> None:
        """The worker runs as `pid`."""
        self.worker_pid = pid

    def begin(self, phase: str) -> None:
        """If it is the phase, attach to the worker and its children, which stand still, and
        sample. Attached earlier, perf would not know of the libraries loaded since."""
        if phase == self._phase:
            self._attach(ProcessTree(self.worker_pid).members())
            self._tell(b"enable")

    def _attach(self, pids: Sequence[int]) -> None:
        perf_reads, self._control = os.pipe()
        self._acks, perf_writes = os.pipe()
        command = record_command(self._events, self._frequency_hz, self._data)
        control = ("-D", "-1", "--control", f"fd:{perf_reads},{perf_writes}")
        try:
            with self._complaints.open("wb") as complaints:
                self._process = subprocess.Popen(
                    [*command, *control, "-p", ",".join(map(str, pids))],
                    pass_fds=(perf_reads, perf_writes),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=complaints,
                    env=self._environment,
                    start_new_session=True,  # Ctrl-C is for the supervisor
                )
        except FileNotFoundError:
            self.problem = PERF_ABSENT
        finally:
            os.close(perf_reads)
            os.close(perf_writes)

    def end(self, phase: str) -> Reading:
        """Stop sampling, and let perf write what it has."""
        if phase == self._phase and self._process is not None:
            self._tell(b"disable")
            self._finish(self._process)
        return Reading()

    def recorded(self) -> Recorded:
        """The stacks, once the worker has ended. Without a recording there are none, and
        `problem` says why."""
        if self.problem is not None or not self._data.exists():
            return Recorded()
        try:
            return read(self._data, self.worker_pid, self._environment)
        except ValueError as error:
            self.problem = str(error)
            return Recorded()

    def __enter__(self) -> PerfRecordProbe:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for fd in (self._control, self._acks):
            if fd >= 0:
                os.close(fd)

    def _tell(self, word: bytes) -> None:
        """Send a word and wait for its ack; a perf that gives none has a reason."""
        if self.problem is not None:
            return
        with contextlib.suppress(BrokenPipeError):
            os.write(self._control, word + b"\n")
        answer = b""
        while len(answer) < len(ACK):
            chunk = self._answer()
            if not chunk:
                self.problem = refusal(self._said())
                return
            answer += chunk

    def _answer(self) -> bytes:
        with selectors.DefaultSelector() as selector:
            selector.register(self._acks, selectors.EVENT_READ)
            ready = selector.select(_PATIENCE_S)
        return os.read(self._acks, len(ACK)) if ready else b""

    def _finish(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_WRITING_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.problem = f"perf did not finish its recording within {_WRITING_S:.0f} s"
            return
        said = self._said()
        if self.problem is None and process.returncode not in _ENDED_WELL:
            self.problem = refusal(said)
        if "perf size limit" in said:
            self.problem = f"the recording reached {LARGEST_RECORDING}B; lower --frequency"

    def _said(self) -> str:
        return self._complaints.read_text(encoding="utf-8", errors="replace")


def record_command(events: Sequence[str], frequency_hz: int, data: Path) -> list[str]:
    """`perf record` with user code's stacks."""
    return [
        *("perf", "record", "-o", str(data), "-F", str(frequency_hz)),
        *("-e", ",".join(f"{event}:u" for event in events)),
        *("--call-graph", f"dwarf,{STACK_BYTES}", f"--max-size={LARGEST_RECORDING}"),
    ]


def read(data: Path, worker_pid: int, environment: Mapping[str, str]) -> Recorded:
    """A recording's stacks. Inlined functions are left out: without debug information there are
    none, and looking for them takes minutes.

    Raises:
        ValueError: perf cannot read it.
    """
    command = ["perf", "script", "-i", str(data), "--no-inline", "--show-lost-events", "-F", FIELDS]
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=dict(environment),
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process,
    ):
        assert process.stdout is not None  # noqa: S101 - PIPE was asked for
        try:
            found = parse(process.stdout, worker_pid)
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace")
            raise ValueError(f"perf script cannot read the recording ({_first_line(said)})")
    return found


def refused(event: str) -> str | None:
    """Why perf cannot sample `event` here, tried on a command that does nothing; None if it
    can."""
    if shutil.which("perf") is None:
        return PERF_ABSENT
    command = [*record_command([event], 99, Path(os.devnull)), "--", "true"]
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done: subprocess.CompletedProcess[Any] = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        return f"perf record did not end within {_PATIENCE_S:.0f} s"
    return None if done.returncode == 0 else refusal(done.stderr)


def refusal(said: str) -> str:
    """Why perf would not record, in a line with the remedy."""
    if any(word.lower() in said.lower() for word in _REFUSED):
        level = paranoid_level()
        held = "a seccomp filter" if level is None else f"kernel.perf_event_paranoid = {level}"
        return (
            f"perf may not sample here ({held}, or the container's seccomp filter): "
            f"`sysctl kernel.perf_event_paranoid=2`, or CAP_PERFMON, would allow it"
        )
    return f"perf record: {_first_line(said)}"


def _first_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line for line in lines if line != "Error:" and not line.startswith("[ perf record")]
    return told[0] if told else "it said nothing"
