"""joblib's pools of processes: one for a single fit, watched, and ended for certain.

A worker of the pool announces itself as it starts. That is how respawned workers are counted:
loky retires a worker whose memory grew by 300 MB and starts another, and tells nobody.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treebench.trainers.child_processes import check_semaphores, children_cpu_ns
from treebench.trainers.scratch import scratch_folder

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

PoolBackend = Literal["loky", "multiprocessing"]

MEMMAP_VARIABLE = "JOBLIB_TEMP_FOLDER"
"""Where joblib puts memory-mapped files; the supervisor names a folder of the sample's own."""

MEMMAP_THRESHOLD = "1M"
"""joblib's own default: an array of fewer bytes (1 MiB) is pickled, since a file costs more."""


def folder_of_pool() -> tempfile.TemporaryDirectory[str]:
    """A new folder for what processes share. Whose it is stands in its name, for whoever cleans up
    should this process be killed: the semaphores of that process go with it."""
    return tempfile.TemporaryDirectory(
        prefix=f"pool-{os.getpid()}-", dir=os.environ.get(MEMMAP_VARIABLE)
    )


class ProcessPool:
    """The pool that a fit inside `in_force` starts. Call `close` once it is over, or failed.

    `memmap`: arrays reach the workers as memory-mapped files; otherwise each task is sent a
    pickled copy.
    """

    def __init__(self, backend: PoolBackend, n_jobs: int, *, memmap: bool) -> None:
        self.backend: PoolBackend = backend
        self.memmapped_bytes = 0
        self._n_jobs = n_jobs
        self._memmap = memmap
        self._own = scratch_folder("pool")
        self._memmaps = folder_of_pool()
        self._cpu_before_ns = children_cpu_ns()
        self._facts: dict[str, Any] | None = None

    @property
    def log(self) -> str:
        """Where the workers announce themselves."""
        return str(Path(self._own.name, "workers"))

    def in_force(self) -> AbstractContextManager[Any]:
        """Inside, joblib's parallel loops run in this pool; those that ask for threads with
        `prefer` too, but not those that `require` shared memory (predict).

        Raises:
            OSError: this machine lets no processes share a lock.
        """
        import joblib

        from treebench.trainers.pool_backends import watched

        if self._n_jobs > 1:
            # Without them joblib would grow the trees one after another, in this process.
            check_semaphores()
        return joblib.parallel_config(  # type: ignore[no-any-return]
            backend=watched(self),
            max_nbytes=MEMMAP_THRESHOLD if self._memmap else None,
            temp_folder=self._memmaps.name,
        )

    def count_memmaps(self) -> None:
        """Count the files that share the data, just before joblib takes them away."""
        held = sum(one.stat().st_size for one in Path(self._memmaps.name).rglob("*.pkl"))
        self.memmapped_bytes = max(self.memmapped_bytes, held)

    def announced(self) -> list[dict[str, Any]]:
        """The workers that have started so far."""
        try:
            lines = Path(self.log).read_text().splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def has_replaced_workers(self) -> bool:
        """Whether more processes have started than there are jobs."""
        return len(self.announced()) > self._n_jobs

    def close(self) -> None:
        """End the workers and wait for them, and remove every file."""
        if self._facts is not None:
            return
        if self.backend == "loky":
            _end_loky()
        self._facts = self._gathered()
        self._memmaps.cleanup()
        self._own.cleanup()

    def facts(self) -> dict[str, Any]:
        """What ran, for `parallel` of the row; known once the pool is closed."""
        return {} if self._facts is None else dict(self._facts)

    def _gathered(self) -> dict[str, Any]:
        workers = self.announced()
        started = len({worker["pid"] for worker in workers})
        settings = [worker["allocator"] for worker in workers]
        unlike = [one for one in settings if one != settings[0]]
        return {
            "workers_started": started,
            "workers_respawned": max(0, started - self._n_jobs) if started else 0,
            "workers_cpu_ns": children_cpu_ns() - self._cpu_before_ns,
            "memmapped_bytes": self.memmapped_bytes,
            "allocator": settings[0] if settings and not unlike else settings,
        }


def _end_loky() -> None:
    """joblib keeps loky's workers for the next loop, for up to 300 s. Where it started none,
    nothing is started to be ended."""
    from joblib.externals.loky import reusable_executor

    if reusable_executor._executor is not None:
        reusable_executor._executor.shutdown(wait=True)
