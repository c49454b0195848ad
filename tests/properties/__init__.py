"""What holds for any input, on drawn ones; `TREEBENCH_FUZZ=N` draws N for each in place of a few,
and others each time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_ASKED = os.environ.get("TREEBENCH_FUZZ")


def drawn(few: int) -> settings:
    """So many examples, the same ones in every run; or as many, and as random, as asked for."""
    return settings(
        max_examples=int(_ASKED or few),
        derandomize=_ASKED is None,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
