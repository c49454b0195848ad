"""Threads that may be used."""

import pytest

from treebench.errors import ConfigError
from treebench.machine import cpus
from treebench.plan.threads import resolve_threads


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "usable_cores", lambda: 4)
    monkeypatch.setattr(cpus, "physical_cores", lambda: 2)


def test_words_become_numbers() -> None:
    assert resolve_threads("physical", False) == 2
    assert resolve_threads("all", False) == 4
    assert resolve_threads(3, False) == 3


def test_more_than_there_are_is_refused_unless_asked_for() -> None:
    with pytest.raises(ConfigError, match=r"threads is 8, but this process may use 4 core\(s\)"):
        resolve_threads(8, False)
    assert resolve_threads(8, True) == 8
