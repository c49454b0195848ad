"""How long a prediction takes, by the number of rows asked for at once: quantiles and throughput.

Runs in a phase of its own, after all that is judged, on the model and test part already loaded.
"""

from __future__ import annotations

import math
import time
from itertools import cycle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.data.manifest import Layout

BATCH_ROWS = (1, 100, 10_000)
ALL_ROWS = "all"
QUANTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99}
MOST_CALLS = 1000
"""Calls per batch size. Ten of them lie beyond the 99th percentile, as few as can carry it."""
CALLS_BEYOND = 10
LEAST_CALLS_OF_A_MEDIAN = 5
BUDGET_NS = 5 * 10**9
"""Longest time for one batch size, its warm-up included; a call that has begun is let end."""
_WARM_UP_CALLS = 10
_WARM_UP_SHARE = 0.1
_DISTINCT_BATCHES = 32
_DISTINCT_BYTES = 64 * 2**20


def predict_latency(
    predict: Callable[[Any], object],
    X: Any,
    layout: Layout,
    clock: Callable[[], int] = time.perf_counter_ns,
    budget_ns: int = BUDGET_NS,
) -> dict[str, dict[str, Any]]:
    """Latency by batch: "1", "100", "10000" and "all", each as `figures` gives it.

    Args:
        predict: predicts a matrix in the layout of `X`.
        X: the test part, shape (rows, features).
        layout: its layout.
        clock: nanoseconds.
        budget_ns: longest time for one batch size.
    """
    found = {}
    for rows in BATCH_ROWS:
        if rows > X.shape[0]:
            found[str(rows)] = _absent(rows, int(X.shape[0]))
        else:
            times = timed_calls(predict, batches(X, layout, rows), clock, budget_ns)
            found[str(rows)] = figures(times, rows, budget_ns)
    times = timed_calls(predict, [X], clock, budget_ns)
    found[ALL_ROWS] = figures(times, int(X.shape[0]), budget_ns)
    return found


def batches(X: Any, layout: Layout, rows: int) -> list[Any]:
    """Distinct batches of `rows` rows, spread over `X` and in its own layout, as many as 64 MiB
    hold, at most 32: one batch again and again would show a branch predictor at its best."""
    per_batch = max(1, _bytes(X) * rows // X.shape[0])
    wanted = min(_DISTINCT_BATCHES, X.shape[0] // rows, max(1, _DISTINCT_BYTES // per_batch))
    # Rows of a CSC matrix lie scattered over all of it: they are cut from a CSR copy.
    source = X.tocsr() if layout == "csc" else X
    step = X.shape[0] // wanted
    return [_in_layout(source[i * step : i * step + rows], layout) for i in range(wanted)]


def timed_calls(
    predict: Callable[[Any], object],
    parts: Sequence[Any],
    clock: Callable[[], int],
    budget_ns: int,
) -> list[int]:
    """Nanoseconds of each call, in order, after a warm-up of up to ten calls or a tenth of the
    budget; at least one, at most `MOST_CALLS`, none begun once the budget is spent."""
    start = clock()
    upcoming = cycle(parts)
    for _ in range(_WARM_UP_CALLS):
        predict(next(upcoming))
        if clock() - start >= budget_ns * _WARM_UP_SHARE:
            break
    times: list[int] = []
    while len(times) < MOST_CALLS and (not times or clock() - start < budget_ns):
        part = next(upcoming)
        begun = clock()
        predict(part)
        times.append(clock() - begun)
    return times


def figures(times: Sequence[int], rows: int, budget_ns: int) -> dict[str, Any]:
    """Quantiles in nanoseconds, `repeats`, and `rows_per_s` over all calls together; a quantile
    that too few calls carry is None, with its reason under `missing`."""
    ordered = sorted(times)
    found: dict[str, Any] = {"rows": rows, "repeats": len(ordered), "missing": {}}
    for name, share in QUANTILES.items():
        needed = calls_needed(share)
        found[name] = quantile(ordered, share) if len(ordered) >= needed else None
        if found[name] is None:
            found["missing"][name] = (
                f"it needs {needed:,} calls, and {budget_ns / 1e9:g} s were too short for them"
            )
    found["rows_per_s"] = rows * len(ordered) * 1e9 / sum(ordered)
    return found


def calls_needed(share: float) -> int:
    """Calls from which a quantile is given: ten must lie beyond it, and a median needs five."""
    if share <= 0.5:
        return LEAST_CALLS_OF_A_MEDIAN
    return round(CALLS_BEYOND / (1 - share))


def quantile(ordered: Sequence[int], share: float) -> int:
    """The smallest value that at least `share` of all values do not exceed: a call that was
    really seen, nothing interpolated. (R. J. Hyndman and Y. Fan, "Sample quantiles in statistical
    packages", The American Statistician 50 (1996), definition 1.)"""
    # Rounded, since 0.99 * 1000 is 990.0000000000001 in some orders of multiplication.
    return ordered[max(0, math.ceil(round(share * len(ordered), 9)) - 1)]


def _absent(rows: int, available: int) -> dict[str, Any]:
    reason = f"the test part has {available:,} rows, fewer than {rows:,}"
    names = (*QUANTILES, "rows_per_s")
    return {
        "rows": rows,
        "repeats": 0,
        **dict.fromkeys(names),
        "missing": dict.fromkeys(names, reason),
    }


def _bytes(X: Any) -> int:
    if hasattr(X, "indptr"):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.nbytes)


def _in_layout(part: Any, layout: Layout) -> Any:
    import numpy as np

    if layout == "csc":
        return part.tocsc()
    return np.asfortranarray(part) if layout == "dense-f" else part
