"""The control cell: one fixed piece of work that no library or data set has a part in.

It runs once per block, so that a machine that grows slower in the course of a run can be told
from a cell that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treebench.worker.stage import Stage

VALUES_PER_THREAD = 2_000_000


def run_control(stage: Stage, threads: int) -> dict[str, Any]:
    """Make seeded numbers in `load`, sort them in `fit`, each thread its own."""
    with stage("import"):
        from concurrent.futures import ThreadPoolExecutor

        import numpy as np
    with stage("load"):
        numbers = np.random.default_rng(0).random((threads, VALUES_PER_THREAD))
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(len, numbers))  # starts the threads before the clock
        with stage("fit"):
            # The stable sort does the same work on every CPU; the default picks code by its
            # features. numpy lets go of the interpreter's lock while it sorts.
            ordered = list(pool.map(lambda part: np.sort(part, kind="stable"), numbers))
    if not all((part[:-1] <= part[1:]).all() for part in ordered):
        raise ArithmeticError("the control cell's sort is wrong: this machine cannot be trusted")
    return {"data_bytes": int(numbers.nbytes)}
