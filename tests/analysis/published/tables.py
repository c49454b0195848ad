"""A comparison in small, with planted samples: presets, published tables, rows with curves."""

from __future__ import annotations

import random
from typing import Any

from tests.analysis.rows import BOOSTING, EXACT, HIST, MIB, MS, phase, row, spec
from treebench.analysis.published.readings import ColumnCell, Table, read_table
from treebench.config.comparisons import Preset, PublishedTable
from treebench.plan.cell import CellSpec
from treebench.store.row import ModelFigures, SampleRow

CELLS: dict[str, CellSpec] = {
    "exact": spec(params=EXACT),
    "hist": spec(params=HIST),
    "lightgbm": spec("lightgbm", BOOSTING | {"histogram": "col-wise"}),
}
PUBLISHED = PublishedTable.model_validate(
    {
        "title": "t",
        "source": "a page",
        "date": "2020",
        "hardware": "16 threads",
        "titles": {"exact": "exact", "hist": "hist", "lightgbm": "LightGBM"},
        "lead_of": ["hist", "lightgbm"],
        "data": {
            "Higgs": {
                "rows": 10_500_000,
                "features": 28,
                "metric": "AUC",
                "time_s": {"exact": 400, "hist": 130, "lightgbm": 100},
                "score": {"exact": 0.80, "hist": 0.84, "lightgbm": 0.8404},
                "memory_gb": {"exact": 4, "hist": 8, "lightgbm": 1},
                "lead": {"as_published": 1.3, "equal_clocks": 1.2},
            },
            "Expo": {
                "rows": 11_000_000,
                "features": 700,
                "metric": "AUC",
                "time_s": {"exact": 900, "hist": 200, "lightgbm": 100},
                "score": {"exact": 0.7, "lightgbm": 0.72},
                "lead": {"as_published": 2.0, "equal_clocks": 1.9},
            },
        },
    }
)
_COLUMNS = [
    {"name": name, "title": name, "library": "l", "setting": {"trainer": "xgboost"}}
    for name in (*CELLS, "catboost")
]


def preset(**more: Any) -> Preset:
    stated: dict[str, Any] = {
        "preset": "small",
        "title": "Small",
        "says": "a preset of tests",
        "published": "p",
        "sweep": "s",
        "clock": "construct_fit",
        "score": "best_iteration",
        "lead": "equal_clocks",
        "least": {},
        "data": [{"set": "flights", "rows": 20_000, "beside": "Higgs", "why_beside": "so"}],
        "columns": _COLUMNS,
        "compares": [
            {
                "name": "lead over hist",
                "figure": "time",
                "first": "hist",
                "second": "lightgbm",
                "published": ["hist", "lightgbm"],
                "main": True,
            }
        ],
        "orders": [{"figure": "time", "columns": {name: name for name in CELLS}}],
    }
    return Preset.model_validate({**stated, **more})


def sample(
    cell: CellSpec,
    block: int,
    *,
    construct_ms: float,
    fit_ms: float,
    aucs: list[float],
    growth_mib: int = 4,
    validation: list[float] | None = None,
) -> SampleRow:
    """A sample whose curve has these test scores, one each fifth of fit."""
    each = fit_ms * MS / len(aucs)
    held_out = aucs if validation is None else validation
    best = max(range(len(aucs)), key=lambda n: held_out[n])
    points = [
        {
            "iteration": 10 * (n + 1),
            "wall_ns": int(each * (n + 1)),
            "test": {"auc": auc},
            "validation": {"auc": held},
        }
        for n, (auc, held) in enumerate(zip(aucs, held_out, strict=True))
    ]
    return row(
        cell,
        block,
        phases={
            "construct": phase(int(construct_ms * MS), 200 * MIB, 201 * MIB, 201 * MIB),
            "fit": phase(int(fit_ms * MS), 201 * MIB, (200 + growth_mib) * MIB, 201 * MIB),
        },
        data_bytes=MIB,
        score={"auc": aucs[-1]},
        model=ModelFigures(1000, 50, 500, 6),
        curve={
            "metric": "auc",
            "n_iterations": 10 * len(aucs),
            "iterations": points,
            "best_iteration": points[best]["iteration"],
            "missing": {},
        },
    )


COSTS: dict[str, dict[str, Any]] = {
    "exact": {"construct_ms": 10, "fit_ms": 390, "aucs": [0.70, 0.75, 0.79], "growth_mib": 39},
    "hist": {"construct_ms": 60, "fit_ms": 140, "aucs": [0.78, 0.84, 0.83], "growth_mib": 19},
    "lightgbm": {"construct_ms": 20, "fit_ms": 80, "aucs": [0.78, 0.841, 0.84], "growth_mib": 9},
}


def planted(n: int = 5, noise: float = 0.01, **changed: dict[str, Any]) -> list[SampleRow]:
    """Samples of every column; of `changed` ones with other costs."""
    rows = []
    for name, cell in CELLS.items():
        draw = random.Random(name)  # noqa: S311
        cost = {**COSTS[name], **changed.get(name, {})}
        for block in range(n):
            slower = draw.lognormvariate(0, noise)
            times = {
                key: value * slower if key.endswith("_ms") else value for key, value in cost.items()
            }
            rows.append(sample(cell, block, **times))
    return rows


def planned(one: Preset) -> list[ColumnCell]:
    return [
        ColumnCell(column, CELLS[column.name].id)
        if column.name in CELLS
        else ColumnCell(column, None, "not installed: pip install catboost")
        for column in one.columns
    ]


def read(one: Preset, rows: list[SampleRow]) -> Table:
    return read_table(one, planned(one), rows, {each.id: each for each in CELLS.values()})
