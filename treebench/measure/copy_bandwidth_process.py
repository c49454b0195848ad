"""The copying itself: `python -m ... ARRAY_BYTES PASSES THREADS...` prints nanoseconds as JSON.

A process of its own, so that what asks for it needs no numpy. Numpy lets go of the interpreter's
lock while it copies, so that threads copy side by side.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise


def main(array_bytes: int, passes: int, thread_counts: list[int]) -> None:
    """The best pass of each number of threads, in nanoseconds."""
    best = {n: best_pass_ns(array_bytes, passes, n) for n in thread_counts}
    sys.stdout.write(json.dumps(best) + "\n")


def best_pass_ns(array_bytes: int, passes: int, threads: int) -> int:
    """Copy one array into another, each thread its own part; the fastest of `passes`."""
    import numpy as np

    source = np.empty(array_bytes // 8)
    target = np.empty_like(source)
    bounds = [len(source) * i // threads for i in range(threads + 1)]
    parts = [slice(*ends) for ends in pairwise(bounds)]

    def fill(part: slice) -> None:
        # Each thread touches its part first, so that the memory lies on its own NUMA node.
        source[part] = 1.0
        target[part] = 0.0

    def copy(part: slice) -> None:
        np.copyto(target[part], source[part])

    times = []
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fill, parts))
        for _ in range(passes):
            start = time.perf_counter_ns()
            list(pool.map(copy, parts))
            times.append(time.perf_counter_ns() - start)
    if target[0] != 1.0 or target[-1] != 1.0:
        raise ArithmeticError("the copy is not the original: this machine cannot be trusted")
    return min(times)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), [int(argument) for argument in sys.argv[3:]])
