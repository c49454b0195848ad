from __future__ import annotations

from typing import Any

import pytest

from tests.trainers.problems import planned, problem
from treebench.data.manifest import LAYOUTS
from treebench.trainers.parameters import PARAMETERS, Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Planned, Unsupported, resolve


def refused(name: str, layout: Any = "dense-c", cardinalities: Any = None, **stated: Any) -> str:
    of = problem(layout=layout, cardinalities=cardinalities)
    resolved = resolve(TRAINERS[name], Params(**stated), of)
    assert isinstance(resolved, Unsupported), resolved
    return resolved.reason


@pytest.mark.parametrize("name", TRAINERS)
def test_every_canonical_parameter_has_a_use_under_every_method(name: str) -> None:
    for method in ("exact", "approx", "hist"):
        uses = TRAINERS[name].uses(Params(method=method))
        assert set(uses) == set(PARAMETERS)
        assert all(use.reason for use in uses.values() if use.how != "mapped")


@pytest.mark.parametrize("name", TRAINERS)
def test_the_matched_defaults_are_supported_everywhere_and_may_be_written_out(name: str) -> None:
    defaults: dict[str, Any] = {
        one.name: one.default for one in PARAMETERS.values() if one.default is not None
    }
    implied = planned(name, Params(), problem())
    written = planned(name, Params(**defaults), problem())
    assert (implied.native, implied.params) == (written.native, written.params)


@pytest.mark.parametrize("name", TRAINERS)
def test_notes_speak_only_of_what_was_stated(name: str) -> None:
    dropped = [n for n in planned(name, Params(max_leaves=8), problem()).notes if "meaning" in n]
    assert dropped == []


def test_exact_drops_max_bin_so_that_its_cells_collapse() -> None:
    few, many = (
        planned("xgboost", Params(method="exact", max_bin=bins), problem()) for bins in (16, 255)
    )
    assert few.params == many.params
    assert few.native == many.native
    assert few.notes == ("max_bin has no meaning for xgboost: exact sorts values and has no bins",)


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("lightgbm", {"method": "hist", "container": "quantile"}),
        ("sklearn-hist-gbdt", {"method": "exact", "histogram": "row-wise", "boosting": "goss"}),
        ("sklearn-gbdt", {"method": "hist", "max_bin": 63, "min_child_weight": 0.0}),
        ("sklearn-tree", {"n_estimators": 500, "learning_rate": 0.3, "max_bin": 63}),
        ("sklearn-forest", {"learning_rate": 0.3, "reg_lambda": 1.0, "min_child_weight": 5.0}),
        ("xgboost", {"histogram": "row-wise", "boosting": "goss"}),
    ],
)
def test_what_has_no_meaning_is_dropped_with_a_note(name: str, stated: dict[str, Any]) -> None:
    plain = planned(name, Params(max_depth=4), problem())
    noted = planned(name, Params(max_depth=4, **stated), problem())
    assert (noted.params, noted.native) == (plain.params, plain.native)
    assert [note.split()[0] for note in noted.notes] == [key for key in PARAMETERS if key in stated]


@pytest.mark.parametrize(
    ("name", "stated", "reason"),
    [
        ("xgboost", {"min_samples_leaf": 20}, "cannot have min_samples_leaf=20"),
        ("xgboost", {"method": "exact", "container": "quantile"}, "which exact cannot use"),
        ("xgboost", {"method": "approx", "container": "quantile"}, "which approx cannot use"),
        ("lightgbm", {"boosting": "goss", "subsample": 0.5}, "goss draws rows itself"),
        ("sklearn-hist-gbdt", {"subsample": 0.5}, "every tree on all rows"),
        ("sklearn-hist-gbdt", {"colsample": 0.5}, "extra: {max_features: ...}"),
        ("sklearn-hist-gbdt", {"min_child_weight": 1.0}, "built in"),
        ("sklearn-hist-gbdt", {"max_bin": 256}, "max_bin up to 255, not 256"),
        ("sklearn-gbdt", {"reg_lambda": 1.0}, "no penalty"),
        ("sklearn-gbdt", {"colsample": 0.5}, "extra: {max_features: ...}"),
        ("sklearn-gbdt", {"min_child_weight": 1.0}, "no bound on hessians"),
        ("sklearn-tree", {"subsample": 0.5}, "on all rows"),
        ("sklearn-tree", {"colsample": 0.5}, "extra: {max_features: ...}"),
        ("sklearn-forest", {"colsample": 0.5}, "extra: {max_features: ...}"),
    ],
)
def test_what_a_library_cannot_do_is_unsupported(
    name: str, stated: dict[str, Any], reason: str
) -> None:
    assert reason in refused(name, **stated)


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_hist_gbdt_takes_no_sparse_data(layout: str) -> None:
    reason = refused("sklearn-hist-gbdt", layout)
    assert reason == f"sklearn-hist-gbdt takes no {layout} data; it takes dense-c and dense-f"


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("xgboost", {"method": "exact"}),
        ("sklearn-gbdt", {}),
        ("sklearn-tree", {}),
        ("sklearn-forest", {}),
    ],
)
def test_native_categories_are_unsupported_only_where_there_are_categories(
    name: str, stated: dict[str, Any]
) -> None:
    reason = refused(name, cardinalities={1: 4}, categorical="native", **stated)
    assert "takes no native categories" in reason
    assert planned(name, Params(categorical="native", **stated), problem())


def test_hist_gbdt_takes_as_many_categories_as_bins() -> None:
    native = Params(categorical="native", max_bin=100)
    assert planned("sklearn-hist-gbdt", native, problem(cardinalities={1: 100}))
    reason = refused("sklearn-hist-gbdt", cardinalities={1: 101}, categorical="native", max_bin=100)
    assert "a column here has 101" in reason


@pytest.mark.parametrize("name", ["sklearn-tree", "sklearn-gbdt"])
def test_one_thread_whatever_was_asked_for_is_noted(name: str) -> None:
    notes = planned(name, Params(max_depth=3, threads=2), problem()).notes
    assert notes == (f"{name} trains on one thread, whatever threads says",)
    assert planned(name, Params(max_depth=3, threads=1), problem()).notes == ()


@pytest.mark.parametrize("name", TRAINERS)
def test_who_takes_sparse_data_says_what_an_absent_entry_is(name: str) -> None:
    trainer = TRAINERS[name]
    takes_sparse = "csr" in trainer.layouts
    assert bool(trainer.sparse_meaning) == takes_sparse
    assert set(trainer.layouts) <= set(LAYOUTS)


def test_a_plan_is_ready_for_json() -> None:
    import json

    for trainer in TRAINERS.values():
        resolved = resolve(trainer, Params(categorical="ordinal"), problem(cardinalities={0: 3}))
        assert isinstance(resolved, Planned)
        assert json.loads(json.dumps(resolved.native, allow_nan=False)) == resolved.native
