"""Counting events per phase with `perf stat`, from outside the worker.

One `perf stat` prints its figures only when it ends, so each counted phase has one of its own. All
are attached, disabled, to the worker before it has started a thread: every thread and child it
starts later inherits them. A phase's own is enabled at its start, disabled at its end, then told
to print. Disabled events hold no counter of the PMU, so the phases do not crowd each other.

perf could be the worker's parent instead. Then the worker's death, its exit code and its cgroup
would be perf's to pass on; attached, it stands beside the worker, and its memory too.
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

from treebench.measure.kernel_text import setting
from treebench.measure.perf_output import Counted, figure_name, parse
from treebench.measure.probe import Probe, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PERF_ABSENT = "perf is not installed (Debian: linux-perf; Ubuntu: linux-tools-$(uname -r))"
ACK = b"ack\n\0"
_PATIENCE_S = 5.0
_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")

# What the kernel counts on its own behalf reads 0 when restricted to user code.
_UNRESTRICTED = frozenset({"context-switches", "cpu-migrations"})


class PerfStatProbe(Probe):
    """Counts groups of events in each of the given phases. Use it as a context manager."""

    name: ClassVar[str] = "perf stat"

    def __init__(
        self,
        groups: Sequence[Sequence[str]],
        phases: Sequence[str],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`environment` is what perf has in its own beside the usual, to be known by."""
        self._groups = groups
        self._phases = phases
        self._environment = {**os.environ, "LC_ALL": "C", **(environment or {})}
        self._switches: dict[str, _Switch] = {}
        self.counted: dict[str, Counted] = {}
        """What was counted, by phase."""

    def attach(self, pid: int) -> None:
        """The worker runs as `pid`, and has not started a thread yet."""
        if shutil.which("perf") is not None:
            self._switches = {
                phase: _Switch(pid, self._groups, self._environment) for phase in self._phases
            }

    def begin(self, phase: str) -> None:
        """Wait until all are attached, then count."""
        for switch in self._switches.values():
            switch.wait_until_attached()
        if phase in self._switches:
            self._switches[phase].tell(b"enable")

    def end(self, phase: str) -> Reading:
        """Stop counting; the figures stand in `counted`."""
        if phase in self._phases:
            self.counted[phase] = self._count(phase)
        return Reading()

    def __enter__(self) -> PerfStatProbe:
        return self

    def __exit__(self, *_: object) -> None:
        for switch in self._switches.values():
            switch.close()

    def _count(self, phase: str) -> Counted:
        events = [event for group in self._groups for event in group]
        if phase not in self._switches:
            return Counted(missing={figure_name(event): PERF_ABSENT for event in events})
        switch = self._switches.pop(phase)
        try:
            switch.tell(b"disable")
            printed, complaints = switch.finish()
        finally:
            switch.close()
        return parse(printed, complaints, events, paranoid_level())


class _Switch:
    """One `perf stat`, attached to a process, disabled at first."""

    def __init__(
        self, pid: int, groups: Sequence[Sequence[str]], environment: Mapping[str, str]
    ) -> None:
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        perf_reads, self._control = os.pipe()
        self._acks, perf_writes = os.pipe()
        self._attached = False
        try:
            self._process = subprocess.Popen(
                _command(pid, groups, (perf_reads, perf_writes), self._printed.fileno()),
                pass_fds=(perf_reads, perf_writes, self._printed.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                env=dict(environment),
                start_new_session=True,  # Ctrl-C is for the supervisor
            )
        finally:
            os.close(perf_reads)
            os.close(perf_writes)

    def wait_until_attached(self) -> None:
        """perf answers once its events are open."""
        if not self._attached:
            self._attached = True
            self.tell(b"disable")

    def tell(self, word: bytes) -> None:
        """Send a word and wait for its ack. A perf that has ended gives none: why it did is in
        what it complained of."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._control, word + b"\n")
        answer = b""
        while len(answer) < len(ACK):
            chunk = self._answer()
            if not chunk:
                return
            answer += chunk

    def _answer(self) -> bytes:
        with selectors.DefaultSelector() as selector:
            selector.register(self._acks, selectors.EVENT_READ)
            if not selector.select(_PATIENCE_S):
                self._process.kill()
                return b""
        return os.read(self._acks, len(ACK))

    def finish(self) -> tuple[str, str]:
        """End perf and return what it printed and what it complained of. SIGINT makes it print;
        the control word `stop` would not end it."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        return _contents(self._printed), _contents(self._complaints)

    def close(self) -> None:
        """End perf, however it is doing, and let go of the pipes."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._control)
        os.close(self._acks)
        self._printed.close()
        self._complaints.close()


def paranoid_level(path: Path = _PARANOID) -> str | None:
    """The contents of perf_event_paranoid; None where the kernel has no such setting."""
    return setting(path)


def event_list(groups: Sequence[Sequence[str]]) -> str:
    """Groups as perf takes them; user code only, wherever that has a meaning."""
    return ",".join(_group(group) for group in groups)


def _group(group: Sequence[str]) -> str:
    restricted = [event if event in _UNRESTRICTED else f"{event}:u" for event in group]
    return restricted[0] if len(restricted) == 1 else "{" + ",".join(restricted) + "}"


def _command(
    pid: int, groups: Sequence[Sequence[str]], control: tuple[int, int], printed_fd: int
) -> list[str]:
    return [
        *("perf", "stat", "-j", "-D", "-1"),
        *("--control", f"fd:{control[0]},{control[1]}"),
        *("--log-fd", str(printed_fd)),
        *("-e", event_list(groups)),
        *("-p", str(pid)),
    ]


def count_command(groups: Sequence[Sequence[str]], command: Sequence[str]) -> Counted:
    """The events of one whole command, which is how one learns what can be counted here."""
    events = [event for group in groups for event in group]
    if shutil.which("perf") is None:
        return Counted(missing={figure_name(event): PERF_ABSENT for event in events})
    with tempfile.NamedTemporaryFile("r") as printed:
        done: subprocess.CompletedProcess[Any] = subprocess.run(
            ["perf", "stat", "-j", "-o", printed.name, "-e", event_list(groups), *command],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
        )
        return parse(printed.read(), done.stderr, events, paranoid_level())


def _contents(file: Any) -> str:
    file.seek(0)
    return bytes(file.read()).decode(errors="replace")
