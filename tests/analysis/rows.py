"""Sample rows as a run would leave them, for tests: plausible figures, every kind of outcome."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from treebench.plan.cell import CellSpec
from treebench.store.row import ModelFigures, PhaseFigures, SampleError, SampleRow, Status

MIB = 2**20
MS = 10**6

BOOSTING: dict[str, Any] = {
    "n_estimators": 50,
    "learning_rate": 0.1,
    "max_leaves": 63,
    "max_bin": 255,
}
EXACT = {
    name: value for name, value in BOOSTING.items() if name not in ("max_bin", "max_leaves")
} | {"method": "exact", "container": "dmatrix", "max_depth": 6}
HIST = BOOSTING | {"method": "hist", "container": "quantile"}
LIGHTGBM = BOOSTING | {"histogram": "row-wise", "boosting": "gbdt"}

# Nanoseconds per row of construct and fit, and bytes per byte of data of container and fit.
COSTS = {
    "exact": (400, 48_000, 2.1, 4.0),
    "hist": (1500, 6_000, 0.9, 1.1),
    "lightgbm": (900, 4_200, 0.5, 0.6),
    "sklearn-hist-gbdt": (0, 9_500, 0.0, 1.6),
    "control": (0, 10_000, 0.0, 0.1),
}


def spec(
    trainer: str = "xgboost",
    params: dict[str, Any] | None = None,
    *,
    rows: int = 20_000,
    layout: Any = "dense-c",
    dataset: str = "flights",
    features: int = 12,
    threads: int = 2,
    extra: dict[str, Any] | None = None,
) -> CellSpec:
    stated = dict(HIST) if params is None and trainer == "xgboost" else dict(params or {})
    return CellSpec(
        dataset=dataset,
        data_sha256="0" * 64,
        rows=rows,
        features=features,
        layout=layout,
        trainer=trainer,
        params=stated,
        extra=extra or {},
        threads=threads,
    )


CONTROL = spec("control", {}, dataset="control", rows=20_000, features=1, threads=1)


def phase(
    wall_ns: int | None = 100 * MS,
    baseline: int | None = 200 * MIB,
    peak: int | None = 300 * MIB,
    end: int | None = 250 * MIB,
    **more: Any,
) -> PhaseFigures:
    return PhaseFigures(
        wall_ns=wall_ns,
        cpu_ns=None if wall_ns is None else 2 * wall_ns,
        baseline_rss_bytes=baseline,
        peak_rss_bytes=peak,
        end_rss_bytes=end,
        **more,
    )


def row(
    cell: CellSpec,
    block: int = 0,
    status: Status = "ok",
    phases: dict[str, PhaseFigures] | None = None,
    **more: Any,
) -> SampleRow:
    return SampleRow(
        run="test",
        cell=cell.id,
        block=block,
        kind=more.pop("kind", "timed"),
        status=status,
        spec=cell.to_json(),
        must_match={},
        info={},
        phases=phases if phases is not None else {},
        **more,
    )


@dataclass(frozen=True)
class Made:
    """What a made sample is computed from."""

    data_bytes: int
    construct_ns: int
    fit_ns: int
    container_bytes: int
    fit_bytes: int
    baseline_bytes: int = 180 * MIB


def _made(cell: CellSpec, noise: float) -> Made:
    key = cell.params.get("method", cell.trainer)
    construct, fit, container, growth = COSTS[key]
    slower = {"dense-c": 1.0, "dense-f": 1.02, "csr": 1.35, "csc": 1.6}[cell.layout]
    trees = cell.params.get("n_estimators", 50) / 50
    bins = (cell.params.get("max_bin", 255) / 255) ** 0.25
    wide = cell.features / 12
    data = cell.rows * cell.features * (4 if cell.layout.startswith("dense") else 8)
    return Made(
        data_bytes=data,
        construct_ns=int(construct * cell.rows * slower * wide * noise),
        fit_ns=int((30 * MS + fit * cell.rows * slower * wide * bins) * trees * noise),
        container_bytes=int(container * data),
        fit_bytes=int(growth * data * bins + 3 * MIB),
    )


def sample(cell: CellSpec, block: int, noise: float = 1.0, **more: Any) -> SampleRow:
    """A sample that ended well, with every phase."""
    made = _made(cell, noise)
    base = made.baseline_bytes
    loaded = base + made.data_bytes
    built = loaded + made.container_bytes
    load_ns = 25 * MS + made.data_bytes // 2
    return row(
        cell,
        block,
        phases={
            "import": phase(int(420 * MS * noise), 30 * MIB, base, base),
            "load": phase(int(load_ns * noise), base, loaded + 8 * MIB, loaded),
            "convert": phase(2 * MS, loaded, loaded, loaded),
            "construct": phase(made.construct_ns, loaded, built + made.container_bytes // 2, built),
            "fit": phase(made.fit_ns, built, built + made.fit_bytes, built + MIB),
            "predict": phase(made.fit_ns // 20, built, built + 2 * MIB, built),
            "save": phase(3 * MS, built, built + MIB, built),
        },
        data_bytes=made.data_bytes,
        score={"auc": round(0.70 + cell.rows**0.5 / 6000 + len(cell.trainer) / 4000, 6)},
        model=ModelFigures(180_000, 50, 3150, 6),
        **more,
    )


def samples(cell: CellSpec, n: int = 5, seed: int = 0) -> list[SampleRow]:
    """Samples with noise of a few percent."""
    draw = random.Random(f"{seed}{cell.id}")  # noqa: S311
    return [sample(cell, block, draw.lognormvariate(0, 0.015)) for block in range(n)]


def latency(ns_per_row: int = 700, test_rows: int = 65_000) -> dict[str, Any]:
    """What a sample says of its predictions: the larger ones too slow for their tails."""
    found: dict[str, Any] = {}
    for batch, rows in (("1", 1), ("100", 100), ("10000", 10_000), ("all", test_rows)):
        median = 20_000 + ns_per_row * rows
        repeats = min(1000, 5 * 10**9 // median)
        tail = None if repeats < 1000 else 3 * median
        reason = {"p99_ns": "it needs 1,000 calls, and 5 s were too short for them"}
        found[batch] = {
            "rows": rows,
            "repeats": repeats,
            "p50_ns": median,
            "p90_ns": median * 6 // 5,
            "p99_ns": tail,
            "rows_per_s": rows * 1e9 / median,
            "missing": reason if tail is None else {},
        }
    return found


def failed(cell: CellSpec, block: int, status: Status, message: str, **more: Any) -> SampleRow:
    error = SampleError(kind=more.pop("error_kind", status), message=message, **more)
    return row(cell, block, status, error=error)


def facts(
    cells: list[CellSpec],
    *,
    name: str = "test",
    planned: int = 5,
    unsupported: list[dict[str, Any]] | None = None,
    collapsed: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A `run.json`."""
    return {
        "schema": 1,
        "run": name,
        "command": [
            "treebench",
            "run",
            f"configs/{name}.yaml",
            "--set",
            "data.rows=[20000, 80000]",
        ],
        "started_at": "2025-06-01T10:00:00+00:00",
        "config": {"name": name, "samples": planned},
        "machine": {
            "cpu": "Some CPU | 2.4 GHz",
            "cores": {"physical": 2, "usable": 2},
            "memory_bytes": 8 * 2**30,
            "hardware_counters": None,
        },
        "versions": {"treebench": "0.1.0", "xgboost": "3.2.0", "lightgbm": "4.7.0"},
        "plan": {
            "cells": [
                {
                    "id": cell.id,
                    "spec": cell.to_json(),
                    "native": {"nthread": cell.threads},
                    "notes": [],
                }
                for cell in [CONTROL, *cells]
            ],
            "unsupported": unsupported or [],
            "collapsed": collapsed or [],
            "samples": planned,
        },
        "note": None,
        "expect": None,
    }


