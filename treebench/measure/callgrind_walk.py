"""A known truth for the simulated tier: the same number of reads, in order and at random.

An array of 16 times the last-level cache is read 8 bytes apart. In order, each line of 64 bytes
misses once and then serves 8 reads. At random a read misses unless its line is among the 1/16 that
the cache holds. So random misses 8 * 15/16 = 7.5 times as often.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.measure.callgrind import CallgrindProbe, Geometry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Watch = Callable[["Path"], AbstractContextManager[Mapping[str, str]]]
"""Told of a folder, it sees to it that the folder goes with this process, however that ends. The
context gives what processes must have in their environment to go before it."""

_LL_BYTES, _LINE_BYTES, _STEP_BYTES = 131_072, 64, 8
_ARRAY_BYTES = 16 * _LL_BYTES
READS = _ARRAY_BYTES // _STEP_BYTES
EXPECTED_RATIO = _LINE_BYTES / _STEP_BYTES * (1 - _LL_BYTES / _ARRAY_BYTES)

# The order comes from a full-period generator (Hull and Dobell, 1962) over the same places.
_PROGRAM = f"""
import sys
array = bytearray({_ARRAY_BYTES})
array[::4096] = b"x" * len(array[::4096])
def walk(multiplier, increment):
    place = 0
    for _ in range({READS}):
        array[place * {_STEP_BYTES}]
        place = (place * multiplier + increment) % {READS}
print("ready", flush=True)
for line in sys.stdin:
    walk(*(int(word) for word in line.split()))
    print("done", flush=True)
"""
_WALKS = {"sequential": "1 1\n", "random": "166533 1013904223\n"}


@dataclass(frozen=True)
class WalkMisses:
    """LL read misses of two walks with `READS` reads each."""

    sequential: int
    random: int

    @property
    def ratio(self) -> float:
        """How many times as often the random walk missed."""
        return self.random / self.sequential


@contextmanager
def unwatched(_folder: Path) -> Iterator[Mapping[str, str]]:
    """Nobody looks after a killed process's folder."""
    yield {}


def simulate_walks(watched: Watch = unwatched) -> WalkMisses | str:
    """Both walks under callgrind, each as a phase; or why they could not be counted. Takes some
    ten seconds. `watched` is told of the folder that all files lie in, before there is one."""
    geometry = Geometry(LL=f"{_LL_BYTES},16,{_LINE_BYTES}")
    probe = CallgrindProbe(tuple(_WALKS), geometry)
    with watched(probe.folder) as environment, probe:
        _walk_under(probe, environment)
        profiles = probe.profiles()
        if set(profiles) != set(_WALKS):
            return "; ".join(probe.missing.values()) or "callgrind ended early"
    misses = {walk: profile.totals["LL-read-misses"] for walk, profile in profiles.items()}
    return WalkMisses(**misses)


def _walk_under(probe: CallgrindProbe, environment: Mapping[str, str]) -> None:
    process = subprocess.Popen(
        probe.command([sys.executable, "-I", "-S", "-c", _PROGRAM]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
        text=True,
    )
    with process:
        assert process.stdin is not None  # noqa: S101 - PIPE was asked for
        assert process.stdout is not None  # noqa: S101
        process.stdout.readline()
        probe.attach(process.pid)
        for walk, arguments in _WALKS.items():
            probe.begin(walk)
            process.stdin.write(arguments)
            process.stdin.flush()
            if process.stdout.readline():
                probe.end(walk)
