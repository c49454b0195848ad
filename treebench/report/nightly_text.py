"""A night in words: the same on the terminal, in Markdown and in JUnit's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.figures import figure_named
from treebench.history.reruns import listed
from treebench.report import units
from treebench.report.compare_text import value

if TYPE_CHECKING:
    from treebench.history.findings import Finding, State
    from treebench.history.morning import FailedCell, MissingCell, Morning

TITLES = ("", "cell", "figure", "since", "before", "after", "re-run", "interval", "rounds")
RIGHT = (False, False, False, False, True, True, True, True, True)

STATES: dict[State, str] = {
    "regression": "regression",
    "not re-run": "suspected, not re-run",
    "unclear": "suspected, unclear",
    "dismissed": "no regression",
}
"""The gravest first."""

READING = (
    "before and after are medians of the nights, since when by the first night at the new level; "
    "the re-run is the ratio of tonight's environment to the last good one, measured in turns",
    "a regression is called so only after the re-run: its change is more than chance (0.5 %), "
    "beyond the band and beyond the floor",
)


def head(morning: Morning) -> str:
    """The night and how it went, in one line."""
    counts = {
        "regression": len(morning.regressions),
        "cell with failed samples": len(morning.failures),
        "suspect": sum(each.state in ("unclear", "not re-run") for each in morning.found),
        "missing cell": len(morning.missing),
    }
    said = [_counted(n, what) for what, n in counts.items() if n]
    n = len(morning.history.nights)
    return (
        f"{morning.night.run}, night of {morning.night.date} ({_counted(n, 'night')} in the "
        f"history): {', '.join(said) or 'nothing got worse'}"
    )


def circumstances(morning: Morning) -> list[str]:
    """What the verdicts rest on."""
    fresh, judged = len(morning.judgement.fresh), morning.judgement.judged
    said = [
        f"{_counted(judged, 'figure')} of {_counted(len(morning.measured), 'cell')} "
        f"{'was' if judged == 1 else 'were'} judged"
    ]
    if fresh:
        said.append(
            f"{_counted(fresh, 'cell')} cannot be judged yet: tonight is the first night under "
            f"these settings and this measuring code, on this machine"
        )
    return said


def findings(morning: Morning) -> list[Finding]:
    """All findings that hold tonight, the gravest first."""
    every = [*morning.regressions, *(f for f in morning.found if f.state != "regression")]
    return sorted(every, key=lambda each: list(STATES).index(each.state))


def row(morning: Morning, finding: Finding) -> tuple[str, ...]:
    """A finding as the cells of a table, under `TITLES`."""
    figure = figure_named(finding.figure)
    return (
        state(morning, finding),
        place(morning, finding.cell),
        finding.figure,
        finding.since[:10],
        value(figure, finding.before),
        value(figure, finding.after),
        units.DASH if finding.ratio is None else _percent(finding.ratio),
        interval(finding),
        units.DASH if finding.rounds is None else str(finding.rounds),
    )


def state(morning: Morning, finding: Finding) -> str:
    """What it is, and whether an earlier night confirmed it."""
    if finding.state == "regression" and finding.night != morning.night.name:
        return f"regression (confirmed {finding.night[:10]})"
    return STATES[finding.state]


def interval(finding: Finding) -> str:
    """The re-run's interval in percent of change."""
    if finding.low is None or finding.high is None or finding.low == finding.high:
        return units.DASH
    return f"{_percent(finding.low)} to {_percent(finding.high)}"


def place(morning: Morning, cell: str) -> str:
    """Where in the sweep a cell is, in words."""
    return morning.places.get(cell, cell)


def sentence(morning: Morning, finding: Finding) -> str:
    """A finding in one sentence, with what was done."""
    figure = figure_named(finding.figure)
    levels = f"{value(figure, finding.before)} to {value(figure, finding.after)}"
    beside = " (in units of the control cell, which moved)" if finding.drifted else ""
    return (
        f"{place(morning, finding.cell)}, {finding.figure}: {levels} since {finding.since[:10]}"
        f"{beside}; {finding.says}"
    )


def failed(morning: Morning, failure: FailedCell) -> str:
    """A cell whose samples failed, in one sentence."""
    causes = "; ".join(f"{cause} ({_counted(n, 'sample')})" for cause, n in failure.causes.items())
    ended = "none ended well" if not failure.n_ok else f"{failure.n_ok} ended well"
    since = "tonight" if failure.since == morning.night.name else f"since {failure.since[:10]}"
    if failure.last_good is None:
        before = "it has had no night without"
    else:
        changed = listed(failure.changes) or "no version"
        before = f"the last night without was {failure.last_good[:10]}; since then: {changed}"
    said = f"{place(morning, failure.cell)}: {causes}; {ended}; {since}; {before}"
    return " ".join(said.split())


def missing(morning: Morning, lost: MissingCell) -> str:
    """A cell that is not there, in one sentence."""
    return f"{place(morning, lost.cell)}: {lost.why}"


def accepted(morning: Morning) -> list[str]:
    """What people have acknowledged on this machine."""
    return [
        f"{each.place or each.cell}, {each.figure}, since {each.since[:10]}: {each.reason}"
        for each in morning.acknowledged
    ]


def parts(morning: Morning) -> list[tuple[str, list[str]]]:
    """Titled lists of all that there is to say, those without anything left out."""
    said = [
        ("What was found", [sentence(morning, each) for each in findings(morning)]),
        ("Failed", [failed(morning, each) for each in morning.failures]),
        ("Missing", [missing(morning, each) for each in morning.missing]),
        ("Acknowledged", accepted(morning)),
        ("Passed over in the history", list(morning.skipped)),
    ]
    return [(title, sentences) for title, sentences in said if sentences]


def _percent(ratio: float) -> str:
    return units.percent(100 * (ratio - 1), signed=True)


def _counted(n: int, what: str) -> str:
    first, *rest = what.split(" ")
    named = " ".join([first + "s" * (n != 1 and not rest), *rest])
    if rest and n != 1:
        named = what.replace("cell", "cells", 1)
    return f"{n:,} {named}"
