"""What counts events around one sample, by the tier the run takes."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Literal, Protocol

from treebench.measure import counters
from treebench.measure.callgrind import CallgrindProbe
from treebench.runner.caretaker_process import MARK_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from treebench.measure.counters import Choice
    from treebench.measure.probe import Probe
    from treebench.runner.caretaker import Caretaker


class Counting(Protocol):
    """A context around one sample."""

    @property
    def probes(self) -> Sequence[Probe]:
        """What is told of the phases."""

    def around(self, command: Sequence[str]) -> Sequence[str]:
        """The worker's command, inside whatever counts."""

    def counters(self) -> dict[str, Any] | None:
        """The row's `counters`, once the worker has ended and before the context is left."""

    def __enter__(self) -> Counting: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class _OnePerSample:
    """A context that adds nothing by itself."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class NoCounting(_OnePerSample):
    """Nothing counts; where a tier was asked for, the row says why."""

    probes: Sequence[Probe] = ()

    def __init__(self, choice: Choice) -> None:
        self._choice = choice

    def around(self, command: Sequence[str]) -> Sequence[str]:
        """The command as it is."""
        return command

    def counters(self) -> dict[str, Any] | None:
        """None, or the reasons."""
        return counters.no_counters(self._choice)


class PerfCounting(NoCounting):
    """`perf stat` beside the worker, outside the sample's cgroup: left alone it would watch a
    worker that is gone for a second or two, so it has a mark of its own for the caretaker."""

    def __init__(
        self,
        choice: Choice,
        tier: Literal["hardware", "software"],
        block: int,
        caretaker: Caretaker | None = None,
    ) -> None:
        super().__init__(choice)
        self._caretaker = caretaker
        self._mark = uuid.uuid4().hex
        self._probe = counters.perf_probe(tier, block, {MARK_VARIABLE: self._mark})
        self.probes = (self._probe,)

    def counters(self) -> dict[str, Any]:
        """What perf counted."""
        return counters.perf_counters(self._choice, self._probe.counted)

    def __enter__(self) -> PerfCounting:
        if self._caretaker is not None:
            self._caretaker.made("mark", self._mark)
        return self

    def __exit__(self, *error: object) -> None:
        self._probe.__exit__(*error)
        if self._caretaker is not None:
            self._caretaker.gone(self._mark)


class CallgrindCounting(NoCounting):
    """The worker under callgrind, at a reduced size."""

    def __init__(
        self, choice: Choice, reduced: Mapping[str, Any], caretaker: Caretaker | None = None
    ) -> None:
        super().__init__(choice)
        self._caretaker = caretaker
        self._probe = CallgrindProbe(counters.COUNTED_PHASES)
        self._reduced = reduced
        self.probes = (self._probe,)

    def around(self, command: Sequence[str]) -> Sequence[str]:
        """The command under callgrind."""
        return self._probe.command(command)

    def counters(self) -> dict[str, Any]:
        """What callgrind simulated."""
        return counters.simulated_counters(self._choice, self._probe, self._reduced)

    def __enter__(self) -> CallgrindCounting:
        if self._caretaker is not None:
            self._caretaker.made("folder", self._probe.folder)
        self._probe.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._probe.__exit__(*error)
        if self._caretaker is not None:
            self._caretaker.gone(self._probe.folder)


def uncounted(_block: int) -> Counting:
    """Nothing was asked for."""
    return NoCounting(counters.Choice(None))


def timed_counting(choice: Choice, block: int, caretaker: Caretaker | None = None) -> Counting:
    """What rides along with a timed sample. The simulated tier does not: it has samples of its
    own."""
    if choice.tier in ("hardware", "software"):
        return PerfCounting(choice, choice.tier, block, caretaker)
    return NoCounting(counters.Choice(None, {} if choice.tier else choice.absent))
