"""What tests of several verbs begin with."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.made_nights import CONFIG, World
from treebench.cli import night_reruns, night_spent, planning, taking
from treebench.cli.planning import plan_config

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.cli.planning import Planned


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(taking, "take_here", made.take)
    monkeypatch.setattr(night_reruns, "reruns_of", made.reruns_of)
    real = taking.facts_for

    def facts_for(*arguments: Any) -> dict[str, Any]:
        facts = real(*arguments)
        return facts | {"machine": {"cpu": "made", "fingerprint": made.machine}}

    monkeypatch.setattr(taking, "facts_for", facts_for)
    # The plan is the same every night: it is made once for all tests.
    monkeypatch.setattr(planning, "plan_config", lambda name, *more: _plan(name, plan_config))
    spend = night_spent.spend_night
    monkeypatch.setattr(night_spent, "spend_night", lambda asked: spend(asked, made.now))
    Path("tiny.yaml").write_text(CONFIG)
    return made


_PLANS: dict[str, Planned] = {}


def _plan(name: str, make: Callable[..., Planned]) -> Planned:
    if name not in _PLANS:
        _PLANS[name] = make(name, [], None)
    return _PLANS[name]
