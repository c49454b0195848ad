"""A forest of sharded forests: each worker of a Dask cluster grows its part of the trees on its
shard of the rows, and dask-ml's ensemble lets them vote.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.extras import why_absent
from treebench.trainers import dask_shards
from treebench.trainers.cluster_forest import ClusterForest
from treebench.trainers.dask_cluster import import_all
from treebench.trainers.dask_jobs import Jobs, beside_cluster
from treebench.trainers.sklearn_exact import shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.matrix import FloatMatrix, RowSource
    from treebench.trainers.base import ModelShape, Problem
    from treebench.trainers.dask_shards import Shards
    from treebench.trainers.parameters import Params


@dataclass(frozen=True)
class _Voting:
    """dask-ml's ensemble of the workers' forests, and what trained it.

    For sparse data, and where values are missing, the vote is counted here, since dask-ml refuses
    both: the mean of the forests' shares, or of what they predict, as there.
    """

    ensemble: Any
    shards: Shards
    trained: dict[str, Any]
    has_missing: bool = False

    @property
    def classes_(self) -> Any:
        return self.ensemble.classes_

    def predict(self, X: FloatMatrix) -> Any:
        import numpy as np

        if not self.has_missing:
            return self.ensemble.predict(X)
        return np.mean([forest.predict(X) for forest in self.ensemble.estimators_], axis=0)

    def predict_proba(self, X: FloatMatrix) -> Any:
        import numpy as np

        if not hasattr(X, "indptr") and not self.has_missing:
            return self.ensemble.predict_proba(X)
        return np.mean([forest.predict_proba(X) for forest in self.ensemble.estimators_], axis=0)


class DaskForest(dask_shards.ShardedTrainer, ClusterForest):
    """`n_estimators` are the trees of the whole ensemble; each has seen the rows of one shard.

    dask-ml's own `fit` clones one forest for all blocks. That would give each as many trees and
    the same seed, and leave it to the scheduler on which worker a block is trained; so the forests
    are grown here, each by the worker that has read its shard, and handed to the ensemble.
    """

    name: ClassVar[str] = "dask-forest"
    distribution: ClassVar[str] = "dask-ml"
    stages: ClassVar[bool] = False
    no_stages: ClassVar[str] = "its forests, one for each shard, vote as wholes"
    more_distributions: ClassVar[tuple[str, ...]] = ("scikit-learn", "dask", "distributed")
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": dask_shards.CONSTRUCT_NOTE,
        "fit": "includes bringing the trees to this process; cpu_ns is this process's alone, that "
        "of the workers is parallel.workers_cpu_ns",
        "predict": "on threads of this process; includes a copy of csc data to csr",
    }

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """Without its libraries, or with fewer trees than shards."""
        absent = why_absent(self.name, "dask", "distributed", "dask_ml")
        if absent:
            return absent
        trees, shards = params.n_estimators or 0, Jobs.of(params).workers
        if trees < shards:
            return (
                f"{self.name} grows a part of the trees on each shard, and {trees} are too few "
                f"for {shards} shards; raise n_estimators, or lower n_jobs"
            )
        return super().unsupported(params, problem)

    # ------------------------------------------------------------------ in the worker

    def import_library(self) -> None:
        """Import Dask, dask-ml and the forests."""
        import_all(("distributed", "dask_ml.ensemble"))
        super().import_library()

    def construct_streamed(
        self, source: RowSource, native: dict[str, Any], problem: Problem
    ) -> Any:
        """A cluster whose workers hold a shard each.

        Raises:
            DataError: a shard lacks a class, or the file cannot be read.
        """
        seed = native["random_state"]
        return dask_shards.sharded(source, native, problem, seed, ("sklearn.ensemble",))

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """All forests, in the ensemble.

        Raises:
            WorkerLostError: a worker died.
        """
        cluster = container.cluster
        unfitted = self._forests(native, problem)
        grown = [
            cluster.pinned(_grow, number, forest, container.X[number], container.y[number])
            for number, forest in enumerate(unfitted)
        ]
        forests = cluster.run(lambda: cluster.client.gather(grown))
        trained = _trained(forests, native["threads"])
        return _Voting(_ensemble(forests, problem), container, trained, problem.has_missing)

    def iterations(self, model: Any) -> int:
        """Trees of all forests together."""
        return self.shape(model).n_trees

    def dump(self, model: Any) -> bytes:
        """A pickle of the ensemble."""
        return super().dump(model.ensemble)

    def effective(self, model: Any) -> dict[str, Any]:
        """What the forests say, their trees added up."""
        return dict(model.trained)

    def ran_parallel(self, model: Any) -> dict[str, Any]:
        """The cluster's facts, and the size of each shard and of its forest."""
        trees = [len(forest.estimators_) for forest in model.ensemble.estimators_]
        backends = {"fit": "dask", "predict": "threads"}
        return {"backends": backends, **model.shards.facts(), "shard_trees": trees}

    def shape(self, model: Any) -> ModelShape:
        """All trees of all forests."""
        forests = model.ensemble.estimators_
        return shape_of(tree for forest in forests for tree in forest.estimators_)

    def _forests(self, native: dict[str, Any], problem: Problem) -> list[Any]:
        """The forest of each shard, not yet grown; their sizes differ by one tree at most.
        `random_state` is that of the first; each other has the next number."""
        jobs = Jobs.from_native(native)
        make, arguments = self.estimator_class(problem.task), beside_cluster(native)
        few, over = divmod(native["n_estimators"], jobs.workers)
        return [
            make(
                **{
                    **arguments,
                    "n_estimators": few + (number < over),
                    "random_state": (native["random_state"] + number) % 2**32,
                    "n_jobs": jobs.threads_per_worker,
                }
            )
            for number in range(jobs.workers)
        ]


def _grow(forest: Any, X: FloatMatrix, y: NDArray[np.float32]) -> Any:
    """Runs in a worker."""
    return forest.fit(X, y)


def _ensemble(forests: list[Any], problem: Problem) -> Any:
    """dask-ml's ensemble, as its own `fit` leaves it."""
    from dask_ml.ensemble import BlockwiseVotingClassifier, BlockwiseVotingRegressor
    from sklearn.base import clone

    if problem.task == "regression":
        ensemble = BlockwiseVotingRegressor(clone(forests[0]))
    else:
        classes = forests[0].classes_
        ensemble = BlockwiseVotingClassifier(clone(forests[0]), voting="soft", classes=classes)
        ensemble.classes_ = classes
    ensemble.estimators_ = forests
    return ensemble


def _trained(forests: list[Any], threads: int) -> dict[str, Any]:
    """The parameters that the forests had; from now on they predict on `threads` threads."""
    first = forests[0].get_params(deep=False)
    jobs = Jobs(len(forests), first.pop("n_jobs"), threads)
    for forest in forests:
        forest.n_jobs = threads
    trees = sum(len(forest.estimators_) for forest in forests)
    return {**first, "n_estimators": trees, **jobs.native()}
