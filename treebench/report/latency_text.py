"""Latency in words and columns, for the terminal and for Markdown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from treebench.analysis.summary import LATENCY_FIGURES
from treebench.report import units
from treebench.report.columns import Column, Raw, naming_columns
from treebench.report.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.summary import BatchLatency, Figure
    from treebench.report.lines import Line

ALL_ROWS = "all"


def batches(listed: Sequence[Line]) -> list[str]:
    """The batches of which any cell has a figure, in the order measured."""
    every = dict.fromkeys(batch for line in listed for batch in line.cell.latency)
    return [
        batch
        for batch in every
        if any(
            line.cell.latency[batch].repeats.median for line in listed if batch in line.cell.latency
        )
    ]


def batch_title(batch: str) -> str:
    """A batch in words."""
    if batch == ALL_ROWS:
        return "All rows of the test part at once"
    return f"{counted(int(batch), 'row')} at a time"


def latency_columns(listed: Sequence[Line], batch: str) -> list[Column]:
    """All that is known of one batch."""
    rows = [Column("test rows", _of(batch, lambda known: units.count(known.rows)))]
    return [
        *naming_columns(listed),
        *(rows if batch == ALL_ROWS else []),
        Column("p50", _of(batch, lambda known: _time(known.p50_ns))),
        Column("p90", _of(batch, lambda known: _time(known.p90_ns)), give_up=1),
        Column("p99", _of(batch, lambda known: _time(known.p99_ns))),
        Column("rows/s", _of(batch, _rate)),
        Column("calls", _of(batch, _calls), give_up=2),
    ]


def short_latency_columns(listed: Sequence[Line]) -> list[Column]:
    """The median and the tail of every batch, side by side."""
    found = batches(listed)
    return [
        *naming_columns(listed),
        *(
            Column(
                f"{_short_title(batch)}, p50 | p99",
                _of(batch, _pair),
                raw=(_raw(batch, "p50_ns"), _raw(batch, "p99_ns")),
            )
            for batch in found
        ),
        *(
            Column(
                f"{_short_title(batch)}, rows/s",
                _of(batch, _rate),
                raw=(_raw(batch, "rows_per_s"),),
            )
            for batch in found[-1:]
        ),
    ]


def latency_missing(listed: Sequence[Line]) -> list[str]:
    """Why quantiles are missing, counted by batch and reason."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for line in listed:
        for batch, known in line.cell.latency.items():
            for reason, names in _reasons(known).items():
                counts[batch, ", ".join(names), reason] += 1
    return [
        f"{batch_title(batch)}, {names} of {counted(n, 'cell')}: {reason}"
        for (batch, names, reason), n in counts.items()
    ]


def latency_reading() -> list[str]:
    """What the figures mean."""
    return [
        "p50, p90, p99: half, 90 % and 99 % of the calls took no longer; each sample has its own, "
        "and their median over the samples is shown",
        "calls: as many as a sample made; p99 is given from 1,000 calls on, so that ten lie beyond "
        "it, p90 from 100, p50 from five",
        "rows/s: rows over the time of all calls together; warm: model and data have been used "
        "before, in the layout trained on",
    ]


def _short_title(batch: str) -> str:
    return "all rows" if batch == ALL_ROWS else counted(int(batch), "row")


def _reasons(known: BatchLatency) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in LATENCY_FIGURES:
        figure: Figure = getattr(known, name)
        for reason in figure.missing:
            found.setdefault(reason, []).append(name.removesuffix("_ns").replace("_per_", "/"))
    return found


def _of(batch: str, text: Callable[[BatchLatency], str]) -> Callable[[Line], str]:
    def of_line(line: Line) -> str:
        known = line.cell.latency.get(batch)
        return units.DASH if known is None else text(known)

    return of_line


def _raw(batch: str, name: str) -> Raw:
    def of(line: Line) -> float | None:
        known = line.cell.latency.get(batch)
        figure: Figure | None = None if known is None else getattr(known, name)
        return None if figure is None else figure.median

    return Raw(f"batch_{batch}_{name}", of)


def _pair(known: BatchLatency) -> str:
    return f"{_time(known.p50_ns)} | {_time(known.p99_ns)}"


def _time(figure: Figure) -> str:
    return units.of_figure(figure, units.duration)


def _rate(known: BatchLatency) -> str:
    return units.of_figure(known.rows_per_s, units.rounded_count)


def _calls(known: BatchLatency) -> str:
    return units.of_figure(known.repeats, units.count)
