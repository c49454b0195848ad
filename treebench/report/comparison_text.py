"""A published comparison in words: columns, ratios beside published ones, verdicts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treebench.analysis.published.verdicts import SAME_SCORE
from treebench.analysis.sample import Missing
from treebench.report import units
from treebench.report.expected_text import number, with_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from treebench.analysis.expressions.evaluate import Value
    from treebench.analysis.published.readings import Quantity, Reading
    from treebench.analysis.published.tables import JudgedTable
    from treebench.analysis.published.verdicts import ComparedOutcome, OrderOutcome
    from treebench.config.comparisons import Clock, Measure, Preset
    from treebench.config.shrink import Shrink

_ORDERS: dict[Measure, str] = {
    "time": "time, fastest first",
    "score": "score, best first",
    "memory": "memory, least first",
}
CLOCK_WORDS: dict[Clock, str] = {
    "boosting": "by boosting alone",
    "construct_fit": "with equal clocks",
    "total": "by all phases",
}
COMPARED_TITLES = ("comparison", "measured", "published", "of all its data", "verdict")
COMPARED_RIGHT = (False, True, True, True, False)
ORDER_TITLES = ("order of", "measured", "published", "verdict")
READING = (
    "boosting: the phase fit alone. It holds the cuts and bins of a DMatrix, all binning of "
    "HistGradientBoosting, and neither LightGBM's bins nor those of a QuantileDMatrix, which are "
    "made in construct; construct+fit holds them for all; all: every phase from the imports on",
    "score reached: the lowest of the final scores in the table, so that every column comes to it; "
    "the time is of fit, with construct where the preset's clock has it, between the iterations "
    "that were scored (60 at most)",
    "memory: the matrix and what construct and fit added at their peak; the interpreter and the "
    "libraries (some 200 MiB) are left out, as published figures are of programs without them",
    "measured: ratios of times and of memory (first over second), differences of scores, with "
    "their 90 % interval from blocks drawn anew; that of three samples is no wider than what they "
    "span, which holds a median 75 times in 100",
    "agrees: the whole interval lies on the side of 1 (or of 0) that the published figure lies on; "
    "differs: on the other; otherwise it cannot be told. Hardware, versions and sizes differ, so "
    "sides and orders are compared, and sizes only shown",
    f"two scores closer than {SAME_SCORE:g} count as the same: a seed moves them by as much, and "
    "all samples here have one seed",
)


def heading_of(table: JudgedTable) -> str:
    """Preset, data set and size."""
    size = f", {units.count(table.rows)} rows" if table.rows else ""
    return f"{table.preset.preset}: {table.dataset}{size}"


def reading_titles(table: JudgedTable) -> tuple[str, ...]:
    """The titles of the table of columns."""
    reached = f"to AUC {table.reached:.4f}" if table.reached is not None else "to the common AUC"
    titles = ["column", "boosting", "construct+fit", "all", "final AUC"]
    if table.preset.curve:
        titles += ["best by validation", "at iteration", "best on test", reached]
    return (*titles, "memory")


def reading_rows(table: JudgedTable) -> list[list[str]]:
    """A line for each column; one without a cell says why in its first."""
    return [_reading(table, each) for each in table.readings]


def compared_row(outcome: ComparedOutcome) -> list[str]:
    """Two columns here and as published."""
    text = ratio_text(outcome.compared.figure)
    low, high = outcome.lowest, outcome.highest
    spread = units.DASH if low is None or high is None else f"{text(low)} to {text(high)}"
    return [
        outcome.compared.name,
        quantity(outcome.measured, text),
        units.DASH if outcome.published is None else text(outcome.published),
        spread,
        outcome.verdict or "not published",
    ]


def order_row(outcome: OrderOutcome, titles: Mapping[str, str]) -> list[str]:
    """An order here and as published, best first."""
    shown = [
        ", ".join(titles[name] for name in names) or units.DASH
        for names in (outcome.measured, outcome.published)
    ]
    return [_ORDERS[outcome.order.figure], *shown, outcome.verdict]


def sentence(table: JudgedTable) -> str:
    """What a table says, in one sentence."""
    main = table.main
    if table.why is not None:
        return f"On {table.dataset} nothing was measured: {table.why}."
    if main is None or isinstance(main.measured, Missing):
        why = "no comparison is its main one" if main is None else _reason(main.measured)
        return f"{_where(table)} the main comparison cannot be made: {why}."
    said = _score_said if main.compared.figure == "score" else _time_said
    measured, published = said(table, main, main.measured)
    verdict = f" ({main.verdict})" if main.verdict else ""
    return f"{_where(table)} {measured}; {published}{verdict}."


def listed_sentence(table: JudgedTable) -> str:
    """The sentence among those of other presets."""
    return f"{table.preset.preset}: {sentence(table)}"


def condition_lines(
    *,
    preset: Preset,
    stands_in: str | None,
    dataset: str,
    instead_of: str | None,
    shrink: Shrink,
    rows: int,
    samples: int,
    usual_samples: int,
    tried: int,
    held_out: int,
) -> Iterator[str]:
    """How what was measured differs from what was published, and how it was taken."""
    if stands_in is not None:
        yield stands_in
    if instead_of is not None:
        yield f"{dataset} was put in the place of {instead_of}"
    if not shrink.whole:
        yield from _scaled(preset, shrink, rows)
    few = f", for {usual_samples} at full size" if samples < usual_samples else ""
    yield f"{samples} samples of each column{few}"
    if tried:
        yield (
            f"{tried} settings of each library were tried, each once, and the one chosen by "
            f"the validation part {samples} times"
        )
    if held_out:
        yield (
            f"{units.count(held_out)} of the rows are held out for validation, "
            f"{units.count(rows - held_out)} are trained on"
        )


def _scaled(preset: Preset, shrink: Shrink, rows: int) -> Iterator[str]:
    trees = preset.setting(preset.columns[0]).get("n_estimators")
    grown = "" if trees is None else f", {shrink.of('n_estimators', trees)} trees for {trees}"
    full = round(rows / shrink.rows)
    yield f"a scaled run: {units.count(rows)} rows for {units.count(full)}{grown}"
    if preset.shrinks:
        names = " and ".join(preset.shrinks)
        yield f"{names} are {shrink.rows:.3g} of what is stated, as the rows are"


def drawn_words(drawn: Mapping[str, float], tried: int) -> str:
    """Which setting a search came to, of how many."""
    return f"best of {tried}: {', '.join(f'{name} {value:g}' for name, value in drawn.items())}"


def quantity(value: Quantity, text: Callable[[float], str]) -> str:
    """A value with its interval, or a dash."""
    return units.DASH if isinstance(value, Missing) else with_interval(value, text)


def ratio_text(measure: Measure) -> Callable[[float], str]:
    """How a comparison of a kind is written."""
    return _signed_score if measure == "score" else _ratio


def remarks(table: JudgedTable) -> list[str]:
    """Why what has no verdict has none, and what belongs to single columns: what they stand for,
    their settings, what they lack."""
    titles = {each.planned.column.name: each.planned.column.title for each in table.readings}
    said = [
        f"{each.compared.name}: {each.verdict}, {each.why}" for each in table.compared if each.why
    ]
    said += [
        f"{_ORDERS[each.order.figure]}: {each.verdict}, {_titled(each.why, titles)}"
        for each in table.orders
        if each.why
    ]
    for each in table.readings:
        column = each.planned.column
        chosen = [each.planned.chosen] if each.planned.chosen else []
        lines = [*chosen, *([column.remark] if column.remark else []), *_lacking(each, table)]
        said += [f"{column.title}: {line}" for line in lines]
    return said


def _titled(why: str, titles: Mapping[str, str]) -> str:
    """A sentence with the columns' titles in the place of their names."""
    by_length = sorted(titles, key=len, reverse=True)
    names = re.compile(rf"\b({'|'.join(map(re.escape, by_length))})\b")
    return names.sub(lambda found: titles[found[1]], why)


