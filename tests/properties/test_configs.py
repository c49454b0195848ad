"""Expansion of configs, and the ids of cells."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.plan.test_build import manifest
from tests.properties import drawn
from treebench.config.expand import candidates, count_points
from treebench.config.load import checked
from treebench.plan.build import Plan, build_plan
from treebench.trainers.registry import TRAINERS


def axis(*values: Any) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)


SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "trainer": axis("xgboost", "lightgbm", "sklearn-hist-gbdt", "sklearn-forest"),
    "method": axis("exact", "approx", "hist"),
    "container": axis("dmatrix", "quantile"),
    "max_bin": axis(15, 63, 255),
    "max_depth": axis(None, 3, 6),
    "max_leaves": axis(4, 31),
    "n_estimators": axis(1, 10),
    "layout": axis("dense-c", "dense-f", "csr", "csc"),
    "memory_limit": axis(None, "1GiB", "1.5GB"),
    "extra": st.sampled_from([None, {}, {"a": 1, "b": [2]}, {"b": [2], "a": 1}]),
}
OTHERS = {name: values for name, values in SETTINGS.items() if name != "trainer"}
REFERENCES = st.sets(st.sampled_from(sorted(OTHERS)), max_size=5).flatmap(
    lambda keys: st.fixed_dictionaries({key: SETTINGS[key] for key in ["trainer", *sorted(keys)]})
)
VARIANTS = st.lists(
    st.sets(st.sampled_from(sorted(SETTINGS)), max_size=3).flatmap(
        lambda keys: st.fixed_dictionaries({key: SETTINGS[key] for key in sorted(keys)})
    ),
    max_size=2,
)
CONFIGS = st.fixed_dictionaries(
    {
        "name": st.just("drawn"),
        "data": st.lists(
            st.fixed_dictionaries(
                {"set": axis("one", "two")},
                optional={"rows": axis(100, 500, "all"), "features": axis(1, 2, "all")},
            ),
            min_size=1,
            max_size=2,
        ),
        "reference": REFERENCES,
        "threads": st.just(1),
    },
    optional={
        "layout": axis("dense-c", "csr"),
        "variants": VARIANTS,
        "memory_limit": axis(None, "2GiB"),
        "validation": st.sampled_from([None, 0.2]),
    },
).filter(lambda raw: count_points(config_of(raw)) <= 32)


def config_of(raw: dict[str, Any]) -> Any:
    return checked(raw, "f", tuple(TRAINERS))


def planned(raw: dict[str, Any]) -> Plan:
    return build_plan(config_of(raw), {name: manifest(name) for name in ("one", "two")})


def reordered(value: Any, by: random.Random) -> Any:
    """The same with the keys of every mapping in another order."""
    if isinstance(value, dict):
        keys = by.sample(list(value), len(value))
        return {key: reordered(value[key], by) for key in keys}
    return [reordered(one, by) for one in value] if isinstance(value, list) else value


@drawn(25)
@given(raw=CONFIGS)
def test_every_point_is_a_cell_or_says_why_it_is_none(raw: dict[str, Any]) -> None:
    config = config_of(raw)
    assert len(candidates(config)) == count_points(config)
    plan = planned(raw)
    distinct = {repr(point) for point in candidates(config)}
    told = len(plan.cells) + len(plan.unsupported) + len(plan.collapsed)
    assert 1 <= told <= count_points(config)
    assert len(plan.cells) <= len(distinct)
    for one in plan.collapsed:
        assert one.into in plan.cells
        assert one.reason
    assert all(one.reason for one in plan.unsupported)
    assert plan.control.id not in plan.cells


@drawn(25)
@given(raw=CONFIGS, by=st.randoms(use_true_random=False))
def test_ids_are_the_hash_of_the_definition_whatever_the_order_of_keys(
    raw: dict[str, Any], by: random.Random
) -> None:
    plan, again = planned(raw), planned(reordered(raw, by))
    assert set(plan.cells) == set(again.cells)
    for name, cell in plan.cells.items():
        # As docs/FORMAT.md says it, from what stands in the row.
        spec = json.loads(json.dumps(cell.spec.to_json()))
        text = json.dumps(spec, sort_keys=True, separators=(",", ":"))
        assert name == hashlib.sha256(text.encode()).hexdigest()[:12]
    specs = {json.dumps(one.spec.to_json(), sort_keys=True) for one in plan.cells.values()}
    assert len(specs) == len(plan.cells)


@drawn(15)
@given(raw=CONFIGS, by=st.randoms(use_true_random=False))
def test_the_order_of_data_and_axes_changes_no_cell(raw: dict[str, Any], by: random.Random) -> None:
    shuffled = {**raw, "data": by.sample(raw["data"], len(raw["data"]))}
    for name in ("layout", "memory_limit"):
        if name in raw:
            shuffled[name] = by.sample(raw[name], len(raw[name]))
    assert set(planned(raw).cells) == set(planned(shuffled).cells)
