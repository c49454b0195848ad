"""The columns of the tables, declared once for the terminal and for Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.scores import score_title
from treebench.report import units
from treebench.store.row import PHASES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.summary import Figure
    from treebench.report.lines import Line


@dataclass(frozen=True)
class Raw:
    """A value as it was measured; `name` carries its unit."""

    name: str
    of: Callable[[Line], float | str | None]


@dataclass(frozen=True)
class Column:
    """One column. Where the width runs short, the largest `give_up` goes first; 0 never does.

    `raw` is what the text is made from, for programs and for sorting: by the first of them.
    """

    title: str
    text: Callable[[Line], str]
    right: bool = True
    give_up: int = 0
    raw: tuple[Raw, ...] = ()


# A phase's column goes the sooner the less its library is judged by it; fit stays.
_GIVE_UP = {"convert": 6, "save": 5, "import": 4, "load": 3, "predict": 2, "construct": 1}


def main_columns(listed: Sequence[Line], cost_per_hour: float | None = None) -> list[Column]:
    """What a cell is, its time, memory, score and samples; axes only where they vary.

    `cost_per_hour` of the machine, in any currency, adds what construct and fit cost.
    """
    return [
        *naming_columns(listed),
        Column("construct+fit", _time, raw=(_median("construct_fit_wall_ns"),)),
        Column("interval", _interval, give_up=2, raw=_INTERVAL_ENDS),
        Column("spread", _spread, give_up=3, raw=(Raw("spread_percent", spread_percent),)),
        *_cost(cost_per_hour),
        Column(
            "peak RSS",
            lambda line: units.of_figure(line.cell.peak_rss_bytes, units.size),
            raw=(_median("peak_rss_bytes"),),
        ),
        *_tree_peak(listed),
        Column("data | container | fit", _split, give_up=1, raw=_SPLIT),
        Column(
            _score_title(listed),
            lambda line: units.of_figure(line.score, units.score),
            raw=(
                Raw("score", lambda line: None if line.score is None else line.score.median),
                Raw("score_name", lambda line: line.score_name),
            ),
        ),
        Column("ok", _samples, raw=_COUNTED),
    ]


def _cost(cost_per_hour: float | None) -> list[Column]:
    """Of the whole machine for as long as construct and fit took."""
    if cost_per_hour is None:
        return []

    def of(line: Line) -> float | None:
        median = line.cell.construct_fit_wall_ns.median
        return None if median is None else units.hours(median) * cost_per_hour

    return [Column("cost", lambda line: units.cost(of(line)), raw=(Raw("cost", of),))]


def _median(name: str) -> Raw:
    """A figure of the cell by its own name, which carries the unit."""

    def of(line: Line) -> float | None:
        figure: Figure = getattr(line.cell, name)
        return figure.median

    return Raw(name, of)


def _tree_peak(listed: Sequence[Line]) -> list[Column]:
    """Of the worker and its children, where training is in several jobs."""
    if all(line.cell.summed_rss_peak_bytes.estimate is None for line in listed):
        return []
    return [
        Column(
            "tree peak",
            lambda line: units.of_figure(line.cell.tree_peak_bytes, units.size),
            raw=(_median("tree_peak_bytes"),),
        )
    ]


def naming_columns(listed: Sequence[Line]) -> list[Column]:
    """What tells the cells of one data set apart."""
    return [
        Column(
            "rows",
            lambda line: units.count(line.cell.spec.rows),
            raw=(Raw("rows", lambda line: line.cell.spec.rows),),
        ),
        *_varying("features", listed),
        *_varying("threads", listed),
        Column("series", lambda line: line.label, right=False),
        Column("layout", lambda line: line.cell.spec.layout, right=False),
    ]


def time_columns(listed: Sequence[Line]) -> list[Column]:
    """The time of every phase that was run, and their sum."""
    return [
        *naming_columns(listed),
        *(
            Column(
                phase,
                _phase_time(phase),
                give_up=_GIVE_UP.get(phase, 0),
                raw=(Raw(f"{phase}_wall_ns", _phase_median("wall_ns", phase)),),
            )
            for phase in _phases(listed)
        ),
        Column(
            "total",
            lambda line: units.of_figure(line.cell.total_wall_ns, units.duration),
            raw=(_median("total_wall_ns"),),
        ),
    ]


def peak_columns(listed: Sequence[Line]) -> list[Column]:
    """The peak RSS of every phase that was run, and which of them holds the cell's peak."""
    return [
        *naming_columns(listed),
        *(
            Column(
                phase,
                _phase_peak(phase),
                give_up=_GIVE_UP.get(phase, 0),
                raw=(Raw(f"{phase}_peak_rss_bytes", _phase_median("phase_peak_rss_bytes", phase)),),
            )
            for phase in _phases(listed)
        ),
        Column("peak in", lambda line: line.cell.peak_phase or units.DASH, right=False),
    ]