def _lacking(reading: Reading, table: JudgedTable) -> list[str]:
    if reading.planned.cell is None:
        return [reading.planned.absent or "not measured"]
    names = {"boosting": "time", "final": "final score"}
    if table.preset.curve:
        names |= {"best_iteration": "score by validation", "reach": "time to the common score"}
    names["memory"] = "memory"
    reasons: dict[str, list[str]] = {}
    for name, words in names.items():
        value = reading.of(name)
        if isinstance(value, Missing):
            reasons.setdefault(value.reason, []).append(words)
    return [f"no {', no '.join(words)}: {reason}" for reason, words in reasons.items()]


def _reading(table: JudgedTable, reading: Reading) -> list[str]:
    title = reading.planned.column.title
    if reading.planned.cell is None:
        short = (reading.planned.absent or "not measured").partition(":")[0]
        return [f"{title} ({short})", *([units.DASH] * (len(reading_titles(table)) - 1))]

    def shown(name: str, text: Callable[[float], str]) -> str:
        return quantity(reading.of(name), text)

    cells = [shown(name, units.duration) for name in ("boosting", "construct_fit", "total")]
    cells.append(shown("final", units.score))
    if table.preset.curve:
        cells += [shown("best_iteration", units.score), shown("iteration", units.count)]
        cells += [shown("best_on_test", units.score), shown("reach", units.duration)]
    return [title, *cells, shown("memory", units.size)]


def _where(table: JudgedTable) -> str:
    return f"On {table.dataset} at {units.count(table.rows)} rows"


def _time_said(table: JudgedTable, main: ComparedOutcome, value: Value) -> tuple[str, str]:
    titles = {each.planned.column.name: each.planned.column.title for each in table.readings}
    first, second = titles[main.compared.first], titles[main.compared.second]
    clock = CLOCK_WORDS[table.preset.clock]
    measured = f"{second} trains {with_interval(value, _ratio)} as fast as {first} {clock}"
    return measured, _published(table, main, _ratio)


def _score_said(table: JudgedTable, main: ComparedOutcome, value: Value) -> tuple[str, str]:
    measured = f"{main.compared.name}, is {with_interval(value, _signed_score)}"
    return measured, _published(table, main, _signed_score)


def _published(table: JudgedTable, main: ComparedOutcome, text: Callable[[float], str]) -> str:
    if main.published is None:
        return f"nothing is published for {table.entry.beside}"
    return f"published for {table.entry.beside}: {text(main.published)}"


def _ratio(value: float) -> str:
    return units.ratio(value)


def _signed_score(value: float) -> str:
    return f"{value:+.4f}".replace("-", units.MINUS)


def _reason(value: Quantity) -> str:
    return value.reason if isinstance(value, Missing) else number(value.point)
