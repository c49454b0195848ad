"""scikit-learn's RandomForest with its trees grown in processes, by joblib's backends.

The forest asks joblib for threads, but only prefers them: `joblib.parallel_config` decides. The
trees are those of `sklearn-forest`: each has its own seed, drawn before any of them is grown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from treebench.trainers.process_pool import ProcessPool
from treebench.trainers.sklearn_forest import SklearnForest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.data.matrix import Part
    from treebench.trainers.base import Problem
    from treebench.trainers.process_pool import PoolBackend

_FIT_NOTE = (
    "includes a copy of csr data to csc and the start of the processes; cpu_ns is this "
    "process's alone, that of the others is parallel.workers_cpu_ns"
)


class ProcessForest(SklearnForest):
    """A forest on processes. With one job joblib starts none, and grows the trees where it is."""

    starts_processes: ClassVar[bool] = True
    backend: ClassVar[PoolBackend]

    def __init__(self) -> None:
        self._pools: WeakKeyDictionary[Any, ProcessPool] = WeakKeyDictionary()

    def import_library(self) -> None:
        """The backends too: joblib imports them late."""
        super().import_library()
        import joblib.externals.loky
        import joblib.pool  # noqa: F401

    def warm_up(self, tiny: Part, native: dict[str, Any], problem: Problem) -> None:
        """One tree by one job, so that no process is started."""
        alone = {**native, "n_jobs": 1}
        container = self.construct(tiny, alone, problem)
        try:
            self.predict(self.fit(container, alone, problem), tiny.X, problem)
        finally:
            self.finish(container)

    def fit(self, container: Any, native: dict[str, Any], problem: Problem) -> Any:
        """The forest, grown by a pool that is started here and ended by `finish`."""
        pool = ProcessPool(self.backend, native["n_jobs"], memmap=self.maps_data)
        self._pools[container.estimator] = pool
        with pool.in_force():
            return super().fit(container, native, problem)

    def finish(self, container: Any) -> None:
        """End the pool."""
        pool = self._pools.get(container.estimator)
        if pool is not None:
            pool.close()

    def ran_parallel(self, model: Any) -> dict[str, Any]:
        """As of a forest on threads, and what the pool has seen."""
        seen = self._pools[model].facts()
        ran = super().ran_parallel(model)
        fit = self.backend if seen.get("workers_started") else "sequential"
        return {**ran, "backends": {**ran["backends"], "fit": fit}, **seen}


class PickledLokyForest(ProcessForest):
    """Each batch of trees is sent the whole data, pickled."""

    name: ClassVar[str] = "loky-forest-pickled"
    backend: ClassVar[PoolBackend] = "loky"
    phase_notes: ClassVar[Mapping[str, str]] = {
        **SklearnForest.phase_notes,
        "fit": f"the data is pickled into every batch of trees; {_FIT_NOTE}",
    }


class MemmapLokyForest(ProcessForest):
    """The data is written to a file once, and every process maps it."""

    name: ClassVar[str] = "loky-forest-memmap"
    backend: ClassVar[PoolBackend] = "loky"
    maps_data: ClassVar[bool] = True
    phase_notes: ClassVar[Mapping[str, str]] = {
        **SklearnForest.phase_notes,
        "fit": f"the data is written to files that all processes map; {_FIT_NOTE}",
    }


class MultiprocessingForest(ProcessForest):
    """As with loky and its default, but with processes that are forks of this one."""

    name: ClassVar[str] = "multiprocessing-forest"
    backend: ClassVar[PoolBackend] = "multiprocessing"
    maps_data: ClassVar[bool] = True
    phase_notes: ClassVar[Mapping[str, str]] = {
        **SklearnForest.phase_notes,
        "fit": f"the data is written to files that all processes, forks of this one, map; "
        f"{_FIT_NOTE}",
    }
