"""Who ends at once after an answer, and who clears up first."""

from __future__ import annotations

import os
import sys

import pytest

from treebench.trainers.registry import TRAINERS
from treebench.worker.__main__ import _end_at_once_after
from treebench.worker.protocol import Trial


@pytest.mark.parametrize("name", [*sorted(TRAINERS), "control"])
def test_only_trainers_without_processes_end_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    sys.stdout.write("printed before")
    _end_at_once_after(Trial(name))
    clears_up = name == "control" or TRAINERS[name].starts_processes
    assert codes == ([] if clears_up else [0])
    assert capfd.readouterr().out == "printed before"
