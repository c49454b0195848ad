"""`python -m benchmarks.pick [--only memory|grid|rivals] [--data NAME ...] [--small]`.

1. The memory model's errors on held-out cells (`benchmarks.memory_error`).
2. A full grid on all rows, and pick under three budgets: the peaks that a tenth, a half and all of
   the grid keep to. Score against the grid's best that keeps to the budget; CPU against the grid's.
3. With the same budgets and pick's time: Optuna's constrained TPE, and FLAML with its threshold.

Everything is kept in a folder, and goes on from there. Run it on a quiet machine, from a clone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.pick.grid import write_grid
from benchmarks.pick.measured import Measured, cpu_s, measured, picked, rows_of
from treebench.analysis.scores import lower_is_better

if TYPE_CHECKING:
    from benchmarks.pick.constrained_tpe import Rival

_LAYOUTS = {"flights-onehot": ["csr"], "synthetic-sparse": ["csr"]}
_DATA = (
    "flights",
    "flights-onehot",
    "synthetic-dense",
    "synthetic-multiclass",
    "synthetic-regression",
)
_BUDGETS = {"tight": 0.1, "middle": 0.5, "loose": 1.0}
_MIB = 1 << 20


@dataclass(frozen=True)
class Asked:
    """What is the same for all."""

    folder: Path
    threads: int
    search_s: float
    small: bool


def main() -> None:
    parser = argparse.ArgumentParser()
    default = Path(tempfile.gettempdir()) / "treebench-pick-benchmark"
    parser.add_argument("--folder", type=Path, default=default)
    parser.add_argument("--only", choices=("memory", "grid", "rivals"))
    parser.add_argument("--data", nargs="+", default=list(_DATA))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--search-time", type=float, default=300.0)
    parser.add_argument("--small", action="store_true", help="a small grid, to try this out")
    options = parser.parse_args()
    asked = Asked(options.folder, options.threads, options.search_time, options.small)
    if options.only in (None, "memory"):
        subprocess.run([sys.executable, "-m", "benchmarks.memory_error"], check=True)
    if options.only == "memory":
        return
    for dataset in options.data:
        compare(dataset, asked, rivals=options.only in (None, "rivals"))


def compare(dataset: str, asked: Asked, *, rivals: bool) -> None:
    """Print the tables of one data set."""
    layouts = _LAYOUTS.get(dataset, ["dense-c"])
    config = write_grid(dataset, layouts, asked.threads, asked.folder, asked.small)
    rows = rows_of(asked.folder / f"grid-{dataset}", config)
    grid = [each for row in rows if (each := measured(row)) is not None]
    grid_cpu_s = sum(cpu_s(row) for row in rows)
    print(f"\n{dataset}: {len(grid)} of {len(rows)} grid cells ended well, {grid_cpu_s:,.0f} s CPU")
    for name, share in _BUDGETS.items():
        peaks = sorted(each.peak_bytes for each in grid)
        budget = -int(-peaks[max(0, round(share * len(peaks)) - 1)] // _MIB) * _MIB
        best = min((e for e in grid if e.peak_bytes <= budget), key=lambda each: each.loss)
        # A folder for each budget, or the second would be asked of what the first has learnt.
        held = asked.folder / f"pick-{dataset}-{name}"
        answer = picked(dataset, budget, held, asked.threads, asked.search_s)
        print(_pick_line(name, budget, best, answer, grid_cpu_s))
        if rivals:
            _print_rivals(dataset, budget, asked, answer)


def _pick_line(
    name: str, budget: int, best: Measured, answer: dict[str, Any], grid_cpu_s: float
) -> str:
    head = f"  {name:6} {budget / _MIB:7,.0f} MiB  grid's best {best.metric} {best.score:.4f}"
    cost = 100 * answer["spent"]["cpu_s"] / grid_cpu_s
    if answer["pick"] is None:
        return f"{head}; nothing picked; {cost:.1f} % of the grid's CPU"
    pick = answer["pick"]
    behind = pick["score"] - best.score
    behind = behind if lower_is_better(best.metric) else -behind
    kept = "kept" if pick["peak_bytes"] <= budget else "BROKEN"
    return (
        f"{head}; pick {pick['score']:.4f} (behind by {behind:+.4f}, "
        f"{100 * behind / abs(best.score):+.2f} %), peak {pick['peak_bytes'] / _MIB:,.0f} MiB "
        f"({kept}); {cost:.1f} % of the grid's CPU"
    )


def _print_rivals(dataset: str, budget: int, asked: Asked, answer: dict[str, Any]) -> None:
    seconds = answer["spent"]["wall_s"]
    tpe = _tpe(dataset, budget, asked, seconds)
    best = "none kept to it" if tpe.best is None else f"{tpe.best.score:.4f}"
    if tpe.best is not None and tpe.best.peak_bytes > budget:
        best += f" but {tpe.best.peak_bytes / _MIB:,.0f} MiB on all rows"
    print(f"         constrained TPE: {best}; {tpe.broke} of {tpe.trials} trials broke the budget")
    print(f"         FLAML: {_flaml(dataset, budget, asked, seconds)}")


def _tpe(dataset: str, budget: int, asked: Asked, seconds: float) -> Rival:
    from benchmarks.pick.constrained_tpe import constrained_tpe
    from benchmarks.pick.local_take import LocalTake
    from treebench.cli.pick_data import pick_data
    from treebench.picking.question import Question
    from treebench.picking.space import DEFAULT_TRAINERS

    data = pick_data(dataset, None)
    question = Question(
        data.name,
        data.manifest,
        data.search_manifest,
        budget_bytes=budget,
        time_budget_s=None,
        threads=asked.threads,
        trainers=DEFAULT_TRAINERS,
    )
    return constrained_tpe(question, LocalTake(data), seconds, seed=0)


def _flaml(dataset: str, budget: int, asked: Asked, seconds: float) -> str:
    from treebench.cli.pick_data import pick_data

    data = pick_data(dataset, None)
    if data.manifest.storage != "wide":
        return "not tried: it was given dense data only"
    command = [
        *(sys.executable, "-m", "benchmarks.pick.flaml_process"),
        *(str(data.folder / "train.parquet"), str(data.folder / "test.parquet")),
        *(data.manifest.task, str(seconds), str(budget), str(asked.threads)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"failed: {(done.stderr.strip().splitlines() or ['no word'])[-1]}"
    told = json.loads(done.stdout.strip().splitlines()[-1])
    kept = "kept" if told["peak_bytes"] <= budget else "BROKEN"
    said = ", ".join(f"{name} {value:.4f}" for name, value in told["score"].items())
    return f"{said} ({told['estimator']}); peak {told['peak_bytes'] / _MIB:,.0f} MiB ({kept})"


if __name__ == "__main__":
    main()
