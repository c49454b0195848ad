"""Blocks of a report as HTML. A table of several rows can be sorted and filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from treebench.report import units
from treebench.report.blocks import Code, Heading, Items, Links, Table, Words
from treebench.report.html.markup import Markup, element, joined, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.report.blocks import Block, Value

MOST_ROWS = 4000
"""A longer table is cut here, and says where the rest is."""
_SORTED_FROM = 3
_FILTERED_FROM = 8
_LONG = 60
_HINT = "There are more columns to the right: scroll, or use the arrow keys in the table."


def rendered(block: Block, folder: str) -> Markup:
    """A block as HTML; `folder` is where the tables' CSV files are."""
    match block:
        case Heading(said):
            return element("h3", said)
        case Words(before, strong, after):
            return element("p", before, *([element("strong", strong)] if strong else []), after)
        case Items(said):
            return element("ul", *(element("li", each) for each in said))
        case Code(said):
            return element("pre", element("code", said), tabindex=0)
        case Links(to):
            return element(
                "ul", *(element("li", element("a", what, href=quote(path))) for path, what in to)
            )
        case Table():
            return _table(block, folder)


def _table(table: Table, folder: str) -> Markup:
    """In a frame that scrolls by itself, so that a wide table does not widen the page."""
    shown = table.rows[:MOST_ROWS]
    sortable = len(shown) >= _SORTED_FROM and any(table.titles)
    heads = zip(table.titles, table.right, strict=True)
    inside = element(
        "table",
        _head(list(heads), sortable=sortable) if any(table.titles) else "",
        element("tbody", *_rows(table, shown)),
    )
    name = f"{table.name} {table.place}".strip().replace("-", " ") or "table"
    frame = element(
        "div", inside, class_="wide", tabindex=0, role="region", aria_label=f"table: {name}"
    )
    return joined(
        [
            _tools(table, len(shown), name, folder) if any(table.titles) else "",
            frame,
            element("p", _HINT, class_="hint", hidden=True),
            _cut(table, folder),
        ]
    )


def _head(heads: Sequence[tuple[str, bool]], *, sortable: bool) -> Markup:
    cells = [
        element(
            "th",
            _sorter(title) if sortable else title,
            scope="col",
            class_="n" if right else None,
            aria_sort="none" if sortable else None,
        )
        for title, right in heads
    ]
    return element("thead", element("tr", *cells))


def _sorter(title: str) -> Markup:
    named = None if title else "sort by this column, which has no title"
    return element("button", title, type="button", aria_label=named)


def _rows(table: Table, shown: Sequence[tuple[str, ...]]) -> list[Markup]:
    """Written out by hand: there are hundreds of thousands of cells."""
    keys = table.keys or shown
    classes = [' class="n"' if right else "" for right in table.right]
    return [
        Markup(
            "<tr>"
            + "".join(
                f"<td{kind or _long(said)}{_key(key)}>{text(said)}</td>"
                for kind, key, said in zip(classes, own, row, strict=True)
            )
            + "</tr>"
        )
        for row, own in zip(shown, keys, strict=False)
    ]


def _long(said: str) -> str:
    """Sentences are set in lines; everything else keeps to one."""
    return ' class="long"' if len(said) > _LONG else ""


def _key(key: Value) -> str:
    """What a number is sorted by; words are by their text, and what is not known is last."""
    return f' data-k="{key:.7g}"' if isinstance(key, int | float) else ""


def _tools(table: Table, n_rows: int, name: str, folder: str) -> Markup:
    inside: list[Markup] = []
    if n_rows >= _FILTERED_FROM:
        inside += [
            element(
                "label",
                "Filter rows ",
                element(
                    "input",
                    type="search",
                    class_="filter",
                    placeholder="words, any of a|b, not: -word",
                    aria_label=f"filter the rows of {name}",
                ),
            ),
            element("output", f"{units.count(n_rows)} rows", class_="shown"),
        ]
    if table.name:
        inside.append(element("a", "CSV", href=quote(f"{folder}{table.name}.csv"), class_="csv"))
    return element("div", *inside, class_="tools") if inside else Markup("")


def _cut(table: Table, folder: str) -> Markup:
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return Markup("")
    return element("p", f"{units.count(more)} more rows are in {folder}{table.name}.csv")
