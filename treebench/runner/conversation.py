"""The supervisor's side of the handshake: probes around phases, and a deadline over all.

Nothing here knows what a process is: a channel, probes and a clock are given, so that every turn
a sample can take is tested without one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from treebench.store.row import PhaseFigures
from treebench.worker.protocol import PROTOCOL_VERSION, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.measure.probe import Probe

_AT_THE_END = ("end_rss_bytes", "tree_anon_bytes", "tree_file_bytes", "tree_shmem_bytes")
_GO = encode({"say": "go"})

Ending = Literal["result", "error", "timeout", "died"]


class ChannelClosedError(Exception):
    """The worker's end of the pipe is closed."""


class UnreadableMessageError(Exception):
    """The worker said something that is not the protocol."""


class Channel(Protocol):
    """Two pipes to a worker."""

    def send(self, line: bytes) -> None:
        """Send one line.

        Raises:
            ChannelClosedError: nobody reads any more.
        """

    def receive(self, timeout_s: float) -> dict[str, Any] | None:
        """The next message, or None once `timeout_s` seconds passed without one.

        Raises:
            ChannelClosedError: no message will come any more.
            UnreadableMessageError: what came is no message.
        """


@dataclass
class Outcome:
    """How a sample went, as far as the pipe tells.

    `message` is the worker's result or error; `known` its result but for the scores by iteration,
    said before they were found. `phase` is the one that was running at the end, None if it ended
    between phases.
    """

    ending: Ending = "died"
    phases: dict[str, PhaseFigures] = field(default_factory=dict)
    message: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Any] | None = None
    phase: str | None = None

    @property
    def result(self) -> dict[str, Any] | None:
        """What the worker told of its model; None where the sample ended without. All that is
        judged is over once iterations are scored, so that a deadline costs no more than these."""
        if self.ending == "timeout" and self.phase == "curve":
            return self.known
        return self.message if self.ending == "result" else None


class Conversation:
    """One sample, from the trial to its result, error, death or deadline."""

    def __init__(
        self,
        channel: Channel,
        probes: Sequence[Probe],
        deadline_s: float,
        clock: Callable[[], float],
    ) -> None:
        self._channel = channel
        self._probes = probes
        self._clock = clock
        self._ends_at = clock() + deadline_s
        self.outcome = Outcome()

    def hold(self, trial_line: bytes) -> Outcome:
        """Hold the conversation to its end, however it ends."""
        outcome = self.outcome
        try:
            outcome.ending = self._talk(trial_line)
        except ChannelClosedError:
            outcome.ending = "died"
        except UnreadableMessageError as error:
            outcome.ending = "error"
            outcome.message = {"kind": "ProtocolError", "message": str(error)}
        if outcome.phase is not None:
            self._close_unfinished(outcome.phase)
        return outcome

    def _talk(self, trial_line: bytes) -> Ending:
        hello = self._next()
        if hello is None:
            return "timeout"
        if hello.get("protocol") != PROTOCOL_VERSION:
            raise UnreadableMessageError(
                f"the worker opened with {hello}, not with protocol {PROTOCOL_VERSION}; "
                f"install the same treebench for both"
            )
        self._channel.send(trial_line)
        while (message := self._next()) is not None:
            ending = self._answer(message)
            if ending is not None:
                return ending
        return "timeout"

    def _next(self) -> dict[str, Any] | None:
        """The next message, or None when the deadline has passed."""
        left = self._ends_at - self._clock()
        return self._channel.receive(left) if left > 0 else None

    def _answer(self, message: dict[str, Any]) -> Ending | None:
        match message:
            case {"say": "begin", "phase": str(phase)}:
                self._begin(phase)
            case {"say": "end", "phase": str(phase), "wall_ns": int(wall), "cpu_ns": int(cpu)}:
                self._end(phase, wall, cpu)
            case {"say": "known"}:
                self.outcome.known = message
                return None
            case {"say": "result" | "error" as ending}:
                self.outcome.message = message
                return "result" if ending == "result" else "error"
            case _:
                raise UnreadableMessageError(f"the worker said {str(message)[:200]}")
        self._channel.send(_GO)
        return None

    def _begin(self, phase: str) -> None:
        if self.outcome.phase is not None or phase in self.outcome.phases:
            raise UnreadableMessageError(f"phase {phase} began where none could")
        self.outcome.phase = phase
        for probe in self._probes:
            probe.begin(phase)

    def _end(self, phase: str, wall_ns: int, cpu_ns: int) -> None:
        if phase != self.outcome.phase:
            raise UnreadableMessageError(f"phase {phase} ended, but {self.outcome.phase} ran")
        self.outcome.phases[phase] = self._figures(phase, wall_ns=wall_ns, cpu_ns=cpu_ns)
        self.outcome.phase = None

    def _close_unfinished(self, phase: str) -> None:
        """What can still be read of a phase that was cut short: memory so far, but no time."""
        reason = "the phase did not end"
        figures = self._figures(phase, missing={"wall_ns": reason, "cpu_ns": reason})
        if self.outcome.ending == "died":
            # A peak outlives its process; what a process holds does not.
            figures = figures.without(_AT_THE_END, "the process had died")
        self.outcome.phases[phase] = figures

    def _figures(
        self,
        phase: str,
        wall_ns: int | None = None,
        cpu_ns: int | None = None,
        missing: dict[str, str] | None = None,
    ) -> PhaseFigures:
        figures: dict[str, Any] = {}
        reasons = dict(missing or {})
        for probe in self._probes:
            reading = probe.end(phase)
            figures.update(reading.figures)
            reasons.update(reading.missing)
        return PhaseFigures(wall_ns=wall_ns, cpu_ns=cpu_ns, missing=reasons, **figures)
