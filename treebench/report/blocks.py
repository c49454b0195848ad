"""What a report is made of, before it is Markdown, HTML or CSV: titled sections of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.report.terminal import dataset_title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.report.columns import Column
    from treebench.report.lines import Line

Value = float | str | None
"""A raw value of a table: a number in the unit that its column names, a word, or not known."""


@dataclass(frozen=True)
class Heading:
    """A title within a section."""

    text: str


@dataclass(frozen=True)
class Words:
    """A paragraph, a part of which is stressed."""

    before: str = ""
    strong: str = ""
    after: str = ""


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    said: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """What is to be typed."""

    text: str


@dataclass(frozen=True)
class Links:
    """Files of the run: their paths from the report's folder, and what they are."""

    to: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """A table as people read it: `rows` of text, `right` where a column is set to the right.

    `name` is that of its CSV file, which tables of several data sets (`place`) share; empty for
    one that has none. `raw_titles` and `raw_rows` are what goes there: several columns, with
    their units, can stand for one of text. `keys` are what each column of text is sorted by.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    name: str = ""
    place: str = ""
    raw_titles: tuple[str, ...] = ()
    raw_rows: tuple[tuple[Value, ...], ...] = ()
    keys: tuple[tuple[Value, ...], ...] = ()


Block = Heading | Words | Items | Code | Links | Table


@dataclass(frozen=True)
class Section:
    """A titled part of a report. `name` is what pages link to and pictures are placed by."""

    name: str
    title: str
    blocks: tuple[Block, ...]


def table(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    name: str = "",
    place: str = "",
) -> Table:
    """A table of text alone."""
    held = tuple(map(tuple, rows))
    return Table(tuple(titles), held, tuple(right), name, place, tuple(titles), held, held)


def items(sentences: Sequence[str]) -> list[Block]:
    """A list as one block; no block where there is nothing to say."""
    return [Items(tuple(sentences))] if sentences else []


def heading(name: str, group: Sequence[Line]) -> Heading:
    """The title above a data set's table."""
    return Heading(dataset_title(name, group))


def dataset_tables(
    grouped: Mapping[str, Sequence[Line]], columns: Sequence[Column], name: str
) -> list[Block]:
    """A titled table for each data set."""
    blocks: list[Block] = []
    for place, group in grouped.items():
        blocks += [heading(place, group), _of_columns(columns, group, name, place)]
    return blocks


def _of_columns(columns: Sequence[Column], group: Sequence[Line], name: str, place: str) -> Table:
    rows = [tuple(column.text(line) for column in columns) for line in group]
    raw = [
        [_raw(column, line, text) for column, text in zip(columns, texts, strict=True)]
        for line, texts in zip(group, rows, strict=True)
    ]
    return Table(
        tuple(column.title for column in columns),
        tuple(rows),
        tuple(column.right for column in columns),
        name,
        place,
        tuple(title for column in columns for title in _raw_titles(column)),
        tuple(tuple(value for of_one in line for value in of_one) for line in raw),
        tuple(tuple(of_one[0] for of_one in line) for line in raw),
    )


def _raw_titles(column: Column) -> list[str]:
    return [each.name for each in column.raw] or [column.title]


def _raw(column: Column, line: Line, text: str) -> list[Value]:
    return [each.of(line) for each in column.raw] or [text]
