"""The page of a machine's nights: what was found tonight, and every cell over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.analysis.figures import figure_named
from treebench.history.series import all_series
from treebench.history.suspects import guarded_names
from treebench.report import nightly_text
from treebench.report.blocks import Items, table
from treebench.report.compare_text import value
from treebench.report.history_chart import MARKS, history_chart, varies
from treebench.report.history_events import events_of
from treebench.report.html.document import charted_page, theme_switch
from treebench.report.html.markup import Markup, element, joined
from treebench.report.html.tables import rendered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.history.morning import Morning
    from treebench.history.series import Series
    from treebench.report.history_events import Event

MOST_NIGHTS = 400
"""Older ones are not drawn; they are in the history's files."""

_LEGEND = {
    "versions": "other versions of libraries",
    "settings": "other settings or measuring code",
    "regression": "a step that a re-run confirmed",
    "suspected": "a step that is suspected",
    "no regression": "a step that a re-run showed to be none of the libraries' making",
    "acknowledged": "a step that was accepted",
}


def history_page(morning: Morning, more_figures: Sequence[str] = ()) -> bytes:
    """The page as HTML, the cells with the gravest findings first."""
    cells = _cells(morning, more_figures)
    order = sorted(cells, key=lambda cell: (_rank(morning, cell), _place(morning, cell)))
    specs: dict[str, dict[str, Any]] = {}
    sections = []
    for cell in order:
        drawn = [each for each in cells[cell] if varies(each)]
        events = events_of(morning, cell, cells[cell])
        if drawn:
            specs[cell] = history_chart(morning, drawn, events)
        sections.append(_section(morning, cell, cells[cell], events, drawn=bool(drawn)))
    links = [element("li", element("a", _place(morning, c), href=f"#c-{c}")) for c in order]
    nav = element("nav", element("ul", *links), aria_label="cells")
    noscript = element("noscript", element("p", _NO_SCRIPT))
    main = element("main", noscript, _tonight(morning), *sections)
    body = joined([_header(morning), element("div", nav, main, class_="sheet")])
    return charted_page(f"Nights of {morning.night.run}", body, specs).encode(errors="replace")


_NO_SCRIPT = "The charts and the sorting of tables need JavaScript, which is in this file."


def _cells(morning: Morning, more: Sequence[str]) -> dict[str, list[Series]]:
    """The series of the cells that are in the last nights, cut to the nights that are drawn."""
    first = len(morning.history.nights) - MOST_NIGHTS
    measured = [cell for cell, spec in morning.specs.items() if not spec.is_control]
    found: dict[str, list[Series]] = {}
    for series in all_series(morning.history, guarded_names(morning.history, more), measured):
        kept = series.kept(series.nights >= first)
        if len(kept):
            found.setdefault(series.cell, []).append(kept)
    return found


def _header(morning: Morning) -> Markup:
    said = [element("p", element("strong", nightly_text.head(morning)))]
    said += [element("p", each) for each in nightly_text.circumstances(morning)]
    return element("header", theme_switch(), element("h1", f"Nights of {morning.night.run}"), *said)


def _tonight(morning: Morning) -> Markup:
    rows = [nightly_text.row(morning, each) for each in nightly_text.findings(morning)]
    parts = [rendered(table(nightly_text.TITLES, rows, nightly_text.RIGHT), "")] if rows else []
    for title, sentences in nightly_text.parts(morning):
        parts += [element("h3", title), rendered(Items(tuple(sentences)), "")]
    legend = [f"{letter}: {_LEGEND[kind]}" for kind, (letter, _, _) in MARKS.items()]
    reading = (
        "a point is the median of a night's samples, by its date; no line crosses a night that is "
        "missing; faint points were taken under other settings",
        "thick lines are the levels between change points",
        *legend,
    )
    folded = element(
        "details", element("summary", "How to read this"), rendered(Items(reading), "")
    )
    return element("section", element("h2", "Tonight"), *parts, folded, id="tonight")


def _section(
    morning: Morning, cell: str, series: Sequence[Series], events: Sequence[Event], *, drawn: bool
) -> Markup:
    place = _place(morning, cell)
    level = [
        f"{each.figure}: {value(figure_named(each.figure), float(each.medians[0]))} every night"
        for each in series
        if not varies(each)
    ]
    rows = [
        (each.night[:10], f"{MARKS[each.kind][0]}: {each.kind}", each.figure or "all", each.says)
        for each in reversed(events)
    ]
    happened = table(("night", "what", "figure", "in words"), rows, (False,) * 4)
    return element(
        "section",
        element("h2", place),
        element("p", f"id {cell}"),
        *([_figure(cell, place)] if drawn else []),
        *([rendered(Items(tuple(level)), "")] if level else []),
        *([rendered(happened, "")] if rows else []),
        id=f"c-{cell}",
    )


def _figure(cell: str, place: str) -> Markup:
    words = f"figures of {place} by night; what happened is in the table below"
    return element(
        "figure",
        element(
            "div",
            class_="chart",
            tabindex=0,
            role="img",
            aria_label=words,
            data_spec=f"spec-{cell}",
        ),
    )


def _rank(morning: Morning, cell: str) -> int:
    """Failed samples first, then the findings by their gravity."""
    if any(each.cell == cell for each in morning.failures):
        return -1
    found = [each.state for each in nightly_text.findings(morning) if each.cell == cell]
    states = list(nightly_text.STATES)
    return min((states.index(each) for each in found), default=len(states))


def _place(morning: Morning, cell: str) -> str:
    return nightly_text.place(morning, cell)
