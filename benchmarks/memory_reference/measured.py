"""Sweeps of this project's own, run one after the other or two at a time, and what they saw."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.data.manifest import Layout, Manifest, read_manifest
from treebench.memory_model.columns import Columns, seen
from treebench.memory_model.observations import Observation, observation_of
from treebench.memory_model.terms import is_modelled
from treebench.memory_model.workload import workload_of
from treebench.plan.build import PlannedCell, planned_again
from treebench.plan.cell import CellSpec
from treebench.store.run_folder import open_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from treebench.store.row import SampleRow

_SOME_FAILED = 2


def measure(place: Path, folder: Path, at_once: int, only: str | None = None) -> list[Path]:
    """Run every sweep of `place`/sweeps, with the cards of `place`/datasets, into folders below
    `folder`; what is there already is kept. Memory repeats whatever else runs, so that two at a
    time do no harm; times measured so are worth nothing."""
    sweeps = sorted((place / "sweeps").glob("*.yaml"))
    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(lambda sweep: _run(place, sweep, folder, only), sweeps))


def _run(place: Path, sweep: Path, folder: Path, only: str | None) -> Path:
    out = (folder / sweep.stem).absolute()
    command = [sys.executable, "-m", "treebench", "run", str(sweep.absolute()), "--out", str(out)]
    if only is not None:
        command += ["--only", only]
    project = Path(__file__).parents[2]
    places = {"PYTHONPATH": str(project), "TREEBENCH_CACHE": str(cache_of(folder))}
    surroundings = {**os.environ, **places}
    done = subprocess.run(command, cwd=place, env=surroundings, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, _SOME_FAILED):
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return out


def cache_of(folder: Path) -> Path:
    """Where the data of these sweeps lies."""
    return Path(os.environ.get("TREEBENCH_CACHE") or folder / "data").absolute()


def observed(runs: Iterable[Path], cache_folder: Path) -> Iterator[tuple[Observation, SampleRow]]:
    """What the good samples of modelled trainers saw, with the rows that they were taken from."""
    made = sorted(one.parent for one in cache_folder.glob("*/manifest.json"))
    folders = {read_manifest(one).dataset: one for one in made}
    manifests = {name: read_manifest(one) for name, one in folders.items()}
    for run in runs:
        for row in open_run(run).rows:
            if row.spec["dataset"] in manifests:
                yield from _of(row, folders, manifests)


def _of(
    row: SampleRow, folders: Mapping[str, Path], manifests: Mapping[str, Manifest]
) -> Iterator[tuple[Observation, SampleRow]]:
    name = row.spec["dataset"]
    cell = planned_again(CellSpec(**row.spec), manifests[name])
    if cell is None:
        raise SystemExit(f"{name} or treebench changed since {row.cell} was measured; take it anew")
    workload = workload_of(cell, manifests[name], columns_of(cell, folders[name]))
    found = observation_of(row, workload) if is_modelled(workload) else None
    if found is not None:
        yield found, row


def columns_of(cell: PlannedCell, folder: Path) -> Columns:
    """What the first rows of the cell's data tell."""
    problem, spec = cell.problem, cell.spec
    assert problem is not None
    onehot = problem.n_features != spec.features
    codes = tuple(sorted(cell.cardinalities.items()))
    return _looked(folder / "train.parquet", problem.layout, codes, spec.features, onehot)


@cache
def _looked(
    path: Path, layout: Layout, codes: tuple[tuple[int, int], ...], features: int, onehot: bool
) -> Columns:
    return seen(path, layout, dict(codes), features=features, onehot=onehot)
