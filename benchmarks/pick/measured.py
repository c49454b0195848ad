"""Calls of treebench and what came of them: a score on the test part, a peak, what it took."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.analysis.scores import lower_is_better, main_score
from treebench.picking.tried import peak_bytes
from treebench.store.run_folder import open_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class Measured:
    """`score` is on the test part, `cpu_s` and `wall_s` of the whole sample's phases."""

    name: str
    metric: str
    score: float
    peak_bytes: int
    cpu_s: float
    wall_s: float

    @property
    def loss(self) -> float:
        return self.score if lower_is_better(self.metric) else -self.score


@dataclass(frozen=True)
class Called:
    """A command's answer, and what it took with all its processes, the supervisor's too."""

    answer: dict[str, Any]
    wall_s: float
    cpu_s: float


def goal_score(scores: Mapping[str, float]) -> tuple[str, float] | None:
    """The score that is compared: of errors RMSE, else the main one."""
    name = "rmse" if "rmse" in scores else main_score(scores)
    return None if name is None else (name, scores[name])


def measured(row: SampleRow) -> Measured | None:
    """None where the sample failed."""
    peak = peak_bytes(row)
    goal = None if row.score is None else goal_score(row.score)
    if row.status != "ok" or peak is None or goal is None:
        return None
    return Measured(_name(row), *goal, peak, spent_s(row, "cpu_ns"), spent_s(row, "wall_ns"))


def spent_s(row: SampleRow, clock: str) -> float:
    return sum(getattr(each, clock) or 0 for each in row.phases.values()) / 1e9


def samples(folder: Path) -> list[SampleRow]:
    """A run's, without the control cell's."""
    return [row for row in open_run(folder).rows if row.spec["trainer"] != "control"]


def run(config: Path, folder: Path) -> list[SampleRow]:
    """The samples of a sweep, those that are missing taken first."""
    _call(["run", str(config), "--out", str(folder)], (0, 2))
    return samples(folder)


def pick(dataset: str, budget: int, folder: Path, threads: int, search_s: float) -> Called:
    """What `treebench pick` answers who never asked it before."""
    asked = ["--memory", str(budget), "--threads", str(threads), "--search-time", f"{search_s:g}s"]
    return _call(["pick", dataset, "--json", "--fresh", *asked, "--out", str(folder)], (0, 4))


def _call(arguments: list[str], fine: tuple[int, ...]) -> Called:
    command = [sys.executable, "-m", "treebench", *arguments]
    began, cpu = time.monotonic(), _children_cpu_s()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    wall_s, cpu_s = time.monotonic() - began, _children_cpu_s() - cpu
    if done.returncode not in fine:
        raise SystemExit(f"{' '.join(command)} ended with exit code {done.returncode}")
    answer = json.loads(done.stdout) if "--json" in arguments else {}
    return Called(answer, wall_s, cpu_s)


def _children_cpu_s() -> float:
    """Of all that were started and have ended, and of those that they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _name(row: SampleRow) -> str:
    params = row.spec["params"]
    kept = ("method", "container", "n_estimators", "max_bin", "max_depth", "learning_rate")
    said = [f"{params[name]}" for name in kept if name in params]
    return " ".join([row.spec["trainer"], row.spec["layout"], *said])
