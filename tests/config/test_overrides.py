"""`--set`."""

from typing import Any

import pytest

from treebench.config.overrides import apply_leniently

CONFIG: dict[str, Any] = {"samples": 5, "data": [{"set": "a"}], "reference": {"max_bin": 63}}


@pytest.mark.parametrize(
    ("assignment", "path", "value"),
    [
        ("samples=3", ("samples",), 3),
        ("reference.max_bin=[63, 255]", ("reference", "max_bin"), [63, 255]),
        ("reference.learning_rate=1e-2", ("reference", "learning_rate"), 0.01),
        ("data.0.rows=20_000", ("data", 0, "rows"), 20_000),
        ("reference.extra.x=a=b", ("reference", "extra", "x"), "a=b"),
    ],
)
def test_a_path_is_set(assignment: str, path: tuple[Any, ...], value: Any) -> None:
    place, problems = apply_leniently(CONFIG, [assignment])
    assert problems == []
    for key in path:
        place = place[key]
    assert place == value
    assert CONFIG == {"samples": 5, "data": [{"set": "a"}], "reference": {"max_bin": 63}}


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("samples", "write it as key=value"),
        ("=3", "write it as key=value"),
        ("data.rows=3", "in a list of 1; write a number from 0 to 0, as in data.0.rows=3"),
        ("data.7.rows=3", "'7' stands for a place in a list of 1"),
        ("samples.x=3", "there is nothing at 'x', since what stands above it is 5"),
        ("samples.x.y=3", "there is nothing at 'x', since what stands above it is 5"),
        ("samples=[", "--set samples="),
        ("data.²=3", "'²' stands for a place in a list of 1"),
        ("none.0.rows=3", "there is nothing at '0', since the list above it is empty; set that"),
    ],
)
def test_what_leads_nowhere_is_said(assignment: str, message: str) -> None:
    config = {**CONFIG, "none": []}
    changed, problems = apply_leniently(config, [assignment, "samples=3"])
    (problem,) = problems
    assert message in problem
    assert changed == {**config, "samples": 3}
