"""Others with the same budget and the wall time that the pick's own call took."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from benchmarks.pick.measured import goal_score
from treebench.cli.pick_data import pick_data

if TYPE_CHECKING:
    from benchmarks.pick.kept import Record


def constrained_tpe(dataset: str, budget: int, threads: int, seconds: float) -> Record:
    """The trials end with the time; the best of them is then trained on all rows besides."""
    from benchmarks.pick import constrained_tpe as optunas
    from benchmarks.pick.local_take import LocalTake
    from treebench.picking.question import Question
    from treebench.picking.space import DEFAULT_TRAINERS

    data = pick_data(dataset, None)
    question = Question(
        data.name,
        data.manifest,
        data.search_manifest,
        budget_bytes=budget,
        time_budget_s=None,
        threads=threads,
        trainers=DEFAULT_TRAINERS,
    )
    began = time.monotonic()
    found = optunas.constrained_tpe(question, LocalTake(data), seconds, seed=0)
    best = found.best
    return {
        "given_s": seconds,
        "took_s": time.monotonic() - began,
        "trials": found.trials,
        "broke": found.broke,
        "metric": None if best is None else best.metric,
        "score": None if best is None else best.score,
        "peak_bytes": None if best is None else best.peak_bytes,
    }


def flaml(dataset: str, budget: int, threads: int, seconds: float) -> Record:
    """Its own time begins once it has the data; the peak is that of its whole process until then.
    Where it cannot be tried, `failed` says why, and where it never could be, `untried`."""
    data = pick_data(dataset, None)
    if data.manifest.storage != "wide":
        return {"given_s": seconds, "untried": "it was given dense data only"}
    command = [
        *(sys.executable, "-m", "benchmarks.pick.flaml_process"),
        *(str(data.folder / "train.parquet"), str(data.folder / "test.parquet")),
        *(data.manifest.task, str(seconds), str(budget), str(threads)),
    ]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    times = {"given_s": seconds, "took_s": time.monotonic() - began}
    if done.returncode != 0:
        return {**times, "failed": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    told = json.loads(done.stdout.strip().splitlines()[-1])
    goal = goal_score(told["score"])
    if goal is None:
        return {**times, "failed": "it told no score"}
    metric, score = goal
    peak, estimator = told["peak_bytes"], told["estimator"]
    return {**times, "metric": metric, "score": score, "peak_bytes": peak, "estimator": estimator}
