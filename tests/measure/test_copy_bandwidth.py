from __future__ import annotations

import json
import sys

import pytest

from treebench.measure import copy_bandwidth as bandwidth

MIB = 2**20


@pytest.mark.parametrize(
    ("cache_mib", "free_mib", "array_mib", "past_cache"),
    [
        (8, 16_000, 64, True),  # at least 64 MiB
        (32, 16_000, 128, True),  # four times the cache
        (260, 16_000, 512, False),  # a cache no machine has
        (32, 800, 100, False),  # little memory
        (None, 16_000, 64, False),
        (8, None, 64, True),
    ],
)
def test_arrays_are_larger_than_the_cache_where_memory_allows(
    cache_mib: int | None, free_mib: int | None, array_mib: int, past_cache: bool
) -> None:
    cache = None if cache_mib is None else cache_mib * MIB
    free = None if free_mib is None else free_mib * MIB
    assert bandwidth.array_bytes(cache, free) == (array_mib * MIB, past_cache)


@pytest.mark.parametrize(
    ("cores", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])]
)
def test_threads_double_up_to_the_cores(cores: int, counts: list[int]) -> None:
    assert bandwidth.thread_counts(cores) == counts


def test_bytes_read_and_bytes_written_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # GIVEN a child that says its best pass took a second
    said = json.dumps({"1": 10**9})
    monkeypatch.setattr(bandwidth, "_COMMAND", (sys.executable, "-c", f"print({said!r})"))
    seen = bandwidth.copy_bandwidth(None)
    # THEN an array was read and another written in that second
    assert seen.bytes_per_s == {1: 2 * seen.array_bytes}


def test_a_child_that_fails_is_a_reason_not_a_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        bandwidth, "_COMMAND", (sys.executable, "-c", "import sys; sys.exit('no memory')")
    )
    seen = bandwidth.copy_bandwidth(None)
    assert seen.bytes_per_s == {}
    assert seen.reason == "no memory"


def test_this_machine_copies_faster_than_a_disk() -> None:
    seen = bandwidth.copy_bandwidth(2 * MIB, passes=2)
    assert seen.reason is None
    assert 1 in seen.bytes_per_s
    # A second per GB would be slower than any memory of this century.
    assert all(10**9 < rate < 10**13 for rate in seen.bytes_per_s.values())
