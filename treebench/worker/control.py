"""The control cell: one fixed piece of work that no library or data set has a part in.

It runs once per block, so that a machine that grows slower in the course of a run can be told
from a cell that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treebench.worker.stage import Stage

VALUES = 2_000_000


def run_control(stage: Stage) -> dict[str, Any]:
    """Make seeded numbers in `load`, sort them in `fit`."""
    with stage("import"):
        import numpy as np
    with stage("load"):
        numbers = np.random.default_rng(0).random(VALUES)
    with stage("fit"):
        # The stable sort does the same work on every CPU; the default picks code by its features.
        ordered = np.sort(numbers, kind="stable")
    if not (ordered[:-1] <= ordered[1:]).all():
        raise ArithmeticError("the control cell's sort is wrong: this machine cannot be trusted")
    return {"data_bytes": int(numbers.nbytes)}
