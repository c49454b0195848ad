"""A published comparison for programs: `comparison.json`, see docs/FORMAT.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.analysis.published.readings import FIGURES
from treebench.analysis.sample import Missing
from treebench.report.comparison_text import sentence
from treebench.report.expected_text import raw_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.published.readings import Quantity, Reading
    from treebench.analysis.published.tables import JudgedTable
    from treebench.analysis.published.verdicts import ComparedOutcome, OrderOutcome
    from treebench.config.comparisons import PublishedTable

SCHEMA = 1


def raw_comparison(
    tables: Sequence[JudgedTable], published: Mapping[str, PublishedTable], command: str
) -> dict[str, Any]:
    """Every table with its figures and verdicts, and the published tables in full."""
    used = dict.fromkeys(each.preset.published for each in tables)
    return {
        "schema": SCHEMA,
        "command": command,
        "tables": [_table(each) for each in tables],
        "published": {name: published[name].model_dump(mode="json") for name in used},
    }


def _table(one: JudgedTable) -> dict[str, Any]:
    return {
        "preset": one.preset.preset,
        "dataset": one.dataset,
        "rows": one.rows,
        "clock": one.preset.clock,
        "score": one.preset.score,
        "beside": one.entry.beside,
        "sentence": sentence(one),
        "why": one.why,
        "conditions": list(one.conditions),
        "run": one.run,
        "reached_auc": one.reached,
        "columns": [_reading(each) for each in one.readings],
        "comparisons": [_compared(each) for each in one.compared],
        "orders": [_order(each) for each in one.orders],
    }


def _reading(one: Reading) -> dict[str, Any]:
    planned = one.planned
    values = {name: one.of(name) for name in FIGURES} if planned.cell is not None else {}
    return {
        "column": planned.column.name,
        "title": planned.column.title,
        "cell": planned.cell,
        "absent": planned.absent,
        "chosen": planned.chosen,
        "remark": planned.column.remark,
        "figures": {name: _value(value) for name, value in values.items()},
        "missing": {
            name: value.reason for name, value in values.items() if isinstance(value, Missing)
        },
    }


def _compared(one: ComparedOutcome) -> dict[str, Any]:
    return {
        "name": one.compared.name,
        "figure": one.compared.figure,
        "first": one.compared.first,
        "second": one.compared.second,
        "measured": _value(one.measured),
        "published": one.published,
        "published_lowest": one.lowest,
        "published_highest": one.highest,
        "verdict": one.verdict,
        "why": one.why,
    }


def _order(one: OrderOutcome) -> dict[str, Any]:
    return {
        "figure": one.order.figure,
        "measured": list(one.measured),
        "published": list(one.published),
        "verdict": one.verdict,
        "why": one.why,
    }


def _value(value: Quantity) -> dict[str, Any] | None:
    return None if isinstance(value, Missing) else raw_value(value)
