"""joblib's two backends of processes, with an ear in each."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from treebench.trainers.child_processes import WorkerLostError, announce

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.trainers.process_pool import ProcessPool

_LOOK_EVERY_S = 0.25


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
            self._waiting = _Waiting(pool)
            return super().configure(*args, **options, **_announcing(pool))

        def submit(self, func: Any, callback: Any = None) -> Any:
            self._waiting.add(callback)
            return super().submit(func, callback)

        def retrieve_result_callback(self, result: Any) -> Any:
            if isinstance(result, WorkerLostError):
                raise result
            return super().retrieve_result_callback(result)

        def terminate(self) -> None:
            self._waiting.end()
            pool.count_memmaps()
            super().terminate()

    return WatchedMultiprocessing()


class _Waiting:
    """Those who wait for tasks of multiprocessing's pool, and a thread that looks after them.

    For a process that was killed the pool starts another, but the task it had is lost, and whoever
    waits for that would wait without end.
    """

    def __init__(self, pool: ProcessPool) -> None:
        self._pool = pool
        self._callbacks: list[Callable[[object], object]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="pool watch", daemon=True)

    def add(self, callback: Callable[[object], object] | None) -> None:
        """Someone waits for a task; told of its result or of an error, whichever is first."""
        if callback is not None:
            self._callbacks.append(callback)
        if not self._thread.ident:
            self._thread.start()

    def end(self) -> None:
        """Nobody waits any more."""
        self._over.set()

    def _look(self) -> None:
        while not self._over.wait(_LOOK_EVERY_S):
            if self._pool.has_replaced_workers():
                lost = WorkerLostError(
                    "a process of the pool is gone, and the trees it was growing"
                )
                for callback in list(self._callbacks):
                    callback(lost)
                return


def _announcing(pool: ProcessPool) -> dict[str, Any]:
    return {"initializer": announce, "initargs": (pool.log,)}
