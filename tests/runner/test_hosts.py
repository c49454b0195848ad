"""Which hosts are let in, and what the others are told."""

from __future__ import annotations

from typing import Any

import pytest

from treebench.runner.hosts import Vetting


def facts(**changed: Any) -> dict[str, Any]:
    """What a host says of itself."""
    return {
        "machine": {"fingerprint": "aa", "cores_usable": 4},
        "versions": {"python": "3.11", "xgboost": "3.0", "treebench": "1"},
        "allocator": {"libc": "glibc"},
        "thread_settings": {},
        "code": "1+aa",
        "counters": {"tier": "software", "absent": {"hardware": "no PMU"}},
        "boot": "b1",
        **changed,
    }


def vetting(**given: Any) -> Vetting:
    return Vetting("1+aa", {"python": "3.11", "xgboost": "3.0", "treebench": "1"}, **given)


def test_the_first_host_settles_the_counters_and_is_kept() -> None:
    run = vetting()
    assert run.refusal("h", facts()) is None
    assert run.counters == facts()["counters"]
    assert run.admitted["h"]["machine"]["fingerprint"] == "aa"
    assert "counters" not in run.admitted["h"]
    other = facts(counters={"tier": None, "absent": {"software": "no perf"}})
    assert "its counters are none, the run's software" in str(run.refusal("i", other))
    assert set(run.admitted) == {"h"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"code": "1+bb"}, "its treebench is 1+bb, the client's 1+aa"),
        ({"versions": {"python": "3.11", "treebench": "1"}}, "its xgboost is absent"),
        (
            {"versions": {"python": "3.12", "xgboost": "3.0", "treebench": "1"}},
            "its python is 3.12, the client's 3.11",
        ),
        (
            {"machine": {"fingerprint": "aa", "cores_usable": 1}},
            "it may use 1 core(s), a cell of this run takes 2",
        ),
    ],
)
def test_a_host_that_differs_is_refused_with_the_reason(changed: dict[str, Any], said: str) -> None:
    refusal = vetting(cores_needed=2).refusal("h", facts(**changed))
    assert refusal is not None
    assert said in refusal


def test_another_release_is_told_once_not_twice() -> None:
    its = {**facts()["versions"], "treebench": "2"}
    refusal = vetting().refusal("h", facts(code="2+cc", versions=its))
    assert refusal is not None
    assert refusal.count("treebench") == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"machine": {"fingerprint": "bb", "cores_usable": 4}}, "was another machine earlier"),
        ({"allocator": {"libc": "musl"}}, "its allocator's settings changed"),
        ({"thread_settings": {"OMP_PROC_BIND": "true"}}, "thread settings changed"),
    ],
)
def test_a_host_that_changed_in_the_middle_of_a_run_is_refused(
    changed: dict[str, Any], said: str
) -> None:
    run = vetting(admitted={"h": facts()})
    assert run.refusal("h", facts()) is None
    assert said in str(run.refusal("h", facts(**changed)))
    assert run.refusal("another", facts(**changed)) is None
