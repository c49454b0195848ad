"""Latency on a clock that the predictions themselves turn: no waiting, exact answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from treebench.data.manifest import Layout
from treebench.worker import latency

MS = 10**6


class TurnedClock:
    """Stands still but for what `turn` adds."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns

    def turn(self, ns: int) -> None:
        self.now_ns += ns


def taking(clock: TurnedClock, cost: Callable[[int], int]) -> Callable[[Any], None]:
    """A prediction that takes `cost(number of the call)` nanoseconds."""
    calls = iter(range(10**9))
    return lambda _: clock.turn(cost(next(calls)))


@pytest.mark.parametrize(
    ("n", "share", "expected"),
    [(1000, 0.5, 500), (1000, 0.9, 900), (1000, 0.99, 990), (5, 0.5, 3), (100, 0.9, 90)],
)
def test_quantiles_of_one_to_n(n: int, share: float, expected: int) -> None:
    assert latency.quantile(range(1, n + 1), share) == expected


@given(st.lists(st.integers(0, 10**12), min_size=1), st.sampled_from([0.5, 0.9, 0.99]))
def test_a_quantile_is_the_inverted_distribution_of_numpy(values: list[int], share: float) -> None:
    seen = latency.quantile(sorted(values), share)
    assert seen == np.quantile(np.array(values), share, method="inverted_cdf")


def test_the_calls_that_a_quantile_needs_leave_ten_beyond_it() -> None:
    assert [latency.calls_needed(share) for share in (0.5, 0.9, 0.99)] == [5, 100, 1000]


def test_known_times_give_known_figures() -> None:
    # GIVEN a warm-up of ten calls, then 980 calls of 1 ms and 20 of 3 ms
    clock = TurnedClock()
    slow = taking(clock, lambda call: 3 * MS if call >= 10 and call % 50 == 0 else MS)
    times = latency.timed_calls(slow, ["batch"], clock, 5000 * MS)
    # THEN the tail is in the 99th percentile, and in no other
    found = latency.figures(times, 100, 5000 * MS)
    assert (found["p50_ns"], found["p90_ns"], found["p99_ns"]) == (MS, MS, 3 * MS)
    assert found["repeats"] == 1000
    assert found["missing"] == {}
    assert found["rows_per_s"] == pytest.approx(100 * 1000 / 1.04)


def test_the_warm_up_is_in_no_figure() -> None:
    clock = TurnedClock()
    first_slow = taking(clock, lambda call: 40 * MS if call < 10 else MS)
    times = latency.timed_calls(first_slow, ["batch"], clock, 5000 * MS)
    assert set(times) == {MS}


def test_a_budget_that_ends_first_leaves_the_quantiles_it_cannot_carry_out() -> None:
    # GIVEN 5 s for calls of 20 ms: 10 to warm up, 240 that count
    clock = TurnedClock()
    times = latency.timed_calls(taking(clock, lambda _: 20 * MS), ["batch"], clock, 5000 * MS)
    found = latency.figures(times, 1, 5000 * MS)
    assert (found["repeats"], found["p90_ns"], found["p99_ns"]) == (240, 20 * MS, None)
    assert found["missing"] == {"p99_ns": "it needs 1,000 calls, and 5 s were too short for them"}


def test_one_call_longer_than_the_budget_still_counts_for_throughput() -> None:
    clock = TurnedClock()
    times = latency.timed_calls(taking(clock, lambda _: 9000 * MS), ["all"], clock, 5000 * MS)
    found = latency.figures(times, 90, 5000 * MS)
    assert times == [9000 * MS]
    assert found["rows_per_s"] == pytest.approx(10)
    assert set(found["missing"]) == {"p50_ns", "p90_ns", "p99_ns"}


def test_batches_larger_than_the_test_part_are_missing_and_all_of_it_is_not() -> None:
    clock = TurnedClock()
    X = np.zeros((150, 2), dtype=np.float32)
    found = latency.predict_latency(taking(clock, lambda _: MS), X, "dense-c", clock)
    assert list(found) == ["1", "100", "10000", "all"]
    assert found["10000"]["p50_ns"] is None
    assert found["10000"]["rows_per_s"] is None
    assert found["10000"]["missing"]["p99_ns"] == "the test part has 150 rows, fewer than 10,000"
    assert (found["all"]["rows"], found["all"]["p99_ns"]) == (150, MS)


def test_a_prediction_is_given_every_batch_in_turn() -> None:
    clock = TurnedClock()
    seen: list[Any] = []

    def predict(part: Any) -> None:
        seen.append(int(part[0, 0]))
        clock.turn(MS)

    X = np.arange(100, dtype=np.float32).reshape(100, 1)
    latency.timed_calls(predict, latency.batches(X, "dense-c", 1), clock, 5000 * MS)
    assert len(set(seen)) == 32
    assert seen[:32] == seen[32:64]
    assert max(seen) >= 90


MADE: dict[Layout, Callable[[Any], Any]] = {
    "dense-c": np.ascontiguousarray,
    "dense-f": np.asfortranarray,
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
}


@pytest.mark.parametrize("rows", [1, 100])
@pytest.mark.parametrize("layout", list(MADE))
def test_batches_have_the_rows_and_the_layout_of_the_matrix(layout: Layout, rows: int) -> None:
    rng = np.random.default_rng(0)
    dense = rng.random((250, 7), dtype=np.float32) * (rng.random((250, 7)) < 0.5)
    X = MADE[layout](dense.astype(np.float32))
    made = latency.batches(X, layout, rows)
    assert len(made) == min(32, 250 // rows)
    step = 250 // len(made)
    for number, part in enumerate(made):
        values = part if isinstance(part, np.ndarray) else part.toarray()
        start = number * step
        np.testing.assert_array_equal(values, dense[start : start + rows])
        assert part.dtype == np.float32
        if layout in ("csr", "csc"):
            assert part.format == layout
            assert part.indices.dtype == np.int32
        else:
            assert part.flags["C_CONTIGUOUS" if layout == "dense-c" else "F_CONTIGUOUS"]


def test_batches_are_bounded_by_their_bytes() -> None:
    X = np.broadcast_to(np.float32(0), (160_000, 400))
    # 10,000 rows of 400 floats are 15.3 MiB: four of them in 64 MiB.
    assert len(latency.batches(X, "dense-c", 10_000)) == 4
