"""Forests in parallel as a run would leave them, their memory made from known parts."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from tests.analysis.rows import CONTROL, MIB, MS, facts, phase, row, samples, spec
from treebench.plan.cell import CellSpec
from treebench.store.row import SampleRow

DATA_BYTES = 300_000 * 50 * 4
BASE_BYTES = 150 * MIB
PROCESS_BYTES = 90 * MIB
"""What an interpreter with its libraries holds, beside the data."""

THREADS, PICKLED, MEMMAP, SHARDED = (
    "sklearn-forest",
    "loky-forest-pickled",
    "loky-forest-memmap",
    "dask-forest",
)
SERIES = (THREADS, PICKLED, MEMMAP, SHARDED)


def forest(trainer: str, jobs: int, trees: int = 8, *, layout: Any = "dense-c") -> CellSpec:
    params = {"n_estimators": trees, "max_depth": 10, "n_jobs": jobs}
    return spec(
        trainer, params, rows=300_000, dataset="generated", features=50, threads=2, layout=layout
    )


def tree_bytes(cell: CellSpec) -> int:
    """Shared pages once: by construction, what a reader must find back."""
    jobs = int(cell.params["n_jobs"])
    if jobs == 1 and cell.trainer in (PICKLED, MEMMAP):
        return BASE_BYTES + DATA_BYTES  # joblib starts no process for one job
    processes = jobs * PROCESS_BYTES
    return {
        THREADS: BASE_BYTES + DATA_BYTES,
        PICKLED: BASE_BYTES + DATA_BYTES + processes + jobs * DATA_BYTES,
        MEMMAP: BASE_BYTES + 2 * DATA_BYTES + processes,
        SHARDED: BASE_BYTES + DATA_BYTES + processes,
    }[cell.trainer]


def summed_bytes(cell: CellSpec) -> int:
    """The memmap once more in each job."""
    jobs = int(cell.params["n_jobs"])
    more = jobs * DATA_BYTES if cell.trainer == MEMMAP and jobs > 1 else 0
    return tree_bytes(cell) + more


def auc(cell: CellSpec) -> float:
    """Grows by 0.01 with each doubling of the trees; each doubling of shards costs as much."""
    doublings = int(cell.params["n_estimators"]).bit_length() - 1
    shards = int(cell.params["n_jobs"]).bit_length() - 1 if cell.trainer == SHARDED else 0
    return round(0.85 + 0.01 * (doublings - shards), 6)


def fit_ns(cell: CellSpec) -> int:
    slower = {THREADS: 100, PICKLED: 160, MEMMAP: 130, SHARDED: 110}[cell.trainer]
    trees, jobs = int(cell.params["n_estimators"]), int(cell.params["n_jobs"])
    return slower * MS * trees // min(2, jobs)


def sample(cell: CellSpec, block: int, noise: float = 1.0, **more: Any) -> SampleRow:
    tree, summed = tree_bytes(cell), summed_bytes(cell)
    shared = DATA_BYTES if cell.trainer == MEMMAP else 0

    def figures(wall_ns: int, tree_peak: int, summed_peak: int, files: int = 0) -> Any:
        return phase(
            wall_ns,
            tree_baseline_bytes=BASE_BYTES,
            tree_peak_bytes=tree_peak,
            tree_peak_source="cgroup v1",
            summed_rss_peak_bytes=summed_peak,
            shared_files_peak_bytes=files,
        )

    loaded = BASE_BYTES + DATA_BYTES
    return row(
        cell,
        block,
        phases={
            "import": figures(400 * MS, BASE_BYTES, BASE_BYTES),
            "load": figures(100 * MS, loaded, loaded),
            "construct": figures(0, loaded, loaded),
            "fit": figures(int(fit_ns(cell) * noise), tree, summed, shared),
            "predict": figures(50 * MS, loaded, loaded),
            "save": figures(3 * MS, loaded, loaded),
        },
        data_bytes=DATA_BYTES,
        score={"auc": auc(cell)},
        **more,
    )


def several(cell: CellSpec, n: int = 3) -> list[SampleRow]:
    draw = random.Random(cell.id)  # noqa: S311
    return [sample(cell, block, draw.lognormvariate(0, 0.015)) for block in range(n)]


def without_tree(made: SampleRow) -> SampleRow:
    """As where no cgroup can be made."""
    reason = {"tree_peak_bytes": "no cgroup can be made here"}
    phases = {
        name: replace(
            each,
            tree_peak_bytes=None,
            tree_peak_source=None,
            tree_baseline_bytes=None,
            missing=reason,
        )
        for name, each in made.phases.items()
    }
    return replace(made, phases=phases)


def sampled_pss(cell: CellSpec) -> SampleRow:
    """The sample of kind `memory`, whose readings saw a little less than there was."""
    made = sample(cell, 0, kind="memory")
    phases = {
        name: replace(
            each, tree_peak_bytes=each.tree_peak_bytes - 5 * MIB, tree_peak_source="PSS sampling"
        )
        for name, each in made.phases.items()
        if each.tree_peak_bytes is not None
    }
    return replace(made, phases=phases)


def cells(jobs: tuple[int, ...] = (1, 2, 4)) -> list[CellSpec]:
    """Each series at each number of jobs, and with twice the trees at two jobs."""
    found = [forest(trainer, n) for trainer in SERIES for n in jobs]
    return [*found, *(forest(trainer, 2, 16) for trainer in SERIES)]


def forests(chosen: list[CellSpec] | None = None) -> tuple[dict[str, Any], list[SampleRow]]:
    """`run.json` and the rows."""
    listed = cells() if chosen is None else chosen
    rows = [each for cell in listed for each in several(cell)]
    return facts(listed, name="forests", planned=3), rows + samples(CONTROL)
