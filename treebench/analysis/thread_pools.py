"""Whether a sample's thread pools were as large as its cell asked for, and no larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treebench.store.row import SampleRow

# How threadpoolctl tells OpenMP's runtimes by their files. Pools for linear algebra are left out:
# no tree library computes with them.
_OPENMP = ("libgomp", "libomp", "libiomp", "vcomp")


def pools_above(rows: Iterable[SampleRow], asked: int) -> dict[str, int]:
    """The OpenMP pools that had more than `asked` threads in any sample: the most, by library
    file. A sample that does not know its pools says nothing."""
    found: dict[str, int] = {}
    for row in rows:
        for pool, threads in (row.must_match.get("threads_seen") or {}).items():
            if pool.startswith(_OPENMP) and threads > asked:
                found[pool] = max(threads, found.get(pool, 0))
    return found
