"""XGBoost's own distributed training on Dask: `xgboost.dask.train` over shards."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.extras import why_absent
from treebench.trainers import dask_shards
from treebench.trainers.base import MAPPED
from treebench.trainers.dask_cluster import HOST, import_all
from treebench.trainers.dask_jobs import Jobs, beside_cluster, with_cluster
from treebench.trainers.xgboost import (
    FittedBooster,
    XGBoost,
    booster_parameters,
    feature_types_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.matrix import FloatMatrix, Part, RowSource
    from treebench.trainers.base import ModelShape, Problem, Use
    from treebench.trainers.dask_shards import Shards
    from treebench.trainers.parameters import Params, Value


@dataclass(frozen=True)
class _Container:
    """XGBoost's container on the workers; it is built from the shards at the start of a fit."""

    shards: Shards
    matrix: Any


@dataclass(frozen=True)
class _Trained:
    """The booster, what it was trained with, and what trained it."""

    fitted: FittedBooster
    trained: dict[str, Any]
    shards: Shards


class DaskXGBoost(dask_shards.ShardedTrainer, XGBoost):
    """Hist and approx: all workers agree on cuts and add up their histograms for each node."""

    name: ClassVar[str] = "dask-xgboost"
    more_distributions: ClassVar[tuple[str, ...]] = ("dask", "distributed")
    clocks_iterations: ClassVar[bool] = False
    no_clock: ClassVar[str] = "its rounds end in processes that have clocks of their own"
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": f"{dask_shards.CONSTRUCT_NOTE}; the containers themselves are built in fit",
        "fit": "the workers build their containers, with bins that all agree on, then train; "
        "cpu_ns is this process's alone, that of the workers is parallel.workers_cpu_ns",
        "predict": "in place, in this process, on its threads",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """A worker for each thread."""
        return {**super().own_defaults(params), "n_jobs": params.threads}

    def uses(self, params: Params) -> Mapping[str, Use]:
        """As in one process, with jobs."""
        return {**super().uses(params), "n_jobs": MAPPED}

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """What XGBoost has in one process only, or without its libraries."""
        if params.method == "exact":
            return (
                f"{self.name} cannot have method=exact: XGBoost's exact method sorts all rows in "
                f"one process; use method: hist or approx"
            )
        return why_absent(self.name, "dask", "distributed") or super().unsupported(params, problem)

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """As in one process, `nthread` being a worker's, and the cluster's size."""
        own = dataclasses.replace(params, threads=Jobs.of(params).threads_per_worker)
        return with_cluster(super().native(own, problem), params)

    # ------------------------------------------------------------------ in the worker

    def import_library(self) -> None:
        """Import Dask and XGBoost's part for it."""
        import_all(("distributed", "xgboost.dask"))
        super().import_library()

    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """XGBoost knows."""
        super().refuse_unknown(beside_cluster(native), problem)

    def warm_up(self, tiny: Part, native: dict[str, Any], problem: Problem) -> None:
        """One tree in this process, which is where predictions are made."""
        alone = {**beside_cluster(native), "nthread": native["threads"]}
        XGBoost().warm_up(tiny, alone, problem)

    def construct_streamed(
        self, source: RowSource, native: dict[str, Any], problem: Problem
    ) -> Any:
        """A cluster whose workers hold a shard each, and XGBoost's reference to them.

        Raises:
            DataError: a shard lacks a class, or the file cannot be read.
        """
        shards = dask_shards.sharded(source, native, problem, native["seed"], ("xgboost.dask",))
        try:
            return _Container(shards, shards.cluster.run(lambda: _matrix(shards, native, problem)))
        except BaseException:
            shards.cluster.close()
            raise

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The booster, which all workers have alike.

        Raises:
            WorkerLostError: a worker died.
        """
        cluster = container.shards.cluster
        trained = cluster.run(lambda: _train(cluster.client, container.matrix, native))
        kind = type(container.matrix).__name__.removeprefix("Dask")
        fitted = FittedBooster(trained["booster"], kind)
        effective = super().effective(fitted)
        jobs = Jobs(len(container.matrix.worker_map), int(effective["nthread"]), native["threads"])
        fitted.booster.set_param({"nthread": native["threads"]})
        return _Trained(fitted, {**effective, **jobs.native()}, container.shards)

    def finish(self, container: Any) -> None:
        """End the cluster."""
        container.shards.cluster.close()

    def predict(self, model: Any, X: FloatMatrix, problem: Problem) -> NDArray[np.floating[Any]]:
        """As in one process, in this one."""
        return super().predict(model.fitted, X, problem)

    def iterations(self, model: Any) -> int:
        """As in one process."""
        return super().iterations(model.fitted)

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """As in one process, in this one."""
        return super().staged(model.fitted, X, problem, iterations)

    def dump(self, model: Any) -> bytes:
        """As in one process."""
        return super().dump(model.fitted)

    def effective(self, model: Any) -> dict[str, Any]:
        """The booster's configuration as it came from the workers, and how many had rows."""
        return dict(model.trained)

    def ran_parallel(self, model: Any) -> dict[str, Any]:
        """The cluster's facts, and the size of each shard."""
        return {"backends": {"fit": "dask", "predict": "threads"}, **model.shards.facts()}

    def shape(self, model: Any) -> ModelShape:
        """As in one process."""
        return super().shape(model.fitted)


def _train(client: Any, matrix: Any, native: Mapping[str, Any]) -> Any:
    import xgboost.dask as dxgb
    from xgboost.collective import Config

    # Left alone, the workers are brought together on an address that others can reach too.
    here = Config(tracker_host_ip=HOST)
    parameters = booster_parameters(beside_cluster(native))
    return dxgb.train(client, parameters, matrix, native["num_boost_round"], coll_cfg=here)


def _matrix(shards: Shards, native: Mapping[str, Any], problem: Problem) -> Any:
    """A DaskDMatrix or DaskQuantileDMatrix of the shards, each on the worker that holds it."""
    import xgboost.dask as dxgb

    X, y = shards.arrays()
    arguments: dict[str, Any] = {}
    if native["enable_categorical"]:
        arguments["enable_categorical"] = True
        arguments["feature_types"] = feature_types_of(shards.n_features, problem.cardinalities)
    if native["container"] == "QuantileDMatrix":
        arguments["max_bin"] = native["max_bin"]
        return dxgb.DaskQuantileDMatrix(shards.cluster.client, X, y, **arguments)
    return dxgb.DaskDMatrix(shards.cluster.client, X, y, **arguments)
