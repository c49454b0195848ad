"""`python -m benchmarks.overhead [--pairs 15] [--counters software]`: needs the data set
synthetic-dense (made if not).

Wanted: fit time within 1.02 of a bare script's (median of paired runs), fit's peak growth within
3 % or 4 MiB, the whole sample at most 0.4 s longer.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from treebench.config.load import checked
from treebench.measure.counters import choose
from treebench.measure.environment import machine
from treebench.plan.build import PlannedCell, build_plan
from treebench.runner.counting import timed_counting
from treebench.runner.local import LocalExecutor
from treebench.runner.prepare import ensure_data, read_manifests
from treebench.runner.trial import trial_of
from treebench.runner.worker_environment import worker_environment
from treebench.trainers.registry import TRAINERS

BARE = Path(__file__).with_name("bare.py")
DATA, ROWS, ROUNDS, THREADS = "synthetic-dense", 100_000, 50, 2
LIBRARIES = ("lightgbm", "xgboost")


@dataclass(frozen=True)
class Taken:
    """One run, bare or through treebench."""

    fit_ns: int
    fit_growth_bytes: int
    whole_s: float


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--counters", choices=("none", "software", "hardware"), default="none")
    asked = parser.parse_args()
    pairs, choice = asked.pairs, choose(asked.counters)
    folders = ensure_data({DATA: [ROWS]})
    cells = _cells(folders)
    executor = LocalExecutor("overhead", folders, 600.0, machine(), "benchmark")
    executor = dataclasses.replace(executor, counting=partial(timed_counting, choice))
    print(f"{DATA}, {ROWS:,} rows, {ROUNDS} rounds, {THREADS} threads, {pairs} pairs in turn")
    for library in LIBRARIES:
        _report(
            library, [_pair(number, cells[library], folders, executor) for number in range(pairs)]
        )


def _pair(
    number: int, cell: PlannedCell, folders: dict[str, Path], executor: LocalExecutor
) -> tuple[Taken, Taken]:
    """A bare run and a sample; who goes first alternates."""
    if number % 2 == 0:
        bare = _bare(cell, folders)
        return bare, _sample(cell, executor)
    sample = _sample(cell, executor)
    return _bare(cell, folders), sample


def _bare(cell: PlannedCell, folders: dict[str, Path]) -> Taken:
    trial = trial_of(cell, folders)
    command = [sys.executable, str(BARE), cell.spec.trainer, str(trial.train_path)]
    command += [str(trial.test_path), str(THREADS), str(ROUNDS)]
    start = time.perf_counter()
    done = subprocess.run(
        command, env=worker_environment(THREADS), capture_output=True, text=True, check=True
    )
    whole_s = time.perf_counter() - start
    told = json.loads(done.stdout.splitlines()[-1])
    return Taken(told["fit_ns"], told["fit_growth_bytes"], whole_s)


def _sample(cell: PlannedCell, executor: LocalExecutor) -> Taken:
    start = time.perf_counter()
    row = executor.measure(cell, 0)
    whole_s = time.perf_counter() - start
    fit = row.phases.get("fit")
    if row.status != "ok" or fit is None or fit.wall_ns is None or fit.peak_growth_bytes is None:
        raise SystemExit(f"the sample did not end well: {row.error}")
    return Taken(fit.wall_ns, fit.peak_growth_bytes, whole_s)


def _cells(folders: dict[str, Path]) -> dict[str, PlannedCell]:
    raw: dict[str, Any] = {
        "name": "overhead",
        "data": {"set": DATA, "rows": ROWS},
        "threads": THREADS,
        "reference": {
            "trainer": "xgboost",
            "method": "hist",
            "container": "quantile",
            "n_estimators": ROUNDS,
            "max_leaves": 64,
            "max_bin": 255,
            "learning_rate": 0.1,
            "histogram": "row-wise",
        },
        "variants": [{"trainer": "lightgbm"}],
    }
    plan = build_plan(checked(raw, "overhead", tuple(TRAINERS)), read_manifests(folders))
    return {cell.spec.trainer: cell for cell in plan.cells.values()}


def _report(library: str, pairs: list[tuple[Taken, Taken]]) -> None:
    ratios = [sample.fit_ns / bare.fit_ns for bare, sample in pairs]
    bare_growth = median(bare.fit_growth_bytes for bare, _ in pairs)
    growth = median(sample.fit_growth_bytes for _, sample in pairs)
    longer = [sample.whole_s - bare.whole_s for bare, sample in pairs]
    mib = 2**20
    print(
        f"{library}: fit time {median(ratios):.3f}x (pairs {min(ratios):.3f} to {max(ratios):.3f}; "
        f"wanted at most 1.02x)\n"
        f"  fit's peak growth {growth / mib:.1f} MiB against {bare_growth / mib:.1f} MiB: "
        f"{growth / bare_growth:.3f}x, {(growth - bare_growth) / mib:+.1f} MiB "
        f"(wanted within 3 % or 4 MiB)\n"
        f"  whole sample {median(longer):+.2f} s (pairs {min(longer):+.2f} to {max(longer):+.2f}; "
        f"wanted at most +0.40 s)"
    )


if __name__ == "__main__":
    main()
