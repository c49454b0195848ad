"""LightGBM's own distributed training over shards, its processes being Dask's workers.

Each worker calls `lightgbm.train` with the addresses of all, which is what `lightgbm.dask` comes to
as well; that copies each shard once more on the way, and knows scikit-learn's names alone.
"""

from __future__ import annotations

import dataclasses
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from treebench.extras import why_absent
from treebench.trainers import dask_shards
from treebench.trainers.base import MAPPED
from treebench.trainers.dask_cluster import HOST, import_all
from treebench.trainers.dask_jobs import Jobs, beside_cluster, with_cluster
from treebench.trainers.lightgbm import LightGBM, library_parameters
from treebench.trainers.lightgbm_stages import staged_margins

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from treebench.data.matrix import FloatMatrix, Part, RowSource
    from treebench.trainers.base import ModelShape, Problem, Use
    from treebench.trainers.dask_shards import Shards
    from treebench.trainers.parameters import Params, Value

_CONNECT_MINUTES = 2


@dataclass(frozen=True)
class _Trained:
    """The booster of the first worker, which all have alike, and what trained it."""

    booster: Any
    threads: int
    shards: Shards


class DaskLightGBM(dask_shards.ShardedTrainer, LightGBM):
    """`tree_learner: data`: workers agree on bins and add up their histograms for each leaf."""

    name: ClassVar[str] = "dask-lightgbm"
    more_distributions: ClassVar[tuple[str, ...]] = ("dask", "distributed")
    clocks_iterations: ClassVar[bool] = False
    no_clock: ClassVar[str] = "its rounds end in processes that have clocks of their own"
    phase_notes: ClassVar[Mapping[str, str]] = {
        "construct": f"{dask_shards.CONSTRUCT_NOTE}; the Datasets themselves are built in fit",
        "fit": "the workers connect, build their Datasets, with bins that all agree on, then "
        "train; cpu_ns is this process's alone, that of the workers is parallel.workers_cpu_ns",
        "predict": "in this process, on its threads",
    }

    def own_defaults(self, params: Params) -> Mapping[str, Value]:
        """A worker for each thread."""
        return {**super().own_defaults(params), "n_jobs": params.threads}

    def uses(self, params: Params) -> Mapping[str, Use]:
        """As in one process, with jobs."""
        return {**super().uses(params), "n_jobs": MAPPED}

    def unsupported(self, params: Params, problem: Problem) -> str | None:
        """Without its libraries."""
        return why_absent(self.name, "dask", "distributed") or super().unsupported(params, problem)

    def native(self, params: Params, problem: Problem) -> dict[str, Any]:
        """As in one process, `num_threads` being a worker's, and the cluster's size."""
        jobs = Jobs.of(params)
        own = dataclasses.replace(params, threads=jobs.threads_per_worker)
        # With a single worker LightGBM trains serially, and says so in the model.
        learner = "data" if jobs.workers > 1 else "serial"
        names = {"tree_learner": learner, **super().native(own, problem)}
        return with_cluster(names, params)

    # ------------------------------------------------------------------ in the worker

    def import_library(self) -> None:
        """Import Dask and LightGBM."""
        import_all(("distributed",))
        super().import_library()

    def refuse_unknown(self, native: dict[str, Any], problem: Problem) -> None:
        """LightGBM knows."""
        super().refuse_unknown(beside_cluster(native), problem)

    def warm_up(self, tiny: Part, native: dict[str, Any], problem: Problem) -> None:
        """One tree in this process, which is where predictions are made."""
        own = beside_cluster(native)
        alone = {**own, "num_threads": native["threads"], "tree_learner": "serial"}
        LightGBM().warm_up(tiny, alone, problem)

    def construct_streamed(
        self, source: RowSource, native: dict[str, Any], problem: Problem
    ) -> Any:
        """A cluster whose workers hold a shard each.

        Raises:
            DataError: a shard lacks a class, or the file cannot be read.
        """
        return dask_shards.sharded(source, native, problem, native["seed"], ("lightgbm",))

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The booster, which all workers have alike.

        Raises:
            WorkerLostError: a worker died.
        """
        cluster = container.cluster
        ports = _free_ports(cluster.jobs.workers)
        own = beside_cluster(native)
        boosters = [
            cluster.pinned(
                _train, number, container.X[number], container.y[number], own, number, ports
            )
            for number in range(cluster.jobs.workers)
        ]
        trained = cluster.run(lambda: cluster.client.gather(boosters))
        return _Trained(trained[0], native["threads"], container)

    def finish(self, container: Any) -> None:
        """End the cluster."""
        container.cluster.close()

    def predict(self, model: Any, X: FloatMatrix, problem: Problem) -> NDArray[np.floating[Any]]:
        """In this process, in the layout of `X`."""
        predicted: NDArray[np.floating[Any]]
        predicted = model.booster.predict(X, num_threads=model.threads)
        return predicted

    def iterations(self, model: Any) -> int:
        """As in one process."""
        return super().iterations(model.booster)

    def staged(
        self, model: Any, X: FloatMatrix, problem: Problem, iterations: Sequence[int]
    ) -> Iterator[NDArray[np.floating[Any]]]:
        """In this process, on its threads."""
        return staged_margins(model.booster, X, model.threads, iterations)

    def dump(self, model: Any) -> bytes:
        """As in one process."""
        return super().dump(model.booster)

    def effective(self, model: Any) -> dict[str, Any]:
        """The parameters in the model, among them how many machines and threads trained it."""
        written = super().effective(model.booster)
        jobs = Jobs(int(written["num_machines"]), int(written["num_threads"]), model.threads)
        return {**written, **jobs.native()}

    def ran_parallel(self, model: Any) -> dict[str, Any]:
        """The cluster's facts, and the size of each shard."""
        return {"backends": {"fit": "dask", "predict": "threads"}, **model.shards.facts()}

    def shape(self, model: Any) -> ModelShape:
        """As in one process."""
        return super().shape(model.booster)


def _train(
    X: FloatMatrix,
    y: NDArray[np.float32],
    native: dict[str, Any],
    number: int,
    ports: tuple[int, ...],
) -> Any:
    """Runs in each worker. The booster is sent back by the first alone."""
    import lightgbm as lgb

    parameters = {**library_parameters(native), **_network(number, ports)}
    categorical = native["categorical_feature"] or "auto"
    dataset = lgb.Dataset(X, label=y, params=parameters, categorical_feature=categorical)
    booster = lgb.train(parameters, dataset, native["num_iterations"])
    booster.free_network()
    return None if number else booster


def _network(number: int, ports: tuple[int, ...]) -> dict[str, Any]:
    """Where all workers listen; nothing for one alone."""
    if len(ports) == 1:
        return {}
    return {
        "machines": ",".join(f"{HOST}:{port}" for port in ports),
        "local_listen_port": ports[number],
        "num_machines": len(ports),
        "time_out": _CONNECT_MINUTES,
    }


def _free_ports(count: int) -> tuple[int, ...]:
    """Ports of loopback that nobody listens on, all different: they are taken together, then let
    go. Another process may be faster to take one; the sample then fails, and says so."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in taken:
            one.bind((HOST, 0))
        return tuple(one.getsockname()[1] for one in taken)
