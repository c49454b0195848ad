"""The small copy of a cell that is simulated in its stead: fewer rows, fewer trees, one thread.

Simulating costs a hundred times the work itself. Misses per cell of the matrix and tree are what
carries over, as long as the small copy does not fit the simulated cache.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.errors import ConfigError
from treebench.plan.build import PlannedCell, warm_up_native
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Unsupported, resolve

if TYPE_CHECKING:
    from treebench.plan.cell import CellSpec

FEWEST_ROWS = 500


@dataclass(frozen=True)
class Reduced:
    """A cell made small; `size` says how, for the row."""

    cell: PlannedCell
    size: dict[str, Any]


def reduced(cell: PlannedCell, rows_share: float, trees_share: float) -> Reduced:
    """The cell at these shares of its rows and trees, on one thread, without a memory limit and
    without a validation part: they change nothing of what is counted, and the simulator's own
    memory is no part of it.

    At least 500 rows are kept, where there are so many, and one tree. A trainer that grows a
    single tree keeps it.

    Raises:
        ValueError: the control cell, which has no data.
        ConfigError: the trainer cannot do so few rows or trees.
    """
    spec, problem = cell.spec, cell.problem
    if problem is None:
        raise ValueError("the control cell is not simulated")
    rows = min(problem.n_rows, max(FEWEST_ROWS, round(problem.n_rows * rows_share)))
    trees = _fewer_trees(spec, trees_share)
    asked = {**spec.params, **({} if trees is None else {"n_estimators": trees})}
    params = Params(**asked, threads=1, extra=spec.extra)
    small_problem = dataclasses.replace(problem, n_rows=rows)
    trainer = TRAINERS[spec.trainer]
    planned = resolve(trainer, params, small_problem)
    if isinstance(planned, Unsupported):
        raise ConfigError(
            f"simulation: {spec.trainer} on {spec.dataset} cannot be simulated at {rows:,} rows "
            f"and {trees} tree(s): {planned.reason}; raise simulation.rows or simulation.trees, or "
            f"leave it out with --only"
        )
    small = dataclasses.replace(
        cell,
        spec=dataclasses.replace(
            spec,
            rows=rows,
            params=planned.params,
            threads=1,
            memory_limit_bytes=None,
            validation_share=None,
        ),
        problem=small_problem,
        native=planned.native,
        warm_up_native=warm_up_native(trainer, params, small_problem),
    )
    size = {"rows": rows, "n_estimators": trees, "threads": 1, "rows_share": rows / problem.n_rows}
    return Reduced(small, {**size, "trees_share": _share(trees, spec)})


def _fewer_trees(spec: CellSpec, share: float) -> int | None:
    trees = spec.params.get("n_estimators")
    return None if trees is None else max(1, round(trees * share))


def _share(trees: int | None, spec: CellSpec) -> float:
    return 1.0 if trees is None else trees / spec.params["n_estimators"]
