"""scikit-learn's RandomForest on Dask by joblib's backend: every worker is sent the whole data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from treebench.extras import why_absent
from treebench.trainers.cluster_forest import ClusterForest
from treebench.trainers.dask_cluster import DaskCluster, import_all
from treebench.trainers.dask_jobs import Jobs, beside_cluster

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.data.matrix import FloatMatrix, Part
    from treebench.trainers.base import Problem
    from treebench.trainers.parameters import Params


@dataclass(frozen=True)
class _Container:
    """The forest, not yet grown, the data, and the cluster."""

    estimator: Any
    train: Part
    cluster: DaskCluster


class DaskJoblibForest(ClusterForest):
    """The trees are those of `sklearn-forest`; each worker holds a copy of the data."""

    name: ClassVar[str] = "dask-joblib-forest"
    distribution: ClassVar[str] = "scikit-learn"
    more_distributions: ClassVar[tuple[str, ...]] = ("joblib", "dask", "distributed")
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": "starts the cluster, and scikit-learn in its workers; no data is touched",
        "fit": "the data is sent to every worker, and the trees come back; includes a copy of csr "
        "data to csc; cpu_ns is this process's alone, that of the workers is "
        "parallel.workers_cpu_ns",
        "predict": "on threads of this process; includes a copy of csc data to csr",
    }

    def __init__(self) -> None:
        self._clusters: WeakKeyDictionary[Any, DaskCluster] = WeakKeyDictionary()

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """Without its libraries."""
        return why_absent(self.name, "dask", "distributed") or super().unsupported(params, problem)

    # ------------------------------------------------------------------ in the worker

    def import_library(self) -> None:
        """Import Dask, joblib's backend for it, and the forests."""
        import_all(("distributed", "joblib._dask"))
        super().import_library()

    def construct(self, train: Part, native: dict[str, Any], problem: Problem) -> Any:
        """The forest, not yet grown, and a cluster without any data."""
        jobs = Jobs.from_native(native)
        # A forest asks for this many trees at a time; what Dask has of threads decides.
        trees_at_a_time = jobs.workers * jobs.threads_per_worker
        make = self.estimator_class(problem.task)
        estimator = make(**beside_cluster(native), n_jobs=trees_at_a_time)
        cluster = DaskCluster(jobs, ("sklearn.ensemble",))
        cluster.count_traffic("construct")
        return _Container(estimator, train, cluster)

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The forest, its trees grown by the workers.

        Raises:
            WorkerLostError: a worker died.
        """
        forest = container.cluster.run(lambda: _grown(container))
        forest.n_jobs = native["threads"]
        self._clusters[forest] = container.cluster
        return forest

    def effective(self, model: Any) -> dict[str, Any]:
        """The forest's parameters, and the cluster it was grown on."""
        own = super().effective(model)
        jobs = self._clusters[model].jobs
        return {**own, **Jobs(jobs.workers, jobs.threads_per_worker, own.pop("n_jobs")).native()}

    def ran_parallel(self, model: Any) -> dict[str, Any]:
        """The cluster's facts."""
        facts = self._clusters[model].facts()
        return {"backends": {"fit": "dask", "predict": "threads"}, **facts}


def _grown(container: _Container) -> Any:
    """Grow the forest with its data on every worker."""
    import joblib

    client, train = container.cluster.client, container.train
    X = _as_grown_on(train.X)
    # The labels are left to joblib: a forest first makes its own column of them, in float64.
    with joblib.parallel_config(backend="dask", client=client, scatter=[X]):
        return container.estimator.fit(X, train.y)


def _as_grown_on(X: FloatMatrix) -> FloatMatrix:
    """The very object that the forest will give to its trees: joblib knows what it has sent by
    identity, and would send a copy that is made later once more."""
    if getattr(X, "format", None) == "csr":
        turned: FloatMatrix = X.tocsc()  # type: ignore[union-attr]
        return turned
    return X
