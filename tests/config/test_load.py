"""From a file to a checked config, and every way it can be wrong."""

from __future__ import annotations

import datetime
import math
from typing import TYPE_CHECKING, Any

import pytest

from treebench.config.load import checked, find_config, load_config
from treebench.errors import ConfigError
from treebench.shipped import shipped_folder

if TYPE_CHECKING:
    from pathlib import Path

TRAINERS = ("xgboost", "lightgbm")
GOOD: dict[str, Any] = {
    "name": "ok",
    "data": {"set": "flights", "rows": [10, 20]},
    "reference": {"trainer": "xgboost", "max_bin": 63},
}


def problems(**changes: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        checked({**GOOD, **changes}, "f", TRAINERS)
    return list(caught.value.problems)


def test_single_values_are_axes_of_one_and_defaults_are_five_samples() -> None:
    config = checked(GOOD, "f", TRAINERS)
    assert config.data[0].set == ("flights",)
    assert config.data[0].rows == (10, 20)
    assert config.layout == ("dense-c",)
    assert config.samples == 5


def test_a_deadline_is_a_duration() -> None:
    assert checked({**GOOD, "deadline": "10m"}, "f", TRAINERS).deadline == 600


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"smaples": 3},
            "f: smaples is no key here (did you mean samples?); allowed: cost_per_hour, counte",
        ),
        (
            {"layout": "dense"},
            "f: layout is 'dense'; it must be dense-c, dense-f, csr or csc",
        ),
        ({"": 3}, "f: '' is no key here; allowed: cost_per_hour, counters"),
        ({"max leaves": 3}, "f: 'max leaves' is no key here; allowed: cost_per_hour"),
        ({"a\nb": 3}, "f: 'a\\nb' is no key here; allowed: cost_per_hour"),
        ({"int": 3}, "f: int is no key here; allowed: cost_per_hour"),
        ({"none": 3}, "f: none is no key here; allowed: cost_per_hour"),
        ({"dict[x": 3}, "f: 'dict[x' is no key here; allowed: cost_per_hour"),
        ({"data": {"set": "a", "str": 3}}, "f: data.str is no key here (did you mean set?)"),
        ({"data": {"set": "a", "": 3}}, "f: data.'' is no key here; allowed: features, layout"),
        ({"samples": 0}, "f: samples is 0; it must be at least 1"),
        (
            {"deadline": "soon"},
            "f: deadline is 'soon'; it must be a time above 0, such as 90, 45s, 10m or 1.5h",
        ),
        (
            {"threads": 0},
            "f: threads is 0; it must be physical or all, or be at least 1",
        ),
        (
            {"data": {"set": "a", "rows": -1}},
            "f: data.rows is -1; it must be all, or be at least 1",
        ),
        ({"data": {"set": "../a"}}, "f: data.set is '../a'"),
        ({"data": []}, "f: data is []"),
        (
            {"reference": {"max_bin": 3}},
            "f: reference.trainer is missing; add it: xgboost or lightgbm",
        ),
        (
            {"reference": {"trainer": "xgb"}},
            "f: reference.trainer is 'xgb'; it must be xgboost or lightgbm",
        ),
        (
            {"variants": [{"max_bins": 3}]},
            "f: variants.0.max_bins is no key here (did you mean max_bin?); a library's own name",
        ),
        (
            {"reference": {"trainer": "xgboost", "": 1}},
            "f: reference.'' is no key here; allowed: trainer, layout, threads, memory_limit",
        ),
        (
            {"variants": [{"max bin": [1, 2]}]},
            "f: variants.0.'max bin' is no key here (did you mean max_bin?); a library's own name",
        ),
        (
            {"variants": [{"max_bin": [63, 1]}]},
            "f: variants.0.max_bin is 1; it must be from 2 to 65535",
        ),
        (
            {"variants": [{"method": "fast"}]},
            "f: variants.0.method is 'fast'; it must be exact, approx or hist",
        ),
        (
            {"variants": [{"max_depth": True}]},
            "f: variants.0.max_depth is true; it must be a whole number from 1 to 1000",
        ),
        (
            {"variants": [{"max_leaves": 200_000}]},
            "f: variants.0.max_leaves is 200000; it must be from 2 to 131072",
        ),
        (
            {"variants": [{"threads": -2}]},
            "f: variants.0.threads is -2; it must be physical or all, or be a whole number of a",
        ),
        (
            {"variants": [{"extra": [1]}]},
            "f: variants.0.extra is [1]; it must be a mapping of the library's own parameter names",
        ),
        (
            {"variants": [{"max_bin": []}]},
            "f: variants.0.max_bin is an empty list; give it a value or leave it out",
        ),
        ({"data": "flights"}, "f: data is 'flights'; it must be a mapping of keys to values"),
        ({"layout": []}, "f: layout is []; it must have at least one value"),
        ({"variants": {"max_bin": 3}}, "f: variants is {max_bin: 3}; it must be a list"),
        ({"name": "a/b"}, "f: name is 'a/b'; it must be letters, digits, '.', '_' or '-', at most"),
        (
            {"title": ["x" * 500]},
            "f: title is ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...; it must",
        ),
        ({"deadline": "1000h"}, "f: deadline is '1000h'; it must be a time of at most 20 days"),
        (
            {"variants": [{"extra": {"since": datetime.date(2020, 1, 1)}}]},
            "f: variants.0.extra is {since: 2020-01-01}; it must hold text, finite numbers, true, ",
        ),
        (
            {"variants": [{"extra": {"alpha": math.nan}}]},
            "f: variants.0.extra is {alpha: .nan}; it must hold text, finite numbers",
        ),
        (
            {
                "reference": {
                    "trainer": "xgboost",
                    "seed": [*range(500)],
                    "max_leaves": [*range(2, 502)],
                }
            },
            "f: its axes multiply to 500,000 points; allowed: 100,000; take values away",
        ),
    ],
)
def test_an_error_names_the_key_the_value_and_what_is_allowed(
    changes: dict[str, Any], line: str
) -> None:
    found = problems(**changes)
    assert len(found) == 1
    assert found[0].startswith(line)
    assert "\n" not in found[0]


def test_every_problem_is_listed_at_once() -> None:
    found = problems(
        samples="many",
        layout=["csr", "square"],
        speed=1,
        variants=[{"max_bin": 1}, {"trainer": "x"}],
    )
    for key in ("samples", "layout.1", "speed", "variants.0.max_bin", "variants.1.trainer"):
        assert any(line.startswith(f"f: {key} ") for line in found), (key, found)


@pytest.mark.parametrize("raw", [None, [], "text", 3])
def test_a_config_is_a_mapping(raw: Any) -> None:
    with pytest.raises(ConfigError, match="a config is a mapping"):
        checked(raw, "f", TRAINERS)


def test_a_shipped_config_is_found_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_config("quickstart") == shipped_folder("configs") / "quickstart.yaml"
    assert find_config("configs/quickstart.yaml") == shipped_folder("configs") / "quickstart.yaml"


def test_a_config_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(
        ConfigError, match=r"no config nowhere.yaml; give a YAML file, or one of: .*quickstart"
    ):
        find_config("nowhere.yaml")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="give a UTF-8 YAML file"):
        load_config(str(path), [], TRAINERS)


def test_an_unknown_key_is_told_once_however_many_values_it_has() -> None:
    raw = {"name": "x", "data": {"set": "a"}, "reference": {"trainer": "xgboost", "bins": [1, 2]}}
    with pytest.raises(ConfigError) as caught:
        checked(raw, "f", ("xgboost",))
    (problem,) = caught.value.problems
    assert "reference.bins is no key here" in problem
