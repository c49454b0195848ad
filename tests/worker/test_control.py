"""The control cell's work."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from treebench.worker.control import VALUES, run_control

if TYPE_CHECKING:
    from collections.abc import Iterator


class Phases:
    def __init__(self) -> None:
        self.seen: list[str] = []

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        self.seen.append(phase)
        yield


def test_it_sorts_in_fit() -> None:
    phases = Phases()
    assert run_control(phases) == {"data_bytes": VALUES * 8}  # type: ignore[arg-type]
    assert phases.seen == ["import", "load", "fit"]
