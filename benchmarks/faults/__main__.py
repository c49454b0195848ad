"""`python -m benchmarks.faults [--kills 100] [--minutes N] [--seed 0] [--folder DIR]`.

Runs a small sweep of LightGBM, XGBoost, a forest on loky, one on Dask, and a cell that runs out of
its memory limit. At random moments it kills the supervisor, its caretaker, both at once, the
measured worker, a process of loky's or Dask's, or stops the worker; then it types the same command
again. In the end, and with a reader of its own, it asks: is each sample that was ever seen in the
journal still there, is none there twice, does each failed sample tell the right cause, and is
nothing left of any of it? The exit code is 1 if not.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path

from benchmarks.faults.audit import Findings, judge
from benchmarks.faults.remains import remains
from benchmarks.faults.rounds import Faults, one_round


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=math.inf, help="no kill after these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="kept; else a temporary one that goes")
    options = parser.parse_args()
    if options.folder is not None:
        return measured(options.folder.absolute(), options)
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        return measured(Path(folder), options)


def measured(folder: Path, options: argparse.Namespace) -> int:
    seeded = random.Random(options.seed)  # noqa: S311 - it is no secret
    faults = Faults(folder, uuid.uuid4().hex, seeded, options.kills)
    faults.prepare()
    planned, oom_cell = faults.plan()
    began = time.monotonic()
    faults.ends_at = began + 60 * options.minutes
    found: list[Findings] = []
    while not found or faults.goes_on:
        found.append(judge(one_round(faults, len(found), planned, oom_cell)))
        sys.stderr.write(
            f"round {len(found)}: {faults.kills.total()} of {options.kills} kills, "
            f"{time.monotonic() - began:.0f} s\n"
        )
    left = remains(faults.mark, faults.pids, faults.mapped, folder)
    return told(faults, found, left, time.monotonic() - began)


def told(faults: Faults, found: list[Findings], left: list[str], seconds: float) -> int:
    """Print the tables; the exit code."""
    print("| struck | times |\n|--|--|")
    for kind, count in faults.kills.most_common():
        print(f"| {kind} | {count} |")
    statuses = sum((each.statuses for each in found), Counter[str]())
    ended = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    print(
        f"\n{faults.kills.total()} kills in {len(found)} sweeps, {faults.starts} starts, "
        f"{sum(each.rows for each in found)} rows ({ended}), {seconds:.0f} s\n"
    )
    checks = {
        "samples lost": [line for each in found for line in each.lost],
        "counted twice": [line for each in found for line in each.twice],
        "left behind": left,
        "wrong cause": [line for each in found for line in each.wrong],
        "other": faults.problems,
    }
    for name, lines in checks.items():
        print(f"{name}: {len(lines)}")
        for line in lines:
            print(f"  {line}")
    return int(any(checks.values()))


if __name__ == "__main__":
    sys.exit(main())
