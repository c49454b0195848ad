"""joblib's two backends of processes, with an ear in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.trainers.process_pool import announce

if TYPE_CHECKING:
    from treebench.trainers.process_pool import ProcessPool


def watched(pool: ProcessPool) -> Any:
    """A backend for `joblib.parallel_config` whose workers announce themselves to `pool`, and
    which lets it count the memory-mapped files before they go."""
    return _watched_loky(pool) if pool.backend == "loky" else _watched_multiprocessing(pool)


def _watched_loky(pool: ProcessPool) -> Any:
    from joblib._parallel_backends import LokyBackend

    class WatchedLoky(LokyBackend):  # type: ignore[misc]
        def configure(self, *args: Any, **options: Any) -> Any:
            return super().configure(*args, **options, **_announcing(pool))

        def terminate(self) -> None:
            pool.count_memmaps()
            super().terminate()

    # A tree is grown on one thread; without this, joblib gives each worker's pools the cores
    # divided by the workers, by other rules than ours.
    return WatchedLoky(inner_max_num_threads=1)


def _watched_multiprocessing(pool: ProcessPool) -> Any:
    from joblib._parallel_backends import MultiprocessingBackend

    class WatchedMultiprocessing(MultiprocessingBackend):  # type: ignore[misc]
        def configure(self, *args: Any, **options: Any) -> Any:
            return super().configure(*args, **options, **_announcing(pool))

        def terminate(self) -> None:
            pool.count_memmaps()
            super().terminate()

    return WatchedMultiprocessing()


def _announcing(pool: ProcessPool) -> dict[str, Any]:
    return {"initializer": announce, "initargs": (pool.log,)}
