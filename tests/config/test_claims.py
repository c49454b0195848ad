"""Claims as files: what is refused, how a sweep shrinks, and that every shipped one can be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from treebench.analysis.claims import cells_needed, problems_of
from treebench.config.claims import Claim
from treebench.config.load import checked
from treebench.config.load_claims import chosen_claims, owner_of, read_claim, shipped_claims
from treebench.config.shrink import Shrink, shrink_for, shrunk
from treebench.data.manifest import Feature, Manifest
from treebench.errors import ConfigError
from treebench.plan.build import Plan, build_plan
from treebench.shipped import shipped_folder
from treebench.trainers.registry import TRAINERS

CLAIMS = shipped_claims()
IDS = [f"A{number}" for number in range(1, 18)]
CATEGORIES = {0: 8, 1: 40, 2: 200, 3: 1000, 4: 5000, 5: 4, 6: 20, 7: 100}
SETS: dict[str, tuple[int, int, dict[int, int]]] = {
    "synthetic-dense": (1_000_000, 100, {}),
    "synthetic-sparse": (300_000, 20_000, {}),
    "synthetic-forests": (400_000, 100, {}),
    "synthetic-categorical": (200_000, 20, CATEGORIES),
    "flights": (261_877, 12, {0: 16, 1: 4000, 2: 3, 3: 100}),
}


def manifest(name: str) -> Manifest:
    rows, width, categories = SETS[name]
    features = tuple(Feature(f"f{n}", categories.get(n)) for n in range(width))
    return Manifest(
        version=2,
        dataset=name,
        title=name,
        task="binary",
        classes=("no", "yes"),
        target="y",
        storage="wide",
        n_features=width,
        features=features,
        train_rows=rows,
        test_rows=10_000,
        train_stored_entries=rows * width,
        features_with_missing=(),
        content_sha256="a" * 64,
        card_sha256="b" * 64,
        licence="CC0-1.0",
        dropped={},
    )


def plan_of(claim: Claim, scale: float) -> tuple[Plan, Shrink]:
    owner = owner_of(claim, CLAIMS)
    assert isinstance(owner.sweep, dict)
    shrink = shrink_for(owner.sweep, scale, owner.least.rows, owner.least.trees, claim.id)
    config = checked(shrunk(owner.sweep, shrink), claim.id, tuple(TRAINERS))
    return build_plan(config, {name: manifest(name) for name in SETS}), shrink


def test_there_is_a_claim_for_each_of_the_seventeen_in_order() -> None:
    assert list(CLAIMS) == IDS


@pytest.mark.parametrize("scale", [1, 0.1, 0.005])
@pytest.mark.parametrize("name", IDS)
def test_every_claim_plans_and_its_terms_name_cells(
    name: str, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treebench.plan.build.resolve_threads", lambda n, _: n if n == 1 else 2)
    plan, shrink = plan_of(CLAIMS[name], scale)
    assert plan.unsupported == []
    assert plan.collapsed == []
    specs = [cell.spec for cell in plan.cells.values()]
    assert problems_of(CLAIMS[name], specs, shrink) == []


@pytest.mark.parametrize("name", IDS)
def test_a_scaled_sweep_has_as_many_cells_as_the_whole_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treebench.plan.build.resolve_threads", lambda n, _: n if n == 1 else 2)
    whole, tiny = plan_of(CLAIMS[name], 1)[0], plan_of(CLAIMS[name], 0.005)[0]
    assert len(tiny.cells) == len(whole.cells)


def test_every_claim_that_fits_a_curve_over_rows_has_four_sizes() -> None:
    """A claim with a size stated is foretold from a scaled run, which takes four."""
    for claim in CLAIMS.values():
        if "rows" in claim.stated:
            plan, _ = plan_of(claim, 0.1)
            assert len({cell.spec.rows for cell in plan.cells.values()}) >= 4


def test_rows_shrink_by_the_scale_and_trees_by_its_root() -> None:
    sweep = {
        "data": {"set": "d", "rows": [10_000, 40_000]},
        "reference": {"trainer": "xgboost", "n_estimators": 100},
        "variants": [{"n_estimators": [50, 200]}, {"trainer": "lightgbm"}],
    }
    shrink = shrink_for(sweep, 0.25, 500, 4, "here")
    small = shrunk(sweep, shrink)
    assert small["data"] == [{"set": "d", "rows": [2500, 10_000]}]
    assert small["reference"]["n_estimators"] == [50]
    assert small["variants"] == [{"n_estimators": [25, 100]}, {"trainer": "lightgbm"}]
    assert shrink.conditions("rows=40_000, n_estimators<=200, max_depth=6") == (
        "rows=10000, n_estimators<=100, max_depth=6"
    )


def test_a_floor_holds_for_the_smallest_cell_and_keeps_the_proportions() -> None:
    sweep = {"data": {"rows": [1000, 4000]}, "reference": {"n_estimators": 10}}
    shrink = shrink_for(sweep, 0.001, 500, 5, "here")
    assert (shrink.rows, shrink.trees) == (0.5, 0.5)
    assert shrunk(sweep, shrink)["data"] == [{"rows": [500, 2000]}]


def test_a_sweep_below_its_floor_is_left_as_it_is() -> None:
    sweep = {"data": {"rows": 100}, "reference": {"n_estimators": 2}}
    assert shrink_for(sweep, 0.1, 500, 4, "here").whole


@pytest.mark.parametrize("scale", [0, -1, 1.5, float("nan")])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    with pytest.raises(ConfigError, match="--scale is"):
        shrink_for({"data": {"rows": 1}}, scale, 1, 1, "here")


def test_all_rows_cannot_shrink() -> None:
    with pytest.raises(ConfigError, match=r"here: sweep.data must state rows"):
        shrink_for({"data": [{"set": "d", "rows": "all"}]}, 0.5, 1, 1, "here")


GOOD: dict[str, Any] = {"name": "n", "term": "1", "says": "s"}


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (
            {},
            "checks.0 is {name: 'n', term: '1', says: 's'}; it must have one of at_least, at_most, "
            "between, within",
        ),
        ({"at_least": 1, "at_most": 2}, "it must have one of at_least, at_most, between, within"),
        ({"within": 1}, "it must have a stated value for `within` to be a distance from"),
        (
            {"within": "a lot", "stated": 1},
            "checks.0.within is 'a lot'; it must be a number, or be a share such as 10%",
        ),
        ({"between": [2, 1]}, "it must have its lower bound first in `between`"),
        ({"between": [1]}, "checks.0.between.1 is missing; add it"),
        ({"between": [1, 2, 3]}, "checks.0.between is [1, 2, 3]; it must have at most 2 values"),
        ({"at_least": ".inf"}, "checks.0.at_least is '.inf'; it must be a number"),
        (
            {"at_leest": 1},
            "checks.0.at_leest is no key here (did you mean at_least?); allowed: at_least, "
            "at_most, between, doubtful_below, name, says, stated, term, tier, within",
        ),
        ({"tier": "soft", "at_most": 1}, "checks.0.tier is 'soft'; it must be hardware"),
        ({"says": "", "at_most": 1}, "checks.0.says is ''; it must not be empty"),
    ],
)
def test_a_check_that_says_nothing_clear_is_refused(
    check: dict[str, Any], said: str, tmp_path: Path
) -> None:
    import json

    raw = {"id": "T1", "title": "t", "claim": "c", "source": "s", "sweep": {}}
    path = tmp_path / "t.yaml"
    path.write_text(json.dumps({**raw, "checks": [{**GOOD, **check}]}))
    with pytest.raises(ConfigError) as caught:
        read_claim(path)
    assert any(line.endswith(said) for line in caught.value.problems), caught.value.problems
    assert all(line.startswith(f"{path}: ") for line in caught.value.problems)


def test_a_claim_without_its_parts_is_told_of_each(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("id: '-1'\nclaim: [c]\nchecks: []\nsweep: 3\nstated: {rows: many}\n")
    with pytest.raises(ConfigError) as caught:
        read_claim(path)
    assert [line.removeprefix(f"{path}: ") for line in caught.value.problems] == [
        "title is missing; add it",
        "source is missing; add it",
        "id is '-1'; it must be letters, digits or '-', at most 41 of them, beginning with a "
        "letter or digit",
        "claim is ['c']; it must be text",
        "sweep is 3; it must be text, or be a mapping of keys to values",
        "checks is []; it must have at least one value",
        "stated.rows is 'many'; it must be a whole number",
    ]


def test_claims_are_chosen_by_id_in_any_case_or_all_at_once() -> None:
    assert [each.id for each in chosen_claims(["a7"], CLAIMS)] == ["A7"]
    assert [each.id for each in chosen_claims(["A2", "a1", "A2"], CLAIMS)] == ["A2", "A1"]
    assert [each.id for each in chosen_claims(["all"], CLAIMS)] == IDS
    assert {each.id for each in chosen_claims(["A7", "all"], CLAIMS)} == set(IDS)
    with pytest.raises(ConfigError, match="no claim A99; give all, a YAML file, or one of: A1, A2"):
        chosen_claims(["A99"], CLAIMS)


def test_two_claims_of_one_id_are_refused_unless_they_are_one(tmp_path: Path) -> None:
    (shipped,) = (shipped_folder("configs") / "claims").glob("a07-*.yaml")
    same, other = tmp_path / "same.yaml", tmp_path / "other.yaml"
    same.write_bytes(shipped.read_bytes())
    assert [each.id for each in chosen_claims(["A7", str(same)], CLAIMS)] == ["A7"]
    raw = yaml.safe_load(shipped.read_text())
    other.write_text(yaml.safe_dump({**raw, "title": "Another"}))
    with pytest.raises(ConfigError, match=r"two claims that differ have the id A7; give one"):
        chosen_claims(["A7", str(other)], CLAIMS)


def test_a_claim_shares_a_sweep_only_with_one_that_has_one() -> None:
    lost = CLAIMS["A2"].model_copy(update={"sweep": "A3"})
    with pytest.raises(ConfigError, match="no claim with a sweep of its own"):
        owner_of(lost, CLAIMS)


def test_at_full_size_a_claim_needs_the_cells_it_names_and_scaled_all_their_sizes() -> None:
    whole, full = plan_of(CLAIMS["A1"], 1)
    sizes = {key: (each.spec.rows, each.spec.features) for key, each in whole.cells.items()}
    specs = [cell.spec for cell in whole.cells.values()]
    needed = cells_needed(CLAIMS["A1"], specs, full)
    assert [sizes[cell] for cell in needed] == [(1_000_000, 100)] * 3
    grown = {sizes[cell] for cell in cells_needed(CLAIMS["A3"], specs, full)}
    assert grown == set(sizes.values())

    tenth, small = plan_of(CLAIMS["A1"], 0.1)
    specs = [cell.spec for cell in tenth.cells.values()]
    assert cells_needed(CLAIMS["A1"], specs, small) == set(tenth.cells)