def _phase_time(phase: str) -> Callable[[Line], str]:
    return lambda line: units.of_figure(line.cell.wall_ns.get(phase), units.duration)


def _phase_peak(phase: str) -> Callable[[Line], str]:
    return lambda line: units.of_figure(line.cell.phase_peak_rss_bytes.get(phase), units.size)


def _phase_median(name: str, phase: str) -> Callable[[Line], float | None]:
    def of(line: Line) -> float | None:
        figure = getattr(line.cell, name).get(phase)
        return None if figure is None else figure.median

    return of


def _phases(listed: Sequence[Line]) -> list[str]:
    return [phase for phase in PHASES if any(phase in line.cell.wall_ns for line in listed)]


def _varying(axis: str, listed: Sequence[Line]) -> list[Column]:
    if not _varies_within_a_dataset(axis, listed):
        return []

    def of(line: Line) -> float:
        value: float = getattr(line.cell.spec, axis)
        return value

    return [Column(axis, lambda line: units.count(of(line)), raw=(Raw(axis, of),))]


def _varies_within_a_dataset(axis: str, listed: Sequence[Line]) -> bool:
    pairs = {(line.cell.spec.dataset, getattr(line.cell.spec, axis)) for line in listed}
    return len(pairs) > len({dataset for dataset, _ in pairs})


def _time(line: Line) -> str:
    return units.of_figure(line.cell.construct_fit_wall_ns, units.duration)


def _interval(line: Line) -> str:
    known = line.cell.construct_fit_wall_ns.estimate
    return units.duration_interval(None if known is None else known.interval)


def _interval_end(end: str) -> Callable[[Line], float | None]:
    def of(line: Line) -> float | None:
        known = line.cell.construct_fit_wall_ns.estimate
        return None if known is None or known.interval is None else getattr(known.interval, end)

    return of


def _spread(line: Line) -> str:
    return units.percent(spread_percent(line))


def spread_percent(line: Line) -> float | None:
    """The range of construct+fit, in percent of its median."""
    known = line.cell.construct_fit_wall_ns.estimate
    return None if known is None else known.spread_percent


def _split(line: Line) -> str:
    cell = line.cell
    parts = (cell.data_bytes, cell.container_retained_bytes, cell.fit_growth_bytes)
    return units.sizes([figure.median for figure in parts])


def _score_title(listed: Sequence[Line]) -> str:
    names = {line.score_name for line in listed} - {None}
    return score_title(str(names.pop())) if len(names) == 1 else "score"


def _samples(line: Line) -> str:
    cell = line.cell
    done = cell.n_ok + cell.n_failed
    return f"{cell.n_ok}/{done}" if done else units.DASH


_INTERVAL_ENDS = (
    Raw("construct_fit_low_ns", _interval_end("low")),
    Raw("construct_fit_high_ns", _interval_end("high")),
    Raw("interval_level", _interval_end("level")),
)
_SPLIT = tuple(
    _median(name) for name in ("data_bytes", "container_retained_bytes", "fit_growth_bytes")
)
_COUNTED = (
    Raw("samples_ok", lambda line: line.cell.n_ok),
    Raw("samples_failed", lambda line: line.cell.n_failed),
)
