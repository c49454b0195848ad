"""A published comparison as blocks, of which the page, Markdown, CSV and the terminal are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.sample import Missing
from treebench.report import comparison_text as words
from treebench.report.blocks import Heading, Section, Table, Words, items, table
from treebench.report.published_blocks import published_section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.published.readings import Quantity, Reading
    from treebench.analysis.published.tables import JudgedTable
    from treebench.analysis.published.verdicts import ComparedOutcome
    from treebench.config.comparisons import PublishedTable
    from treebench.report.blocks import Block, Value

TITLE = "LightGBM against XGBoost, as published and as measured here"
_RAW_TITLES = {
    "boosting": "boosting_ns",
    "construct_fit": "construct_fit_ns",
    "total": "total_ns",
    "final": "final_auc",
    "best_iteration": "best_by_validation_auc",
    "iteration": "best_iteration",
    "best_on_test": "best_on_test_auc",
    "reach": "time_to_common_auc_ns",
    "memory": "memory_bytes",
    "peak": "peak_rss_bytes",
}
_ENDS = ("", "_low", "_high")
_COMPARED_RAW_TITLES = (
    *("comparison", "beside"),
    *(f"measured{end}" for end in _ENDS),
    *("published", "published_lowest", "published_highest"),
    *("verdict", "why"),
)


def comparison_sections(
    tables: Sequence[JudgedTable], published: Mapping[str, PublishedTable], command: str
) -> list[Section]:
    """What it says in sentences, then every table, then the published figures."""
    said = [words.listed_sentence(each) for each in tables]
    head = Section("verdicts", "In a sentence each", tuple(items(said)))
    parts = [_of_preset(name, group) for name, group in by_preset(tables).items()]
    used = dict.fromkeys(each.preset.published for each in tables)
    stated = [published_section(name, published[name]) for name in used]
    reading = Section("reading", "How to read this", tuple(items(words.READING)))
    made = Section("command", "Made by", (Words("", command, ""),))
    return [head, *parts, *stated, reading, made]


def by_preset(tables: Sequence[JudgedTable]) -> dict[str, list[JudgedTable]]:
    """The tables of each preset."""
    grouped: dict[str, list[JudgedTable]] = {}
    for each in tables:
        grouped.setdefault(each.preset.preset, []).append(each)
    return grouped


def table_blocks(one: JudgedTable) -> list[Block]:
    """A table: its sentence, columns, comparisons, orders and what goes with them."""
    blocks: list[Block] = [Heading(words.heading_of(one)), Words("", words.sentence(one), "")]
    if one.why is not None or one.published is None:
        return blocks
    titles = {each.planned.column.name: each.planned.column.title for each in one.readings}
    beside = f"beside it stands {one.entry.beside}, since {one.entry.why_beside}"
    return [
        *blocks,
        _columns(one),
        _compared(one),
        *_orders(one, titles),
        *items([*one.conditions, beside, *words.remarks(one), f"samples: {one.run}"]),
    ]


def _of_preset(name: str, group: Sequence[JudgedTable]) -> Section:
    preset = group[0].preset
    blocks = [
        Words("", "", preset.says),
        *(block for each in group for block in table_blocks(each)),
    ]
    return Section(name, preset.title, tuple(blocks))


def _columns(one: JudgedTable) -> Table:
    titles = words.reading_titles(one)
    rows = words.reading_rows(one)
    raw = [_raw(each) for each in one.readings]
    raw_titles = ["column", *(f"{name}{end}" for name in _RAW_TITLES.values() for end in _ENDS)]
    return Table(
        titles,
        tuple(map(tuple, rows)),
        (False, *([True] * (len(titles) - 1))),
        "columns",
        _place(one),
        tuple(raw_titles),
        tuple(raw),
        tuple(_keys(one, each) for each in one.readings),
    )


def _place(one: JudgedTable) -> str:
    return f"{one.preset.preset} {one.dataset} {one.rows}"


def _raw(reading: Reading) -> tuple[Value, ...]:
    values: list[Value] = [reading.planned.column.name]
    for name in _RAW_TITLES:
        values += _ends(reading.of(name))
    return tuple(values)


def _ends(value: Quantity) -> list[Value]:
    return [None] * 3 if isinstance(value, Missing) else [value.point, value.low, value.high]


def _keys(one: JudgedTable, reading: Reading) -> tuple[Value, ...]:
    """What a column of text is sorted by."""
    names = ["boosting", "construct_fit", "total", "final"]
    if one.preset.curve:
        names += ["best_iteration", "iteration", "best_on_test", "reach"]
    return (
        reading.planned.column.title,
        *(_ends(reading.of(name))[0] for name in (*names, "memory")),
    )


def _compared(one: JudgedTable) -> Table:
    rows = [tuple(words.compared_row(each)) for each in one.compared]
    published = f"published for {one.entry.beside}"
    titles = [published if each == "published" else each for each in words.COMPARED_TITLES]
    keys = [_compared_keys(row, each) for row, each in zip(rows, one.compared, strict=True)]
    return Table(
        tuple(titles),
        tuple(rows),
        words.COMPARED_RIGHT,
        "comparisons",
        _place(one),
        _COMPARED_RAW_TITLES,
        tuple(_compared_raw(one, each) for each in one.compared),
        tuple(keys),
    )


def _compared_raw(one: JudgedTable, each: ComparedOutcome) -> tuple[Value, ...]:
    return (
        each.compared.name,
        one.entry.beside,
        *_ends(each.measured),
        each.published,
        each.lowest,
        each.highest,
        each.verdict,
        each.why,
    )


def _compared_keys(row: Sequence[str], each: ComparedOutcome) -> tuple[Value, ...]:
    """What a column of text is sorted by."""
    return (row[0], _ends(each.measured)[0], each.published, each.lowest, row[4])


def _orders(one: JudgedTable, titles: Mapping[str, str]) -> list[Block]:
    rows = [words.order_row(each, titles) for each in one.orders]
    if not rows:
        return []
    return [
        table(words.ORDER_TITLES, rows, (False,) * len(words.ORDER_TITLES), "orders", _place(one))
    ]
