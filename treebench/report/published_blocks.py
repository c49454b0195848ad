"""Figures that others published, as a table that says whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import units
from treebench.report.blocks import Section, Words, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.config.comparisons import Lead, Measure, PublishedData, PublishedTable

_UNITS: dict[Measure, str] = {"time": "s", "score": "score", "memory": "GB"}
_LEADS: dict[Lead, str] = {
    "as_published": "lead over hist as published",
    "equal_clocks": "lead over hist with equal clocks",
}
_NOTE = "Nothing in this table was measured here."


def published_section(name: str, one: PublishedTable) -> Section:
    """The table with its source, date and hardware."""
    source = f"{one.source}; {one.date}; {one.hardware}. {_NOTE}"
    columns = list(_columns(one))
    leads: list[Lead] = [lead for lead in _LEADS if any(lead in d.lead for d in one.data.values())]
    titles = [
        *("data", "rows", "features"),
        *(f"{one.titles[column]}, {_UNITS[measure]}" for measure, column in columns),
        *(_LEADS[lead] for lead in leads),
    ]
    rows = [_row(place, data, columns, leads) for place, data in one.data.items()]
    right = (False, *([True] * (len(titles) - 1)))
    shown = table(titles, rows, right, f"published-{name}")
    return Section(f"published-{name}", f"Published: {one.title}", (Words("", "", source), shown))


def _columns(one: PublishedTable) -> Iterator[tuple[Measure, str]]:
    for measure in _UNITS:
        for column in one.titles:
            if any(column in data.figures(measure) for data in one.data.values()):
                yield measure, column


def _row(
    place: str, data: PublishedData, columns: list[tuple[Measure, str]], leads: list[Lead]
) -> list[str]:
    figures = [data.figures(measure).get(column) for measure, column in columns]
    stated = [*figures, *(data.lead.get(lead) for lead in leads)]
    size = [units.count(data.rows), units.count(data.features)]
    return [f"{place} ({data.metric})", *size, *map(_stated, stated)]


def _stated(value: float | None) -> str:
    return units.DASH if value is None else f"{value:g}"
