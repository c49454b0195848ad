"""The training rows on a Dask cluster: each worker reads a shard of its own from the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers.base import Trainer
from treebench.trainers.dask_cluster import DaskCluster
from treebench.trainers.dask_jobs import Jobs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.data.matrix import FloatMatrix, Part, RowSource
    from treebench.trainers.base import Problem

READ_MODULES = ("treebench.data.reading.shards",)
CONSTRUCT_NOTE = (
    "starts the cluster and the libraries in its workers, each of which reads the whole file and "
    "keeps its own rows"
)


class ShardedTrainer(Trainer):
    """What those who train over shards have in common, beside the trainer of one process that
    each of them is too; it comes first among their bases."""

    starts_processes: ClassVar[bool] = True

    def streams(self, native: dict[str, Any]) -> bool:
        """Always: the workers read."""
        return True

    def construct(self, train: Part, native: dict[str, Any], problem: Problem) -> Any:
        """There is no such way.

        Raises:
            TypeError: always.
        """
        raise TypeError(f"{self.name} reads its rows itself")


@dataclass(frozen=True)
class Shards:
    """Futures of each worker's matrix and labels, and the number of its rows."""

    cluster: DaskCluster
    X: tuple[Any, ...]
    y: tuple[Any, ...]
    rows: tuple[int, ...]
    n_features: int

    def arrays(self) -> tuple[Any, Any]:
        """The same as Dask arrays, one block for each worker; a block may be sparse."""
        import dask.array as da
        import numpy as np

        X = [
            da.from_delayed(block, (rows, self.n_features), np.float32)
            for block, rows in zip(self.X, self.rows, strict=True)
        ]
        y = [
            da.from_delayed(block, (rows,), np.float32)
            for block, rows in zip(self.y, self.rows, strict=True)
        ]
        return da.concatenate(X), da.concatenate(y)

    def facts(self) -> dict[str, Any]:
        """What ran, for `parallel` of the row; known once the cluster is closed."""
        return {**self.cluster.facts(), "shard_rows": list(self.rows)}


def sharded(
    source: RowSource,
    native: Mapping[str, Any],
    problem: Problem,
    seed: int,
    modules: Sequence[str],
) -> Shards:
    """A new cluster whose workers each hold a shard.

    Args:
        source: the rows, where they lie.
        native: of the trainer, for the size of the cluster.
        problem: tells whether labels are classes.
        seed: of the drawing.
        modules: what training will import in the workers.

    Raises:
        DataError: a shard lacks a class, or the file cannot be read.
        WorkerLostError: a worker died.
    """
    cluster = DaskCluster(Jobs.from_native(native), (*READ_MODULES, *modules))
    try:
        return _placed(cluster, source, problem, seed)
    except BaseException:
        cluster.close()
        raise


def _placed(cluster: DaskCluster, source: RowSource, problem: Problem, seed: int) -> Shards:
    workers = range(cluster.jobs.workers)
    stratified = problem.task != "regression"
    parts = [
        cluster.pinned(_read, number, source, number, len(workers), seed, stratified)
        for number in workers
    ]
    X = tuple(cluster.pinned(_matrix, number, parts[number]) for number in workers)
    y = tuple(cluster.pinned(_labels, number, parts[number]) for number in workers)
    rows = [cluster.pinned(len, number, y[number]) for number in workers]
    counted = cluster.run(lambda: cluster.client.gather(rows))
    cluster.count_traffic("construct")
    return Shards(cluster, X, y, tuple(counted), source.n_features)


def _read(source: RowSource, index: int, n_shards: int, seed: int, stratified: bool) -> Part:
    """Runs in a worker."""
    from treebench.data.reading.shards import shard

    return shard(source, index, n_shards, seed, stratified=stratified)


def _matrix(part: Part) -> FloatMatrix:
    return part.X


def _labels(part: Part) -> Any:
    return part.y
