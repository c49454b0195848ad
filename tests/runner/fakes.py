"""Stand-ins for what a supervisor talks to: no process, no waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.measure.probe import Probe, Reading
from treebench.plan.build import Plan, PlannedCell, control_cell
from treebench.plan.cell import CellSpec
from treebench.runner.conversation import ChannelClosedError
from treebench.runner.local import SampleInterrupted
from treebench.store.row import Kind, SampleError, SampleRow, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.runner.sweep import Wanted

HELLO = {"say": "hello", "protocol": 1}


class FakeClock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class FakeChannel:
    """Plays a script: messages, seconds of silence, or the word `closed`."""

    def __init__(self, clock: FakeClock, script: Sequence[dict[str, Any] | float | str]) -> None:
        self._clock = clock
        self._script = list(script)
        self.sent: list[bytes] = []

    def send(self, line: bytes) -> None:
        self.sent.append(line)

    def receive(self, timeout_s: float) -> dict[str, Any] | None:
        if not self._script or self._script[0] == "closed":
            raise ChannelClosedError
        item = self._script.pop(0)
        if isinstance(item, dict):
            return item
        silence_s = float(item)
        if silence_s >= timeout_s:
            self._clock.now_s += timeout_s
            return None
        self._clock.now_s += silence_s
        return self.receive(timeout_s - silence_s)


class RecordingProbe(Probe):
    """Writes down when it was armed and read."""

    name = "recording"

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def attach(self, pid: int) -> None:
        self.log.append(f"attach {pid}")

    def begin(self, phase: str) -> None:
        self.log.append(f"begin {phase}")

    def end(self, phase: str) -> Reading:
        self.log.append(f"end {phase}")
        return Reading({"peak_rss_bytes": 10}, {"end_rss_bytes": "not asked"})


def cell(
    rows: int, steps: Sequence[Sequence[Any]] = (), memory_limit_bytes: int | None = None
) -> PlannedCell:
    """A cell without data; `steps` are for the fake worker."""
    spec = CellSpec("toy", "0" * 64, rows, 2, "dense-c", "xgboost", {}, {}, 1, memory_limit_bytes)
    return PlannedCell(spec, None, {"steps": [list(step) for step in steps]})


def plan(*cells: PlannedCell, samples: int = 2, seed: int = 0, memory_samples: int = 0) -> Plan:
    """A plan of these cells."""
    by_id = {one.id: one for one in cells}
    return Plan(samples, seed, 60.0, control_cell(1), by_id, memory_samples=memory_samples)


def row(of: PlannedCell, block: int, status: Status = "ok", kind: Kind = "timed") -> SampleRow:
    """A row as an executor would make it, without figures."""
    error = None if status == "ok" else SampleError("Fake", "as told")
    return SampleRow("fake", of.id, block, kind, status, of.spec.to_json(), {}, {}, error=error)


class FakeExecutor:
    """Answers at once; `endings` gives the status by number of the call, and `stop_at` the call
    at which the person presses Ctrl-C."""

    def __init__(
        self, endings: dict[int, Status] | None = None, stop_at: int | None = None
    ) -> None:
        self.calls: list[tuple[int, str]] = []
        self.kinds: list[Kind] = []
        self._endings = endings or {}
        self._stop_at = stop_at

    def of_kind(self, kind: Kind) -> FakeExecutor:
        self.kinds.append(kind)
        return self

    def measure(self, cell: PlannedCell, block: int) -> SampleRow:
        number, kind = len(self.calls), self.kinds[-1]
        self.calls.append((block, cell.id))
        if number == self._stop_at:
            raise SampleInterrupted(row(cell, block, "interrupted", kind))
        return row(cell, block, self._endings.get(number, "ok"), kind)


class Rows(list[SampleRow]):
    """A journal in memory."""


class SilentProgress:
    """Tells nobody anything."""

    def started(self, missing: Sequence[Wanted], taken: int) -> None:
        self.total = len(missing)

    def sample_started(self, wanted: Wanted) -> None:
        self.current = wanted

    def sample_ended(self, wanted: Wanted, row: SampleRow) -> None:
        self.last = row
