"""What asv and otava say of the same nights, each by its own defaults, on the nights' medians.

They are run in an environment of their own:

    python -m venv .venv-peers && .venv-peers/bin/pip install asv apache-otava
    python -m benchmarks.verdicts --peers .venv-peers/bin/python

This file is what runs there. It reads, from stdin, JSON of series (lists of floats) with the nights
`first` to before `last`; every night is judged with what was known by then. It writes, for each
series, the first night that raised an alarm, or null.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ASV_THRESHOLD = 0.05
"""asv's own for `regressions_thresholds`: smaller changes are not shown."""


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    judge = _JUDGES[sys.argv[1]]()
    first, last = asked["first"], asked["last"]
    alarms = [_first_alarm(judge, series, first, last) for series in asked["series"]]
    json.dump(alarms, sys.stdout)


def _first_alarm(
    judge: Callable[[Sequence[float]], bool], series: Sequence[float], first: int, last: int
) -> int | None:
    for night in range(first, last):
        if judge(series[: night + 1]):
            return night
    return None


def _asv(threshold: float = _ASV_THRESHOLD) -> Callable[[Sequence[float]], bool]:
    from asv.step_detect import detect_regressions, detect_steps

    def judge(values: Sequence[float]) -> bool:
        """Whether the latest level is a regression against the best before it."""
        steps = detect_steps(list(values), [1.0] * len(values))
        latest, _, _ = detect_regressions(steps, threshold)
        return latest is not None

    return judge


def _otava() -> Callable[[Sequence[float]], bool]:
    from otava.series import AnalysisOptions, Metric, Series

    def judge(values: Sequence[float]) -> bool:
        """Whether the latest change point is a change for the worse."""
        places = list(range(len(values)))
        series = Series("cell", None, places, {"time": Metric(-1, 1.0)}, {"time": list(values)}, {})
        found = series.analyze(AnalysisOptions()).change_points["time"]
        return bool(found) and found[-1].forward_change_percent() > 0

    return judge


_JUDGES: dict[str, Callable[[], Callable[[Sequence[float]], bool]]] = {
    "asv": _asv,
    "asv, any step": partial(_asv, 0.0),
    "otava": _otava,
}

if __name__ == "__main__":
    main()
