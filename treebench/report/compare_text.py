"""A comparison in words: the same on the terminal, in Markdown and in JUnit's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.comparing.rule import FALSE_DISCOVERIES
from treebench.analysis.comparing.rules import group_of
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.comparing.cells import Judged
    from treebench.analysis.comparing.pairing import LostCell
    from treebench.analysis.comparing.rule import Bounds, Verdict
    from treebench.analysis.comparing.runs import ComparedRuns, PairedCell
    from treebench.analysis.figures import NamedFigure

TITLES = ("verdict", "figure", "before", "after", "change", "interval", "evidence", "samples")
RIGHT = (False, False, True, True, True, True, True, True)

WORST_FIRST: tuple[Verdict, ...] = ("worse", "not comparable", "unclear", "better", "same")

READING = (
    "before and after are medians; the change is the median of all ratios between a sample after "
    "and one before, of a score the difference of the medians",
    "worse and better: more than chance, beyond the band and beyond the floor of the figure",
    "same: the whole interval of the change lies within the band or the floor",
    "unclear: neither; it is no regression, and no proof that there is none",
    f"of all that is called worse or better, at most {100 * FALSE_DISCOVERIES:.0f} % is expected "
    f"to be chance (Benjamini and Hochberg)",
)


def value(figure: NamedFigure, amount: float) -> str:
    """An amount in the figure's unit."""
    if figure.unit == "ns":
        return units.duration(amount)
    if figure.unit == "bytes":
        return units.size(amount)
    if figure.unit == "share":
        return units.percent(100 * amount)
    return units.score(amount) if figure.unit == "score" else units.rounded_count(amount)


def row(judged: Judged) -> tuple[str, ...]:
    """One figure as the cells of a table, under `TITLES`."""
    figure, change = judged.figure, judged.change
    return (
        judged.verdict,
        figure.name,
        value(figure, change.before),
        value(figure, change.after),
        change_words(judged),
        interval_words(judged),
        evidence(judged),
        f"{change.n_before} | {change.n_after}",
    )


def change_words(judged: Judged) -> str:
    """The typical ratio as a change in percent; of a score the difference, which is what counts."""
    change = judged.change
    if judged.figure.unit == "score":
        sign = "+" if change.difference > 0 else ""
        return f"{sign}{units.score(change.difference)}"
    if change.interval is None:
        return units.DASH
    return _percent(change.interval.ratio)


def interval_words(judged: Judged) -> str:
    """The interval of the ratio, in percent of change, with its level."""
    interval = judged.change.interval
    if interval is None or judged.change.deterministic or not interval.level > 0:
        return units.DASH
    level = units.level(interval.level)
    return f"{_percent(interval.low)} to {_percent(interval.high)} ({level})"


def evidence(judged: Judged) -> str:
    """What there is for or against chance."""
    if judged.change.deterministic:
        return "repeats exactly"
    if judged.verdict in ("worse", "better") and judged.adjusted > FALSE_DISCOVERIES:
        return "sets far apart"
    return f"chance {units.percent(100 * judged.adjusted)}"


def head(compared: ComparedRuns) -> str:
    """What was compared, and how it went, in one line."""
    counts = compared.counts
    said = ", ".join(f"{counts[each]:,} {each}" for each in WORST_FIRST if each in counts)
    n = len(compared.cells)
    cells = f"{n:,} cell{'s' * (n != 1)} in both"
    return f"{compared.before.name} (before) against {compared.after.name} (after): " + (
        f"{cells}: {said}" if said else cells
    )


def circumstances(compared: ComparedRuns) -> list[str]:
    """Versions, the control cell and the rules: what all verdicts rest on."""
    return [
        *_versions(compared),
        *_controls(compared),
        *_across(compared),
        *_set_bounds(compared),
    ]


def by_worst(compared: ComparedRuns) -> list[PairedCell]:
    """The cells, the worst verdict first, else in their order."""
    return sorted(compared.cells, key=lambda cell: WORST_FIRST.index(cell.verdict))


