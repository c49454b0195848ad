"""Tonight against the history: which figures of which cells stand worse, and since when.

Only nights of the same settings and the same measuring code are held against each other. Where
versions of libraries changed among them, levels are parted there, and what stands worse since is a
suspect like any other: the history alone never makes it a regression.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from treebench.analysis.comparing.guarded import USUAL
from treebench.analysis.figures import figure_named
from treebench.history.bounds import NIGHTLY
from treebench.history.series import Series, all_series
from treebench.history.steps import in_control_time, step_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from treebench.analysis.comparing.rules import Rules
    from treebench.history.acknowledged import Acknowledged
    from treebench.history.findings import Finding
    from treebench.history.parts import History
    from treebench.history.steps import Step

MOST_NIGHTS = 400
"""No more are judged by: the cost of change points grows with their square."""

_CONTROL_FIGURE = "fit_time"
Key = tuple[str, str]
"""A cell's id and a figure's name."""


@dataclass(frozen=True)
class Suspect:
    """A figure of a cell that stands worse tonight: since which night, which was the last good one,
    and the medians of the two levels. `finding` is what an earlier night found of the same step."""

    cell: str
    figure: str
    since: str
    last_good: str
    before: float
    after: float
    drifted: bool = False
    finding: Finding | None = None

    @property
    def key(self) -> Key:
        """Its cell and figure."""
        return (self.cell, self.figure)


@dataclass(frozen=True)
class Known:
    """What is known beside the samples: findings of earlier nights, and what people accepted on
    this machine."""

    findings: Sequence[Finding] = ()
    acknowledged: Sequence[Acknowledged] = ()

    def dismissed(self) -> dict[Key, str]:
        """By figure of a cell, the last night in which a re-run showed no regression."""
        return _latest(
            ((f.cell, f.figure), f.night) for f in self.findings if f.state == "dismissed"
        )

    def accepted(self) -> dict[Key, str]:
        """By figure of a cell, the last night whose level was accepted."""
        return _latest(((a.cell, a.figure), a.seen) for a in self.acknowledged)

    def open_regression(self, key: Key, since: str) -> Finding | None:
        """The regression that was found in the stretch of nights from `since` on, if one was."""
        found = [
            each
            for each in self.findings
            if (each.cell, each.figure) == key
            and each.state == "regression"
            and each.night >= since
        ]
        return found[-1] if found else None


@dataclass(frozen=True)
class Judgement:
    """Tonight's suspects, those that an earlier re-run confirmed among them, and how many figures
    were judged: those with two nights or more to be judged by."""

    suspects: tuple[Suspect, ...]
    judged: int
    fresh: frozenset[str] = field(default_factory=frozenset)


def judge(
    history: History,
    cells: Iterable[str],
    control: str | None,
    known: Known,
    rules: Rules = NIGHTLY,
    more_figures: Sequence[str] = (),
) -> Judgement:
    """Judge the last night of a history.

    Args:
        history: the nights, tonight's being the last.
        cells: the ids of the cells to judge.
        control: the id of the control cell, if there is one.
        known: earlier findings, and what was acknowledged.
        rules: bands and floors.
        more_figures: figures beside the guarded ones.
    """
    names = guarded_names(history, more_figures)
    drift = _control(history, control)
    dismissed, accepted = known.dismissed(), known.accepted()
    suspects, judged, fresh = [], 0, set()
    for whole in all_series(history, names, list(cells)):
        if whole.nights[-1] != len(history.nights) - 1:
            continue
        series = comparable(whole, history)
        if len(series) < 2:
            fresh.add(series.cell)
            continue
        judged += 1
        key = (series.cell, series.figure)
        cleared = (dismissed.get(key), accepted.get(key))
        found = _step(series, history, drift, rules, cleared)
        if found is not None:
            suspects.append(_suspect(series, found, history, known))
    return Judgement(tuple(suspects), judged, frozenset(fresh))


def guarded_names(history: History, more: Sequence[str] = ()) -> list[str]:
    """The figures that are judged, of those that the history has."""
    held = set(history.figures)
    scores_and_counters = sorted(name for name in held if is_guarded(name))
    return [name for name in dict.fromkeys((*USUAL, *scores_and_counters, *more)) if name in held]


def is_guarded(name: str) -> bool:
    """Whether `compare` looks at a figure unasked."""
    if name.startswith("counter:fit:"):
        return "miss" in name or name.endswith(":instructions")
    return name in USUAL or name.startswith("score:")


def comparable(series: Series, history: History) -> Series:
    """The last nights that were taken under tonight's settings; versions may differ."""
    tonight = history.conditions[int(series.conditions[-1])].settings
    alike = np.array([each.settings == tonight for each in history.conditions])
    held = np.flatnonzero(alike[series.conditions])[-MOST_NIGHTS:]
    return series.kept(np.isin(np.arange(len(series)), held))


def version_changes(series: Series, history: History) -> list[int]:
    """The places of a series at which other versions of libraries begin."""
    held = [history.conditions[int(each)].versions for each in series.conditions]
    return [at for at in range(1, len(held)) if held[at] != held[at - 1]]


def _step(
    series: Series,
    history: History,
    drift: NDArray[np.float64],
    rules: Rules,
    cleared: tuple[str | None, str | None],
) -> tuple[Step, bool] | None:
    figure = figure_named(series.figure)
    bounds = rules.bounds_of(figure)
    medians = series.medians
    beside = None
    if figure.unit == "ns" and not figure.name.startswith("latency:"):
        beside = in_control_time(medians, drift[series.nights], bounds.band)
    dismissed, accepted = (
        bisect_right(series.nights, each or "", key=lambda at: history.nights[int(at)].name)
        for each in cleared
    )
    step = step_of(
        medians if beside is None else beside,
        series.errors,
        bounds,
        figure.worse,
        version_changes(series, history),
        dismissed,
        accepted,
    )
    return None if step is None else (step, beside is not None)


def _suspect(series: Series, found: tuple[Step, bool], history: History, known: Known) -> Suspect:
    step, drifted = found
    since = history.nights[int(series.nights[step.since])].name
    return Suspect(
        series.cell,
        series.figure,
        since,
        history.nights[int(series.nights[step.last_good])].name,
        step.before,
        step.after,
        drifted,
        known.open_regression((series.cell, series.figure), since),
    )


def _control(history: History, control: str | None) -> NDArray[np.float64]:
    """The control cell's time by night, NaN where it has none."""
    times = np.full(len(history.nights), np.nan)
    found: Iterator[Series] = iter(())
    if control is not None:
        found = all_series(history, [_CONTROL_FIGURE], [control])
    for series in found:
        times[series.nights] = series.medians
    return times


def _latest(nights: Iterable[tuple[Key, str]]) -> dict[Key, str]:
    found: dict[Key, str] = {}
    for key, night in nights:
        found[key] = max(night, found.get(key, ""))
    return found


def by_cell(suspects: Iterable[Suspect]) -> Mapping[str, list[Suspect]]:
    """Suspects by cell."""
    found: dict[str, list[Suspect]] = {}
    for each in suspects:
        found.setdefault(each.cell, []).append(each)
    return found
