"""What scikit-learn's forests on a Dask cluster have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from treebench.trainers.dask_jobs import beside_cluster, with_cluster
from treebench.trainers.sklearn_forest import SklearnForest

if TYPE_CHECKING:
    from treebench.data.matrix import Part
    from treebench.trainers.base import Problem
    from treebench.trainers.parameters import Params


class ClusterForest(SklearnForest):
    """Grown by a cluster, which the container holds as `cluster`; predicts in this process."""

    starts_processes: ClassVar[bool] = True

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """Arguments of the RandomForest classes, and the cluster's size."""
        names = super().native(params, problem)
        del names["n_jobs"]
        return with_cluster(names, params)

    # ------------------------------------------------------------------ in the worker

    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """The forests' constructor knows."""
        super().refuse_unknown(beside_cluster(native), problem)

    def warm_up(self, tiny: Part, native: dict[str, Any], problem: Problem) -> None:
        """One tree in this process, which is where predictions are made."""
        alone = SklearnForest()
        alone.warm_up(tiny, {**beside_cluster(native), "n_jobs": native["threads"]}, problem)

    def finish(self, container: Any) -> None:
        """End the cluster."""
        container.cluster.close()
