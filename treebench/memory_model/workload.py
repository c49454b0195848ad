"""What is to be trained on what: all that the memory and the time of a cell hang on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treebench.trainers.parameters import PARAMETERS, Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import filled

if TYPE_CHECKING:
    from treebench.data.manifest import Layout, Manifest, Task
    from treebench.memory_model.columns import Columns
    from treebench.plan.build import PlannedCell

SPARSE_LAYOUTS = ("csr", "csc")

_MOST_PART_BYTES = 64 << 20
_MOST_PART_ROWS, _FEWEST_PART_ROWS = 100_000, 1_000


@dataclass(frozen=True)
class Workload:
    """One cell as its trainer meets it, before anything is loaded.

    `params` are filled in (`trainers.support.filled`). `density` is the share of cells that a
    sparse layout stores; 1 where none is left out. `missing_share` is the share of NaN among all
    cells. `cardinalities` are by position. `columns` are what was seen of the columns' values;
    None takes every number to be different. `part_rows` are the rows that a trainer which reads
    the file itself has in memory at a time.
    """

    trainer: str
    params: Params
    layout: Layout
    n_rows: int
    n_features: int
    n_classes: int
    task: Task
    density: float = 1.0
    missing_share: float = 0.0
    cardinalities: dict[int, int] = field(default_factory=dict)
    threads: int = 1
    columns: Columns | None = None
    part_rows: int = 65_536

    @property
    def is_sparse(self) -> bool:
        """Whether the layout leaves zeros out."""
        return self.layout in SPARSE_LAYOUTS

    @property
    def cells(self) -> int:
        """Rows times features."""
        return self.n_rows * self.n_features

    @property
    def entries(self) -> int:
        """Values that the matrix holds; of a dense one, all."""
        return round(self.cells * self.density) if self.is_sparse else self.cells

    @property
    def present(self) -> int:
        """Values that are not missing, as XGBoost counts them."""
        return max(0, round(self.entries - self.cells * self.missing_share))

    @property
    def most_hessian(self) -> float:
        """The most that a row weighs in a leaf: the second derivative of the logistic loss p(1-p)
        is a quarter at most, XGBoost's of the softmax 2p(1-p), that of the squared error 1."""
        return {"binary": 0.25, "multiclass": 0.5}.get(self.task, 1.0)

    @property
    def outputs(self) -> int:
        """Trees per round, and scores per row: one for each class, if there are more than two."""
        return self.n_classes if self.task == "multiclass" else 1

    def bins(self, max_bin: int) -> int:
        """Bins of all features together, at most `max_bin` each."""
        return sum(min(max_bin, distinct) for distinct in self.distinct())

    def distinct(self) -> list[int]:
        """Different values of each feature that its column stores, as far as is known."""
        stored = self.stored_rows()
        seen = [math.inf] * self.n_features if self.columns is None else self.columns.distinct
        values = [min(one, rows) for one, rows in zip(seen, stored, strict=True)]
        for position, codes in self.cardinalities.items():
            values[position] = min(values[position], codes)
        return [max(1, round(value)) for value in values]

    def stored_rows(self) -> list[int]:
        """Entries of each column of the matrix, as far as is known."""
        if not self.is_sparse:
            return [self.n_rows] * self.n_features
        shares = None if self.columns is None else self.columns.stored
        even = self.entries / self.n_features
        return [
            max(1, round(even if shares is None else self.n_rows * shares[at]))
            for at in range(self.n_features)
        ]


def workload_of(cell: PlannedCell, manifest: Manifest, columns: Columns | None = None) -> Workload:
    """The workload of a planned cell.

    Args:
        cell: one with a problem: not the control cell.
        manifest: of its data set.
        columns: what `columns.seen` found in its data; None where nobody looked.
    """
    problem, spec = cell.problem, cell.spec
    if problem is None:
        raise ValueError(f"cell {cell.id} trains nothing")
    params = Params(
        **{name: spec.params[name] for name in PARAMETERS if name in spec.params},
        threads=spec.threads,
        extra=spec.extra,
    )
    return Workload(
        trainer=spec.trainer,
        params=filled(TRAINERS[spec.trainer], params),
        layout=problem.layout,
        n_rows=problem.n_rows,
        n_features=problem.n_features,
        n_classes=problem.n_classes,
        task=problem.task,
        density=_density(cell, manifest),
        missing_share=0.0 if columns is None else columns.missing_share,
        cardinalities=dict(problem.cardinalities),
        threads=spec.threads,
        columns=columns,
        part_rows=part_rows_of(manifest, problem.n_features, problem.layout),
    )


def part_rows_of(manifest: Manifest, n_features: int, layout: Layout) -> int:
    """Rows that a stream gives at a time (`data.making.batches.Form`, `data.reading.stream`): a row
    group, which is of the data set's own width, and of a dense layout no more than 64 MiB."""
    stored_bytes = 4.0 * (manifest.n_features + 1)
    if manifest.storage != "wide":
        stored_bytes = 8.0 * (manifest.density * manifest.n_features + 1)
    rows = max(_FEWEST_PART_ROWS, min(_MOST_PART_ROWS, int(_MOST_PART_BYTES / stored_bytes)))
    if layout in SPARSE_LAYOUTS:
        return rows
    return max(1, min(rows, _MOST_PART_BYTES // (4 * n_features)))


def _density(cell: PlannedCell, manifest: Manifest) -> float:
    """Of the matrix as the trainer meets it: a one-hot column that is spread out has one entry in
    each row, over all its columns."""
    assert cell.problem is not None  # noqa: S101 - checked where it is called
    spread = cell.spec.features
    if cell.problem.n_features == spread:
        return manifest.density
    numbers = spread - len(cell.cardinalities)
    stored = numbers * manifest.density + len(cell.cardinalities)
    return float(stored / cell.problem.n_features)
