"""What the Dask trainers make of parameters, before any cluster is there."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from tests.trainers.dask_runs import TWINS
from tests.trainers.problems import planned, problem, small
from treebench import extras
from treebench.errors import ConfigError
from treebench.extras import install_command
from treebench.trainers import dask_jobs
from treebench.trainers.dask_jobs import Jobs
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Unsupported, resolve

SHARDED = [name for name in TWINS if name != "dask-joblib-forest"]


@pytest.mark.parametrize(
    ("threads", "n_jobs", "each"), [(4, None, 1), (4, 2, 2), (5, 2, 2), (2, 4, 1), (1, None, 1)]
)
@pytest.mark.parametrize("name", TWINS)
def test_threads_are_shared_out_among_the_jobs(
    name: str, threads: int, n_jobs: int | None, each: int
) -> None:
    native = planned(name, small(threads=threads, n_jobs=n_jobs), problem()).native
    assert Jobs.from_native(native) == Jobs(n_jobs or threads, each, threads)


@pytest.mark.parametrize("name", TWINS)
def test_the_rest_is_what_the_twin_is_told(name: str) -> None:
    """GIVEN one thread per job THEN all but the cluster's size is as in one process."""
    params = small(threads=2, n_jobs=2, max_leaves=9, seed=7, subsample=0.5)
    own = dask_jobs.beside_cluster(planned(name, params, problem()).native)
    twin = planned(TWINS[name], params, problem()).native
    for threads in ("nthread", "num_threads"):
        if threads in own:
            assert own.pop(threads) == 1
        twin.pop(threads, None)
    assert own.pop("tree_learner", "data") == "data"
    twin.pop("n_jobs", None)
    assert own == twin


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize(
    ("extra", "instead"), [("workers", "n_jobs"), ("threads", "threads"), ("n_jobs", "")]
)
def test_extra_cannot_say_what_the_cluster_is(name: str, extra: str, instead: str) -> None:
    with pytest.raises(ConfigError, match=rf"extra.{extra} is what {instead}"):
        planned(name, small(extra={extra: 2}), problem())


@pytest.mark.parametrize(
    ("name", "stated", "reason"),
    [
        ("dask-xgboost", {"method": "exact"}, "exact method sorts all rows in one process"),
        ("dask-xgboost", {"min_samples_leaf": 3}, "min_samples_leaf=3"),
        ("dask-forest", {"n_estimators": 3, "n_jobs": 4}, "3 are too few for 4 shards"),
        ("dask-forest", {"colsample": 0.5}, "colsample=0.5"),
        ("dask-xgboost", {"container": "external"}, "its workers each hold a shard"),
        ("dask-lightgbm", {"container": "sequence"}, "its workers each hold a shard"),
        ("dask-lightgbm", {"max_depth": 30}, "takes 131,072 at most"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(
    name: str, stated: dict[str, Any], reason: str
) -> None:
    found = resolve(TRAINERS[name], Params(threads=4, **stated), problem())
    assert isinstance(found, Unsupported)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("name", "module"),
    [("dask-forest", "dask_ml"), *((name, "distributed") for name in TWINS)],
)
def test_a_library_that_is_not_installed_is_named(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda one: None if one == module else real(one))
    found = resolve(TRAINERS[name], small(), problem())
    assert found == Unsupported(
        f"{name} needs {module}, which is not installed: {install_command('dask')}"
    )


@pytest.mark.parametrize("name", SHARDED)
def test_sharded_trainers_take_no_whole_matrix(name: str) -> None:
    native = planned(name, small(), problem()).native
    assert TRAINERS[name].streams(native)
    part: Any = None
    with pytest.raises(TypeError, match=f"{name} reads its rows itself"):
        TRAINERS[name].construct(part, native, problem())


@pytest.mark.parametrize(
    ("trees", "jobs", "shares"), [(7, 3, [3, 2, 2]), (6, 3, [2, 2, 2]), (3, 3, [1, 1, 1])]
)
def test_trees_are_shared_out_among_the_shards(trees: int, jobs: int, shares: list[int]) -> None:
    """Each shard's forest has a seed of its own, the first that which was asked for."""
    trainer: Any = TRAINERS["dask-forest"]
    params = Params(n_estimators=trees, threads=3, n_jobs=jobs, seed=2**31 - 1)
    forests = trainer._forests(planned("dask-forest", params, problem()).native, problem())
    assert [forest.n_estimators for forest in forests] == shares
    assert [forest.random_state for forest in forests] == [2**31 - 1 + at for at in range(jobs)]
    assert {forest.n_jobs for forest in forests} == {1}


@pytest.mark.parametrize("name", TWINS)
def test_all_libraries_that_it_rests_on_are_recorded(name: str) -> None:
    trainer = TRAINERS[name]
    recorded = {trainer.distribution, *trainer.more_distributions}
    assert recorded >= {"dask", "distributed", TRAINERS[TWINS[name]].distribution}
    assert ("dask-ml" in recorded) == (name == "dask-forest")
