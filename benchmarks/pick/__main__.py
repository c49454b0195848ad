"""`python -m benchmarks.pick [--size hour|night|trial] [--data NAME ...] [--threads 1] [--table]`.

For each data set a full grid is trained on all rows, and then pick is asked three times, from
nothing, under the budgets that a tenth, a half and all of the grid keep to. How long it may search
follows from the grid: a tenth of the grid's CPU, less two samples of the grid for the proof. With
the same budget and the wall time that the pick's own call took: Optuna's constrained TPE, and FLAML
with its memory threshold.

`--size` says how large all of it is (benchmarks/pick/sizes.py), `--rows` and `--search-time`
overrule it. Every figure is kept in `--folder` as a line of JSON once it is known; a call goes on
from there, and `--table` prints what is there. A pick that searched for another time is asked
again, and so are its rivals. With `--threads 1` two calls with other `--data` may run side by side
on two cores. `--only grid` stops after the grid, `--only pick` leaves the rivals out; `--only
memory` is `python -m benchmarks.memory_error`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.pick import measured, rivals, tables
from benchmarks.pick.grid import write_grid
from benchmarks.pick.kept import Kept
from benchmarks.pick.sizes import DATA, SIZES, Size, data_set
from treebench.cli.pick_data import pick_data

if TYPE_CHECKING:
    from benchmarks.pick.kept import Record

_LAYOUTS = {"flights-onehot": ("csr",)}
BUDGETS = {"tight": 0.1, "middle": 0.5, "loose": 1.0}
_SHARE = 0.1
_PROOF_SAMPLES = 2
_LEAST_SEARCH_S = 20.0
_MIB = 1 << 20


@dataclass(frozen=True)
class Asked:
    """What is the same for all."""

    size: Size
    threads: int
    rows: int | None
    search_s: float | None
    pick: bool
    rivals: bool


def main() -> None:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    folder = options.folder.absolute()
    if options.only == "memory":
        subprocess.run([sys.executable, "-m", "benchmarks.memory_error"], check=True)
        return
    if not options.table:
        os.environ["PYTHONPATH"] = str(Path(__file__).parents[2])
        os.chdir(folder)  # its cards are found there, and their data made beside them
        asked = Asked(
            size=SIZES[options.size],
            threads=options.threads,
            rows=options.rows,
            search_s=options.search_time,
            pick=options.only != "grid",
            rivals=options.only is None,
        )
        for dataset in options.data:
            measure(dataset, options.size, asked)
    tables.print_tables([Kept(path) for path in sorted(folder.glob("*.jsonl"))])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "treebench-pick-benchmark"
    parser.add_argument("--folder", type=Path, default=default)
    parser.add_argument("--only", choices=("memory", "grid", "pick"))
    parser.add_argument("--data", nargs="+", default=list(DATA), choices=DATA, metavar="NAME")
    parser.add_argument("--size", choices=tuple(SIZES), default="hour")
    parser.add_argument("--rows", type=int, help="of each data set, in place of the size's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--search-time", type=float, help="seconds, in place of what follows")
    parser.add_argument("--table", action="store_true", help="of what is kept; measure nothing")
    return parser.parse_args()


def measure(dataset: str, size: str, asked: Asked) -> None:
    """Measure what is not kept of one data set."""
    name = data_set(dataset, asked.rows or asked.size.rows.get(dataset))
    kept = Kept(Path(f"{name}-{size}-{asked.threads}t.jsonl"))
    # Neither the pick nor its rivals are charged for making the data.
    pick_data(name, None)
    grid = kept.once("grid", None, lambda: _grid(name, dataset, size, asked))
    for budget in BUDGETS if asked.pick else ():
        pick = kept.once(
            "pick",
            budget,
            lambda b=budget: _pick(name, grid, b, asked),  # type: ignore[misc]
            search_s=search_time_s(grid, asked),
        )
        print(tables.pick_line(grid, pick), flush=True)
        if asked.rivals:
            _rivals(name, kept, grid, pick, asked)


def _grid(name: str, dataset: str, size: str, asked: Asked) -> Record:
    numbers, layouts = asked.size.numbers_of(dataset), _LAYOUTS.get(dataset, ("dense-c",))
    config = write_grid(name, numbers, asked.size.forest, layouts, asked.threads)
    rows = measured.run(config, Path(f"grid-{name}"))
    ended = [each for row in rows if (each := measured.measured(row)) is not None]
    if not ended:
        raise SystemExit(f"no cell of the grid of {name} ended well: treebench show grid-{name}")
    manifest = pick_data(name, None).manifest
    return {
        "data": name,
        "size": size,
        "rows": manifest.train_rows,
        "features": manifest.n_features,
        "threads": asked.threads,
        "cells": len(rows),
        "ended": len(ended),
        "cpu_s": sum(measured.spent_s(row, "cpu_ns") for row in rows),
        "wall_s": sum(measured.spent_s(row, "wall_ns") for row in rows),
        "metric": ended[0].metric,
        "budgets": {budget: _budget(ended, share) for budget, share in BUDGETS.items()},
    }


def _budget(ended: list[measured.Measured], share: float) -> Record:
    """The least whole MiB that so many of the cells keep to, and the best of these."""
    peaks = sorted(each.peak_bytes for each in ended)
    budget = -(-peaks[max(0, round(share * len(peaks)) - 1)] // _MIB) * _MIB
    best = min((e for e in ended if e.peak_bytes <= budget), key=lambda each: each.loss)
    return {"bytes": budget, "best": best.name, "score": best.score, "peak_bytes": best.peak_bytes}


def search_time_s(grid: Record, asked: Asked) -> float:
    """Seconds that the search may take, so that all of a pick's samples take a tenth of the CPU
    that the grid took: its own are taken to keep the cores as busy as the grid's."""
    if asked.search_s is not None:
        return asked.search_s
    grid_cpu_s, grid_wall_s = float(grid["cpu_s"]), float(grid["wall_s"])
    cpu_s = _SHARE * grid_cpu_s - _PROOF_SAMPLES * grid_cpu_s / int(grid["cells"])
    return max(_LEAST_SEARCH_S, round(cpu_s * grid_wall_s / grid_cpu_s, 1))


