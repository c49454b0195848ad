"""From the words `physical` and `all` to a number of threads, checked against the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.errors import ConfigError
from treebench.machine import cpus

if TYPE_CHECKING:
    from treebench.trainers.parameters import Value


def resolve_threads(wanted: int | str, oversubscribe: bool) -> int:
    """The number of threads meant.

    Raises:
        ConfigError: more than this process may use (by affinity and cgroup quota), which
            slows training many times over (xgboost#7653), and `oversubscribe` is not set.
    """
    usable = cpus.usable_cores()
    if wanted == "physical":
        return cpus.physical_cores()
    if wanted == "all":
        return usable
    count = int(wanted)
    if count > usable and not oversubscribe:
        raise ConfigError(
            f"threads is {count}, but this process may use {usable} core(s); "
            f"lower it, or set oversubscribe: true"
        )
    return count


def check_jobs(jobs: Value, oversubscribe: bool) -> None:
    """Hold `n_jobs` to the same bound as threads: each job keeps a core busy.

    Raises:
        ConfigError: more jobs than cores, and `oversubscribe` is not set.
    """
    usable = cpus.usable_cores()
    if isinstance(jobs, int) and jobs > usable and not oversubscribe:
        raise ConfigError(
            f"n_jobs is {jobs}, but this process may use {usable} core(s); "
            f"lower it, or set oversubscribe: true"
        )