def exact_vs_hist(
    sizes: tuple[int, ...] = (20_000, 80_000, 260_000),
    layouts: tuple[str, ...] = ("dense-c", "csr"),
    datasets: tuple[tuple[str, int], ...] = (("flights", 12),),
) -> list[CellSpec]:
    """The cells of a usual sweep: four series over rows and layouts."""
    return [
        spec(trainer, params, rows=rows, layout=layout, dataset=dataset, features=features)
        for dataset, features in datasets
        for layout in layouts
        for rows in sizes
        for trainer, params in (
            ("xgboost", EXACT),
            ("xgboost", HIST),
            ("lightgbm", LIGHTGBM),
            ("sklearn-hist-gbdt", BOOSTING),
        )
        if not (trainer.startswith("sklearn") and layout in ("csr", "csc"))
    ]


def without_figure(made: SampleRow, name: str, figure: str, reason: str) -> SampleRow:
    """The same sample, one figure of one phase unknown."""
    figures = replace(made.phases[name], missing={figure: reason})
    object.__setattr__(figures, figure, None)
    return replace(made, phases=made.phases | {name: figures})


def realistic() -> tuple[dict[str, Any], list[SampleRow]]:
    """A run as people have them: two data sets, failures of every kind, a missing figure."""
    cells = exact_vs_hist(datasets=(("flights", 12),)) + exact_vs_hist(
        sizes=(20_000, 80_000), layouts=("csr",), datasets=(("flights-onehot", 60),)
    )
    cells.append(spec("lightgbm", LIGHTGBM | {"histogram": "col-wise"}, rows=80_000, layout="csr"))
    rows = [each for cell in cells for each in samples(cell)]
    rows = [each for each in rows if each.cell not in {cells[8].id, cells[15].id, cells[-1].id}]
    rows += [
        failed(cells[8], block, "timeout", "no answer within 60 s", phase="fit")
        for block in range(5)
    ]
    rows += samples(cells[15], 3)
    rows += [
        failed(cells[15], 3, "oom", "killed at 2.0 GiB of the limit of 2.0 GiB", phase="fit"),
        failed(cells[15], 4, "oom", "killed at 2.0 GiB of the limit of 2.0 GiB", phase="fit"),
        failed(
            cells[-1],
            0,
            "error",
            "LightGBMError: bad | thing",
            phase="construct",
            stderr_tail="[LightGBM] [Fatal] bad | thing\n",
        ),
    ]
    reason = "/proc/PID/clear_refs is not writable"
    rows = [
        without_figure(each, "fit", "peak_rss_bytes", reason) if each.cell == cells[4].id else each
        for each in rows
    ]
    rows += samples(CONTROL)
    point = {"dataset": "flights", "rows": 20_000, "layout": "csr", "threads": 2}
    refused = point | {"trainer": "sklearn-hist-gbdt", "params": BOOSTING}
    alike = point | {"trainer": "xgboost", "params": EXACT | {"max_bin": 63}}
    run = facts(
        cells,
        unsupported=[
            {"spec": refused | {"rows": n}, "reason": "HistGradientBoosting takes no sparse input"}
            for n in (20_000, 80_000, 260_000)
        ],
        collapsed=[
            {
                "into": cells[0].id,
                "spec": alike,
                "reason": "max_bin has no meaning for exact: it sorts values and has no bins",
            }
        ],
    )
    return run, rows
