"""How fast this machine copies memory: what a fit that waits for memory can reach at best.

After STREAM's copy kernel (J. D. McCalpin, "Memory bandwidth and machine balance in current high
performance computers", IEEE TCCA Newsletter, December 1995): a[i] = b[i] over arrays of at least
four times the last cache, the best of several passes, and 16 bytes counted per element of 8: one
read and one written. What the hardware reads of a line before it writes it is not counted, nor is
it there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from treebench.machine import cpus
from treebench.machine.memory import available_memory_bytes

_CACHES = 4
_LEAST_BYTES = 64 * 2**20
_MOST_BYTES = 512 * 2**20
_MEMORY_SHARE = 8
_PASSES = 7
_TIMEOUT_S = 120
_COMMAND = (sys.executable, "-P", "-m", "treebench.measure.copy_bandwidth_process")


@dataclass(frozen=True)
class CopyBandwidth:
    """Bytes per second by number of threads, over two arrays of `array_bytes` each; or, without
    any, the `reason`. `past_cache` says whether an array is four times the last cache or more."""

    bytes_per_s: dict[int, float]
    array_bytes: int
    past_cache: bool
    reason: str | None = None


def copy_bandwidth(last_level_bytes: int | None, passes: int = _PASSES) -> CopyBandwidth:
    """Measure it in a child process, on one thread and on each doubling up to the usable cores."""
    size, past_cache = array_bytes(last_level_bytes, available_memory_bytes())
    threads = thread_counts(cpus.usable_cores())
    command = [*_COMMAND, str(size), str(passes), *map(str, threads)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return CopyBandwidth({}, size, past_cache, f"it took more than {_TIMEOUT_S} s")
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines() or [f"exit code {error.returncode}"]
        return CopyBandwidth({}, size, past_cache, said[-1])
    best_ns = {int(n): ns for n, ns in json.loads(done.stdout).items()}
    return CopyBandwidth({n: 2 * size * 1e9 / ns for n, ns in best_ns.items()}, size, past_cache)


def array_bytes(last_level_bytes: int | None, available_bytes: int | None) -> tuple[int, bool]:
    """The size of one array, and whether it is large enough to show memory rather than cache.

    At most 512 MiB, since a virtual machine may claim any cache, and an eighth of what is free.
    """
    wanted = max(_LEAST_BYTES, _CACHES * (last_level_bytes or 0))
    free = _MOST_BYTES if available_bytes is None else available_bytes // _MEMORY_SHARE
    size = min(wanted, _MOST_BYTES, free) // 4096 * 4096
    return size, last_level_bytes is not None and size >= _CACHES * last_level_bytes


def thread_counts(cores: int) -> list[int]:
    """1, 2, 4, ... and the cores themselves."""
    doublings = [2**power for power in range(cores.bit_length()) if 2**power < cores]
    return [*doublings, cores]
