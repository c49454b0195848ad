"""`treebench show --equal-score`: what each series takes to come to one score."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from treebench.report import equal_score_text
from treebench.report.screens import head
from treebench.report.terminal import notes, text_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from treebench.analysis.overview import Overview
    from treebench.report.equal_score_text import LabelledScore
    from treebench.report.terminal import Screen

_GAP = 2


def equal_score_screen(run: Overview, target: float | None, typed: str, screen: Screen) -> str:
    """A table and sentences for each data set; `typed` is the run as the person named it."""
    compared = equal_score_text.labelled_scores(run, target)
    shown: list[RenderableType] = []
    for one in compared:
        shown += [
            Text(equal_score_text.heading(one.known), style="bold"),
            _table(one, screen),
            Text(""),
            *notes("In words", equal_score_text.sentences(one)),
        ]
    if not compared:
        shown = [Text(f"{equal_score_text.NOTHING_VARIES}."), Text("")]
    else:
        shown += notes("How to read this", equal_score_text.reading(compared))
    return text_of([*head(run), *shown, Text(f"next: treebench report {typed}")], screen)


def raw_equal_scores(run: Overview, target: float | None) -> list[dict[str, Any]]:
    """The comparisons as JSON-ready values, unrounded; cells by their ids."""
    return [_raw(one) for one in equal_score_text.labelled_scores(run, target)]


def _raw(compared: LabelledScore) -> dict[str, Any]:
    known = compared.known
    return {
        "dataset": known.dataset,
        "rows": known.rows,
        "features": known.features,
        "score": known.score,
        "target": known.target,
        "target_is_common": known.common,
        "series": [
            {
                "series": label,
                "cells": [cell.cell for cell in one.cells],
                "best": one.best,
                "how": one.how,
                "trees": one.trees,
                **{name: asdict(price) for name, price in one.prices.items()},
            }
            for label, one in zip(compared.labels, known.series, strict=True)
        ],
        "cells_at_one_number_of_trees": known.single,
        "cells_without_score": known.without_score,
    }


def _table(compared: LabelledScore, screen: Screen) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD if screen.rules else None,
        show_edge=False,
        pad_edge=False,
        padding=(0, _GAP - screen.rules, 0, 0),
        header_style="",
    )
    for position, title in enumerate(equal_score_text.titles(compared)):
        table.add_column(title, justify="right" if position else "left", overflow="fold")
    for row in equal_score_text.rows(compared):
        table.add_row(*map(Text, row))
    return table
