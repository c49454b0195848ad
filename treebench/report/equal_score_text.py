"""What it costs to come to one score, as rows of a table and as sentences; for all outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.analysis.equal_score import TREES, EqualScore, equal_scores
from treebench.analysis.labels import series_labels
from treebench.analysis.scores import lower_is_better, score_title
from treebench.analysis.tree_peaks import tree_peaks
from treebench.report import units

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.equal_score import Costs, Price, SeriesAtScore
    from treebench.analysis.overview import Overview

TITLE = "At equal score"
NOTHING_VARIES = (
    "no two cells with a score differ in n_estimators alone, so there is nothing to interpolate: "
    "give n_estimators as a list in the config"
)

_COLUMNS: dict[str, tuple[str, Callable[[float | None], str]]] = {
    "construct_fit_wall_ns": ("construct+fit", units.duration),
    "tree_peak_bytes": ("tree memory", units.size),
    "summed_rss_peak_bytes": ("sum of RSS", units.size),
}


@dataclass(frozen=True)
class LabelledScore:
    """A comparison, and the name of each of its series."""

    known: EqualScore
    labels: tuple[str, ...]


def costs_of(run: Overview) -> Costs:
    """What is priced: time, and memory by the one measure that all cells have."""
    peaks = tree_peaks(run)
    return {
        "construct_fit_wall_ns": lambda cell: cell.construct_fit_wall_ns,
        "tree_peak_bytes": peaks.of,
        "summed_rss_peak_bytes": lambda cell: cell.summed_rss_peak_bytes,
    }


def labelled_scores(run: Overview, target: float | None = None) -> list[LabelledScore]:
    """The comparisons of a run, their series named by what sets them apart."""
    found = []
    for known in equal_scores(run.cells, costs_of(run), target):
        specs = [one.cells[0].spec for one in known.series]
        labels = series_labels(specs, {TREES})
        shown = [
            ", ".join([label, *_places(known, one)])
            for label, one in zip(labels, known.series, strict=True)
        ]
        found.append(LabelledScore(known, tuple(shown)))
    return found


def heading(known: EqualScore) -> str:
    """The data, and the score that is compared at."""
    why = (
        "the best score that every series reaches"
        if known.common
        else f"asked for; {'lower' if lower_is_better(known.score) else 'higher'} is better"
    )
    return (
        f"{known.dataset}, {units.count(known.rows)} rows, {units.count(known.features)} features: "
        f"at {score_title(known.score)} {units.score(known.target)} ({why})"
    )


def titles(compared: LabelledScore) -> list[str]:
    """The table's columns; a cost that no series has is left out."""
    return ["series", "best score", "trees", *(_COLUMNS[name][0] for name in _priced_by(compared))]


def rows(compared: LabelledScore) -> list[list[str]]:
    """A line for each series; a cost has the ends of its interval in brackets."""
    return [
        [
            label,
            units.score(one.best),
            _trees(one),
            *(_priced(one, name, _COLUMNS[name][1]) for name in _priced_by(compared)),
        ]
        for label, one in zip(compared.labels, compared.known.series, strict=True)
    ]


def _priced_by(compared: LabelledScore) -> list[str]:
    series = compared.known.series
    known = [name for name in _COLUMNS if any(one.prices[name].value for one in series)]
    return known or list(_COLUMNS)[:1]


def reading(compared: Sequence[LabelledScore]) -> list[str]:
    """How the figures came about, and what was left out."""
    said = [
        "between two numbers of trees that were measured, trees and costs are taken to grow in a "
        "straight line with the score; nothing is said outside of what was measured",
        "at most: the fewest trees measured reach the score already",
        "in brackets: as cheap and as dear as the intervals of scores and costs allow; "
        f"{units.DASH} where what was measured does not bound it",
    ]
    single = sum(one.known.single for one in compared)
    scoreless = sum(one.known.without_score for one in compared)
    if single:
        said.append(f"{single} more cells are left out: measured at one number of trees only")
    if scoreless:
        said.append(f"{scoreless} more cells are left out: no sample gave a score")
    return said


def sentences(compared: LabelledScore) -> list[str]:
    """Each series against the first, which is the run's reference, in plain words."""
    known = compared.known
    score = f"{score_title(known.score)} {units.score(known.target)}"
    first, *others = zip(compared.labels, known.series, strict=True)
    said = [_reference(score, *first)]
    return [*said, *(_against(score, label, one, *first) for label, one in others)]


def _reference(score: str, label: str, one: SeriesAtScore) -> str:
    if one.how == "not reached":
        return f"{label} does not reach {score}; its best is {units.score(one.best)}"
    costs = [
        f"{title} {_approached(one, text(price.value))}"
        for name, (title, text) in _COLUMNS.items()
        if (price := one.prices[name]).value is not None
    ]
    return f"to reach {score}, {label} takes {_and([f'{_trees(one)} trees', *costs])}"


def _against(
    score: str, label: str, one: SeriesAtScore, other_label: str, other: SeriesAtScore
) -> str:
    if one.how == "not reached":
        return f"{label} does not reach {score}; its best is {units.score(one.best)}"
    ratios = [
        f"{units.ratio(mine / theirs)} the {title}"
        for name, (title, _) in _COLUMNS.items()
        if (mine := one.prices[name].value) is not None and (theirs := other.prices[name].value)
    ]
    if not ratios:
        return f"{label} reaches {score} with {_trees(one)} trees"
    bound = " (a bound: one of the two reaches it with the fewest trees measured)"
    loose = bound if "at most" in (one.how, other.how) else ""
    return (
        f"{label} reaches it with {_trees(one)} trees, for {_and(ratios)} of {other_label}{loose}"
    )


def _places(known: EqualScore, one: SeriesAtScore) -> list[str]:
    """Layout and threads, where the series differ in them."""
    specs = [each.cells[0].spec for each in known.series]
    said = []
    if len({spec.layout for spec in specs}) > 1:
        said.append(str(one.cells[0].spec.layout))
    if len({spec.threads for spec in specs}) > 1:
        said.append(f"{one.cells[0].spec.threads} threads")
    return said


def _trees(one: SeriesAtScore) -> str:
    if one.trees is None:
        return "not reached"
    return _approached(one, f"{one.trees:,.1f}".removesuffix(".0"))


def _priced(one: SeriesAtScore, name: str, text: Callable[[float | None], str]) -> str:
    price = one.prices[name]
    if price.value is None:
        return units.DASH
    ends = _bracket(price, text)
    return f"{_approached(one, text(price.value))}{ends}"


def _bracket(price: Price, text: Callable[[float | None], str]) -> str:
    if price.low is None and price.high is None:
        return ""
    low, high = text(price.low), text(price.high)
    return "" if low == high else f" [{low}, {high}]"


def _approached(one: SeriesAtScore, text: str) -> str:
    return f"at most {text}" if one.how == "at most" else text


def _and(said: Sequence[str]) -> str:
    *first, last = said
    return f"{', '.join(first)} and {last}" if first else last
