"""`run --fresh`: the earlier run is moved aside once nothing is left to refuse the new one."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.analysis.rows import facts as earlier_facts
from tests.analysis.rows import spec
from tests.cli.runs import put_run
from tests.runner.fake_cluster import FakeCluster
from treebench.cli import cluster as of_cluster
from treebench.cli import taking
from treebench.cli.cluster import Wish, take_on_cluster
from treebench.cli.taking import facts_for, take_here
from treebench.errors import ClusterError, ConfigError
from treebench.measure import environment
from treebench.runner import dask_cluster
from treebench.store.run_folder import open_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from treebench.cli.planning import Planned

CONFIG = """
name: tiny
data: {set: wine, rows: [100]}
samples: 2
reference: {trainer: xgboost, method: hist, n_estimators: 5, max_leaves: 4}
"""
ANYWHERE = Wish("tcp://somewhere:1", 0.0)


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planned:
    from treebench.cli.planning import plan_config

    monkeypatch.chdir(tmp_path)
    Path("tiny.yaml").write_text(CONFIG)
    return plan_config("tiny.yaml", None, None)


@pytest.fixture
def facts(planned: Planned) -> dict[str, Any]:
    return facts_for(planned, None, None)


@pytest.fixture
def folder(planned: Planned) -> Path:
    return put_run(Path("results/tiny"), earlier_facts([spec()], name="earlier"), [])


@pytest.fixture
def join(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeCluster], None]:
    def join(cluster: FakeCluster) -> None:
        @contextmanager
        def connected(_address: str) -> Iterator[FakeCluster]:
            yield cluster

        monkeypatch.setattr(dask_cluster, "connected", connected)

    return join


def runs() -> dict[str, str]:
    return {path.name: open_run(path).name for path in Path("results").iterdir()}


def test_without_a_cluster_the_earlier_run_stays_in_its_place(
    planned: Planned, folder: Path, facts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(_address: str) -> NoReturn:
        raise ClusterError("no Dask scheduler answers")

    monkeypatch.setattr(dask_cluster, "connected", nobody)
    with pytest.raises(ClusterError):
        take_on_cluster(planned, folder, ANYWHERE, facts, False, fresh=True)
    assert runs() == {"tiny": "earlier"}


def test_without_a_host_the_earlier_run_stays_in_its_place(
    planned: Planned,
    folder: Path,
    facts: dict[str, Any],
    join: Callable[[FakeCluster], None],
) -> None:
    join(FakeCluster({"h": {"code": "of another treebench"}}))
    with pytest.raises(ClusterError, match="no host of the cluster can be used"):
        take_on_cluster(planned, folder, ANYWHERE, facts, False, fresh=True)
    assert runs() == {"tiny": "earlier"}


def test_with_a_host_the_earlier_run_is_kept_aside_and_a_new_one_begins(
    planned: Planned,
    folder: Path,
    facts: dict[str, Any],
    join: Callable[[FakeCluster], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    versions = environment.versions(of_cluster._distributions(planned))
    join(FakeCluster({"h": {"code": facts["code"], "versions": versions}}))
    take_on_cluster(planned, folder, ANYWHERE, facts, False, fresh=True)
    assert runs() == {"tiny": "tiny", "tiny.old1": "earlier"}
    assert "the earlier run is kept in results/tiny.old1\n" in capsys.readouterr().err
    assert set(open_run(folder).facts["hosts"]) == {"h"}
    assert len(open_run(folder).rows) == len(of_cluster._every_sample(planned, None))


def test_what_is_refused_before_anything_runs_here_leaves_the_earlier_run(
    planned: Planned, folder: Path, facts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> NoReturn:
        raise ConfigError("too few rows to simulate")

    monkeypatch.setattr(taking, "chosen_for", refused)
    with pytest.raises(ConfigError):
        take_here(planned, folder, facts, False, fresh=True)
    assert runs() == {"tiny": "earlier"}