def _pick(name: str, grid: Record, budget: str, asked: Asked) -> Record:
    """Asked in a folder of its own for each budget, or the second would know what the first has
    learnt."""
    limit, search_s = grid["budgets"][budget]["bytes"], search_time_s(grid, asked)
    folder = Path(f"pick-{name}-{budget}")
    called = measured.pick(name, limit, folder, asked.threads, search_s)
    spent = called.answer["spent"]
    record = {
        "search_s": search_s,
        "call_wall_s": called.wall_s,
        "call_cpu_s": called.cpu_s,
        "samples": spent["samples"],
        "cpu_s": spent["cpu_s"],
        "proofs": len(called.answer["attempts"]),
        "score": None,
        "peak_bytes": None,
    }
    picked = called.answer["pick"]
    if picked is None:
        return record
    # The proof's, or where the test part was scored apart that sample's: the last on the whole set.
    scored = [row for row in measured.samples(folder) if row.spec["dataset"] == name and row.score]
    goal = measured.goal_score(scored[-1].score or {})
    return {
        **record,
        "score": None if goal is None else goal[1],
        "peak_bytes": picked["peak_bytes"],
        "learner": " ".join(str(e) for e in picked["point"]["learner"] + picked["holding"] if e),
    }


def _rivals(name: str, kept: Kept, grid: Record, pick: Record, asked: Asked) -> None:
    limit, given_s = grid["budgets"][pick["budget"]]["bytes"], pick["call_wall_s"]
    for what, ask in (("tpe", rivals.constrained_tpe), ("flaml", rivals.flaml)):
        told = kept.once(
            what,
            pick["budget"],
            lambda ask=ask: ask(name, limit, asked.threads, given_s),  # type: ignore[misc]
            given_s=given_s,
        )
        print(f"         {tables.rival_line(what, told, limit)}", flush=True)


if __name__ == "__main__":
    main()
