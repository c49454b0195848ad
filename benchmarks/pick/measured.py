"""One measured configuration: a score on the test part, a peak, what it took."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.analysis.scores import lower_is_better, main_score
from treebench.picking.tried import peak_bytes
from treebench.store.run_folder import open_run

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class Measured:
    """`score` is on the test part, `cpu_s` of the whole sample."""

    name: str
    metric: str
    score: float
    peak_bytes: int
    cpu_s: float

    @property
    def loss(self) -> float:
        return self.score if lower_is_better(self.metric) else -self.score


def measured(row: SampleRow) -> Measured | None:
    """None where the sample failed."""
    peak = peak_bytes(row)
    metric = None if row.score is None else main_score(row.score)
    if row.status != "ok" or peak is None or metric is None or row.score is None:
        return None
    return Measured(_name(row), metric, row.score[metric], peak, cpu_s(row))


def cpu_s(row: SampleRow) -> float:
    return sum(each.cpu_ns or 0 for each in row.phases.values()) / 1e9


def rows_of(folder: Path, config: str | None = None) -> list[SampleRow]:
    """The samples of a run, taken first where there is a config."""
    if config is not None:
        command = [sys.executable, "-m", "treebench", "run", config, "--out", str(folder)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 2):
            raise SystemExit(f"{' '.join(command)} ended with exit code {done.returncode}")
    return [row for row in open_run(folder).rows if row.spec["trainer"] != "control"]


def picked(
    dataset: str, budget_bytes: int, folder: Path, threads: int, search_s: float
) -> dict[str, Any]:
    """What `treebench pick` answers."""
    command = [
        *(sys.executable, "-m", "treebench", "pick", dataset, "--json"),
        *("--memory", str(budget_bytes), "--threads", str(threads)),
        *("--search-time", str(search_s), "--out", str(folder)),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(command)} ended with exit code {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _name(row: SampleRow) -> str:
    params = row.spec["params"]
    kept = ("method", "container", "max_bin", "max_depth", "max_leaves", "learning_rate")
    said = [f"{params[name]}" for name in kept if name in params]
    return " ".join([row.spec["trainer"], row.spec["layout"], *said])