def shown(cell: PairedCell, *, every: bool) -> list[Judged]:
    """The figures of a cell that are worth a line; those that are the same only with `every`."""
    listed = [each for each in cell.compared.judged if every or each.verdict != "same"]
    return sorted(listed, key=lambda each: WORST_FIRST.index(each.verdict))


def cell_lines(cell: PairedCell) -> list[str]:
    """What is to be said of a cell beside its figures: failures first."""
    new = cell.compared.new_failures
    failed = [
        f"{'new failure' if new else 'failed as before'}, {_times(n)}: {_one_line(cause)}"
        for cause, n in cell.failures.items()
    ]
    return [*failed, *cell.compared.reasons]


def apart_lines(compared: ComparedRuns) -> list[str]:
    """Why cells are not comparable: each reason once, with the cells that it holds for."""
    places: dict[str, list[str]] = {}
    for cell in compared.cells:
        for reason in cell.compared.reasons if is_apart(cell) else ():
            places.setdefault(reason, []).append(cell.place)
    return [f"{reason} ({_whose(listed, compared)})" for reason, listed in places.items()]


def is_apart(cell: PairedCell) -> bool:
    """Whether nothing of the cell could be compared, for a reason that is known."""
    return cell.verdict == "not comparable" and bool(cell.compared.reasons)


def _whose(places: Sequence[str], compared: ComparedRuns) -> str:
    if len(places) == len(compared.cells) > 1:
        return f"all {len(places):,} cells"
    return "; ".join(places)


def lost_lines(lost: Sequence[LostCell]) -> list[str]:
    """The cells that one side alone has; other data is said once."""
    return [
        f"{each.place}: {each.why}"
        for each in lost
        if not (each.other_data and each.side == "after")
    ]


def bounds_words(figure: NamedFigure, bounds: Bounds) -> str:
    """The band and floor of a figure: "5.0 % and 50.0 ms"."""
    return f"{units.percent(100 * bounds.band)} and {value(figure, bounds.floor)}"


def _percent(ratio: float) -> str:
    return units.percent(100 * (ratio - 1), signed=True)


def _one_line(text: str) -> str:
    """What a library said, without line breaks and with control characters spelt out."""
    spelt = (each if each.isprintable() else ascii(each)[1:-1] for each in " ".join(text.split()))
    return "".join(spelt)


def _times(n: int) -> str:
    return f"{n:,} sample{'s' * (n != 1)}"


def _versions(compared: ComparedRuns) -> list[str]:
    return [
        f"{name}: {' and '.join(before)} before, {' and '.join(after)} after"
        for name, (before, after) in sorted(compared.versions.items())
    ]


def _controls(compared: ComparedRuns) -> list[str]:
    said = []
    for host, control in compared.controls.items():
        change = control.change
        where = "" if host is None else f" on {host}"
        ratio = units.percent(100 * change.difference / change.before, signed=True)
        times = f"{units.duration(change.before)} before, {units.duration(change.after)} after"
        moved = (
            "; the machine itself changed its speed, so that a time is worse, better or the same "
            "only where it is beside the control cell too"
        )
        said.append(f"control cell{where}: {times} ({ratio}){moved * control.moved}")
    return said


def _across(compared: ComparedRuns) -> list[str]:
    if not compared.across_machines:
        return []
    return [
        "two machines: only times are compared, each as its ratio to the control cell of the same "
        "block, written as if the control cell took as long after as before"
    ]


def _set_bounds(compared: ComparedRuns) -> list[str]:
    rules = compared.rules
    names = dict.fromkeys((*rules.bands, *rules.floors))
    return [
        f"bounds set for {name}: "
        + ", ".join(
            f"{each.name} {bounds_words(each, rules.bounds_of(each))}"
            for each in compared.figures
            if name in (each.name, group_of(each))
        )
        for name in names
    ]
