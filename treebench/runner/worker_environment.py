"""The environment a worker starts with: everything that sets threads, set before any import."""

from __future__ import annotations

import os

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


def held_to(threads: int) -> dict[str, str]:
    """What holds every pool of a worker to `threads`."""
    return dict.fromkeys(THREAD_VARIABLES, str(threads))


def worker_environment(threads: int) -> dict[str, str]:
    """This process's environment with every pool held to `threads`, and hashing made to repeat."""
    return {
        **os.environ,
        **held_to(threads),
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
    }
