"""Progress of a sweep: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

from treebench.cli.streams import forget
from treebench.report import units
from treebench.runner.estimate import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from treebench.plan.build import PlannedCell
    from treebench.runner.sweep import Wanted
    from treebench.store.row import SampleRow

_PLAIN_LINE_EVERY_S = 10.0

_Name = tuple[str, int, str]


class Display(Protocol):
    """Where the progress is shown."""

    def status(self, done: int, total: int, text: str) -> None:
        """What is going on now."""

    def line(self, text: str) -> None:
        """Something that stays on the screen."""


class SweepProgress:
    """Counts samples, estimates what is left, and reports each failure as it happens."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._estimate = Estimate()
        self._left: dict[_Name, Wanted] = {}
        self._started_at: dict[_Name, float] = {}
        self._done = 0
        self._hosts = 1

    def started(self, missing: Sequence[Wanted], taken: int) -> None:
        """The samples still to take, in order, and how many an earlier run took."""
        self.to_take(missing)
        if taken:
            self._display.line(
                f"going on: {taken} samples are there, {len(missing)} are still to take"
            )

    def to_take(self, samples: Sequence[Wanted]) -> None:
        """These samples are to be taken, perhaps again: a host that had some of them is gone."""
        self._left.update({_name(wanted): wanted for wanted in samples})

    def hosts(self, at_work: int) -> None:
        """So many machines take samples side by side."""
        self._hosts = max(1, at_work)

    def told(self, text: str) -> None:
        """Something about a host that a person should read."""
        self._display.line(text)

    def sample_started(self, wanted: Wanted, host: str | None = None) -> None:
        """A sample begins, on `host` where there are several."""
        self._started_at[_name(wanted)] = time.monotonic()
        at = f"{host}: " if host else ""
        text = f"{at}{place(wanted)}, {describe(wanted.cell)}{self._time_left()}"
        self._display.status(self._done, self._total, text)

    def sample_ended(self, wanted: Wanted, row: SampleRow) -> None:
        """A sample ended, and its row is kept."""
        now = time.monotonic()
        self._estimate.saw(_key(wanted), now - self._started_at.pop(_name(wanted), now))
        self._left.pop(_name(wanted), None)
        self._done += 1
        if row.error is not None:
            where = f" in {row.error.phase}" if row.error.phase else ""
            reason = " ".join(row.error.message.split())[:160]
            self._display.line(f"{row.status}{where}: {describe(wanted.cell)}: {reason}")

    def interrupted(self, folder: Path) -> None:
        """Ctrl-C: say what is kept and how to go on."""
        kept = f"{self._done} of {self._total} samples were taken and are kept in {folder}"
        self._display.line(f"interrupted: {kept}; the same command goes on from here")

    @property
    def _total(self) -> int:
        return self._done + len(self._left)

    def _time_left(self) -> str:
        seconds = self._estimate.remaining_s(map(_key, self._left.values()))
        return "" if seconds is None else f", {units.time_left(seconds / self._hosts)} left"


@contextmanager
def progress_for(stream: TextIO) -> Iterator[SweepProgress]:
    """Progress on `stream`: live if it is a terminal, else a line now and then."""
    with display_for(stream) as display:
        yield SweepProgress(display)


@contextmanager
def display_for(stream: TextIO) -> Iterator[Display]:
    """What shows a progress on `stream`."""
    if not stream.isatty():
        yield _PlainDisplay(stream)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(file=stream), transient=True) as bar:
        yield _LiveDisplay(bar)


def place(wanted: Wanted) -> str:
    """Where a sample stands in the sweep: its block, or what kind it is where it is in none."""
    return f"block {wanted.block + 1}" if wanted.kind == "timed" else f"kind {wanted.kind}"


def _key(wanted: Wanted) -> tuple[str, str]:
    """What is alike, and so takes as long."""
    return wanted.kind, wanted.cell.id


def _name(wanted: Wanted) -> _Name:
    return wanted.kind, wanted.block, wanted.cell.id


def describe(cell: PlannedCell) -> str:
    """A cell in a few words, for someone who watches."""
    spec = cell.spec
    if spec.is_control:
        return "control"
    method = [str(spec.params[key]) for key in ("method", "container") if key in spec.params]
    return f"{spec.dataset} {spec.rows:,} {spec.layout}, {' '.join([spec.trainer, *method])}"


class _PlainDisplay:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last: float | None = None

    def status(self, done: int, total: int, text: str) -> None:
        now = time.monotonic()
        if self._last is None or now - self._last >= _PLAIN_LINE_EVERY_S:
            self._last = now
            self.line(f"{done}/{total} {text}")

    def line(self, text: str) -> None:
        try:
            self._stream.write(f"{text}\n")
            self._stream.flush()
        except BrokenPipeError:
            # Nobody watches any more (`2>&1 | head`), which is no reason to measure no more.
            forget(self._stream.fileno())


class _LiveDisplay:
    def __init__(self, bar: object) -> None:
        from rich.progress import Progress

        assert isinstance(bar, Progress)  # noqa: S101 - only the import is late
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def status(self, done: int, total: int, text: str) -> None:
        from rich.markup import escape

        self._bar.update(self._task, completed=done, total=total, description=escape(text))

    def line(self, text: str) -> None:
        self._bar.console.print(text, markup=False, highlight=False)
