"""The control cell's work."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from treebench.worker.control import VALUES_PER_THREAD, run_control

if TYPE_CHECKING:
    from collections.abc import Iterator

import pytest


class Phases:
    def __init__(self) -> None:
        self.seen: list[str] = []

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        self.seen.append(phase)
        yield


@pytest.mark.parametrize("threads", [1, 2])
def test_it_sorts_in_fit(threads: int) -> None:
    phases = Phases()
    told = run_control(phases, threads)  # type: ignore[arg-type]
    assert told == {"data_bytes": threads * VALUES_PER_THREAD * 8}
    assert phases.seen == ["import", "load", "fit"]
