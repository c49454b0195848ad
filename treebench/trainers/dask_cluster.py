"""A Dask cluster of this machine's own: fresh for a sample, watched, and ended for certain.

Scheduler and client live in the calling process; each worker is a process, started and ended by a
nanny, and a nanny's restart of a worker that died is never waited for: the shard that it held is
gone, and what the others wait for would not come.
"""

from __future__ import annotations

import logging
import os
import signal
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from treebench.trainers.child_processes import (
    WorkerLostError,
    allocator_settings,
    check_semaphores,
    children_cpu_ns,
)
from treebench.trainers.dask_traffic import carried_between, connection_bytes
from treebench.trainers.process_pool import folder_of_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from treebench.trainers.dask_jobs import Jobs

T = TypeVar("T")

FOLDER_VARIABLE = "DASK_TEMPORARY_DIRECTORY"
"""Where Dask's workers keep their files; the supervisor names a folder of the sample's own."""

HOST = "127.0.0.1"
"""Loopback: nobody else can reach what listens there."""

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)

SETTINGS: dict[str, Any] = {
    # A task whose worker died is an error at once. By default Dask tries it on three more.
    "distributed.scheduler.allowed-failures": 0,
    # Data stays where it was read, or was scattered to.
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""Where the clusters here differ from Dask's defaults, beside no dashboard and no memory limit."""

_MOMENT_S = 2.0


class DaskCluster:
    """A cluster on 127.0.0.1. Call `close` when done; closing again does nothing.

    `client` is Dask's; it is the default client as long as the cluster is open. `workers` are
    their addresses, by number.

    Args:
        jobs: how many workers, and of how many threads.
        modules: what the workers import as they start.
    """

    def __init__(self, jobs: Jobs, modules: Sequence[str] = ()) -> None:
        import distributed

        check_semaphores()
        self.jobs = jobs
        self._news: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._ends: SimpleQueue[int] = SimpleQueue()
        self._lost = threading.Event()
        self._added = 0
        self._cpu_before_ns = children_cpu_ns()
        self._facts: dict[str, Any] = {}
        self._carried: dict[str, int | None] = {}
        with ExitStack() as stack:
            stack.enter_context(_kept_environment())
            # It stays empty; but the nannies' queues have semaphores, and joblib gives them loky's
            # names, so that they outlive a kill like a pool's.
            stack.callback(folder_of_pool().cleanup)
            folder = tempfile.TemporaryDirectory(
                prefix="treebench-dask-", dir=os.environ.get(FOLDER_VARIABLE)
            )
            stack.callback(folder.cleanup)
            local = stack.enter_context(self._started(folder.name))
            self.client = stack.enter_context(distributed.Client(local, set_as_default=True))
            states = sorted(local.scheduler.workers.values(), key=lambda state: state.name)
            self.workers = tuple(state.address for state in states)
            local.scheduler.add_plugin(self._watch())
            self._settings = self.run(lambda: self.client.run(_begin, tuple(modules)))
            self._connection_bytes = connection_bytes()
            self._stack = stack.pop_all()

    def run(self, work: Callable[[], T]) -> T:
        """What `work` returns, which waits for the cluster.

        It runs in a thread of its own: where a worker dies, many a library waits for ever.

        Raises:
            WorkerLostError: a signal ended a worker, before or meanwhile.
            ChildProcessError: a worker ended by itself.
        """
        news = self._news

        def answer() -> None:
            try:
                news.put(("done", work()))
            except BaseException as error:
                news.put(("failed", error))

        threading.Thread(target=answer, name="treebench-dask", daemon=True).start()
        word, what = news.get()
        if word == "done":
            return what  # type: ignore[no-any-return]
        # Another worker may hear of the death before the scheduler does, and fail first.
        if word == "lost" or self._lost.wait(_MOMENT_S) or type(what).__name__ == "KilledWorker":
            raise self._death() from (what if isinstance(what, Exception) else None)
        raise what

    def pinned(self, function: Callable[..., Any], number: int, *arguments: Any) -> Any:
        """A future of `function`, called on worker `number` and on no other."""
        return self.client.submit(
            function,
            *arguments,
            workers=[self.workers[number]],
            allow_other_workers=False,
            pure=False,
        )

    def count_traffic(self, phase: str) -> None:
        """Put down to `phase` what this process's connections carried since the last call."""
        before, self._connection_bytes = self._connection_bytes, connection_bytes()
        self._carried[phase] = carried_between(before, self._connection_bytes)

    def close(self) -> None:
        """End the workers, wait for them, and remove their files."""
        if self._facts:
            return
        self.count_traffic("fit")
        restarts = self._added
        stack, self._stack = self._stack, ExitStack()
        self._watching = False
        stack.close()
        self._facts = self._gathered(restarts)

    def facts(self) -> dict[str, Any]:
        """What ran, for `parallel` of the row; known once the cluster is closed."""
        return dict(self._facts)

    @contextmanager
    def _started(self, folder: str) -> Iterator[Any]:
        """Dask's cluster. Of a worker that dies before it is up, Dask says only that a nanny did
        not start."""
        with ExitStack() as stack:
            try:
                local = stack.enter_context(_local_cluster(self.jobs, folder, self._ends.put))
            except Exception as error:
                exit_code = self._exit_code()
                if exit_code is None:
                    raise
                raise self._death_by(exit_code) from error
            yield local

    def _exit_code(self) -> int | None:
        """How the first worker that ended did, if one ends within a moment."""
        try:
            return self._ends.get(timeout=_MOMENT_S)
        except Empty:
            return None

    def _death(self) -> Exception:
        return self._death_by(self._exit_code())

    def _death_by(self, exit_code: int | None) -> Exception:
        told = (
            f"a worker of the Dask cluster ({self.jobs.workers} workers) {_ending(exit_code)} "
            f"while it was needed; give the sample more memory, or lower n_jobs"
        )
        # Whoever ends by itself was not killed.
        ended = exit_code is not None and exit_code >= 0
        return ChildProcessError(told) if ended else WorkerLostError(told)

    def _watch(self) -> Any:
        from distributed.diagnostics.plugin import SchedulerPlugin

        cluster = self
        cluster._watching = True

        class Watch(SchedulerPlugin):  # type: ignore[misc]
            name = "treebench-watch"

            def add_worker(self, scheduler: Any, worker: str) -> None:
                cluster._added += 1

            def remove_worker(self, scheduler: Any, worker: str, **more: Any) -> None:
                if cluster._watching:
                    cluster._lost.set()
                    cluster._news.put(("lost", worker))

        return Watch()

    def _gathered(self, restarts: int) -> dict[str, Any]:
        settings = list(self._settings.values())
        alike = all(one == settings[0] for one in settings)
        return {
            "n_jobs": self.jobs.workers,
            "threads_per_job": self.jobs.threads_per_worker,
            "worker_restarts": restarts,
            "client_bytes": self._carried,
            "workers_cpu_ns": children_cpu_ns() - self._cpu_before_ns,
            "allocator": settings[0] if alike else settings,
            "worker_memory_limit": "none: the sample's own limit is the only one",
            "dask_settings": SETTINGS,
        }


@contextmanager
def _local_cluster(jobs: Jobs, folder: str, on_end: Callable[[int], object]) -> Iterator[Any]:
    """Dask's own cluster of processes, on loopback alone, without a dashboard."""
    import dask
    from distributed import LocalCluster

    threads = dict.fromkeys(_THREAD_VARIABLES, str(jobs.threads_per_worker))
    # This replaces Dask's own list, which has a MALLOC_TRIM_THRESHOLD_ that no other trainer has.
    settings = {**SETTINGS, "distributed.nanny.pre-spawn-environ": threads}
    with dask.config.set(settings):
        local = LocalCluster(
            n_workers=jobs.workers,
            threads_per_worker=jobs.threads_per_worker,
            processes=True,
            worker_class=_telling_nanny(on_end),
            host=HOST,
            dashboard_address=None,
            # There is a server for it all the same, without pages; not on 8787, which may be taken.
            scheduler_kwargs={"dashboard_address": f"{HOST}:0"},
            memory_limit=0,
            local_directory=folder,
            silence_logs=logging.CRITICAL,
        )
    with local:
        yield local


def _telling_nanny(on_end: Callable[[int], object]) -> Any:
    """A nanny that passes on how its worker ended; Dask's own writes that to its log alone."""
    from distributed import Nanny

    class TellingNanny(Nanny):  # type: ignore[misc]
        def _on_worker_exit_sync(self, exitcode: int) -> None:
            on_end(exitcode)
            super()._on_worker_exit_sync(exitcode)

    return TellingNanny


def _ending(exit_code: int | None) -> str:
    if exit_code is None:
        return "was lost"
    if exit_code < 0:
        return f"was ended by {signal.Signals(-exit_code).name}"
    return f"ended with exit code {exit_code}"


@contextmanager
def _kept_environment() -> Iterator[None]:
    """A nanny sets its workers' variables in this process, and leaves them."""
    names = (*_THREAD_VARIABLES, "PYTHONHASHSEED")
    before = {name: os.environ[name] for name in names if name in os.environ}
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(before)


def import_all(modules: Iterable[str]) -> None:
    """Import modules by their names, for nothing but that they be there."""
    for module in modules:
        import_module(module)


def _begin(modules: Sequence[str]) -> dict[str, str]:
    """Runs in each worker as it starts: import, and tell the allocator's settings."""
    import_all(modules)
    return allocator_settings()
