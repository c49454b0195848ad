"""What a host does with an order, in a process as it is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.processes import PATIENCE_S, runs, started, until
from treebench.config.expand import wanted_rows
from treebench.config.load import checked
from treebench.plan.build import build_plan
from treebench.runner.code_version import code_version
from treebench.runner.order import DataWanted, Orders, data_of
from treebench.runner.prepare import ensure_data, read_manifests
from treebench.runner.sweep import Wanted
from treebench.store.journal import row_from_json
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from treebench.plan.build import Plan

CONFIG = checked(
    {
        "name": "far",
        "data": {"set": "tiny", "rows": 200},
        "threads": 1,
        "reference": {"trainer": "xgboost", "n_estimators": 2, "max_leaves": 4},
    },
    "far.yaml",
    tuple(TRAINERS),
)
SHARES = {"rows": 0.5, "trees": 0.5}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def plan(cache: Path) -> Plan:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TREEBENCH_CACHE", str(cache))
        return build_plan(CONFIG, read_manifests(ensure_data(wanted_rows(CONFIG))))


@pytest.fixture(scope="module")
def orders(plan: Plan) -> Orders:
    return Orders(
        "far",
        code_version(),
        200.0,
        simulation=SHARES,
        distributions=("numpy",),
        data=data_of(list(plan.cells.values())),
    )


@contextmanager
def at_work(order: Mapping[str, Any], cache: Path) -> Iterator[subprocess.Popen[str]]:
    with started(
        [sys.executable, "-P", "-m", "treebench.runner.remote"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TREEBENCH_CACHE": str(cache)},
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        yield process


def answer(order: Mapping[str, Any], cache: Path) -> dict[str, Any]:
    """The answer, with stdin open until it is there."""
    with at_work(order, cache) as process:
        assert process.stdout is not None
        told: dict[str, Any] = json.loads(process.stdout.read())
        assert process.wait(PATIENCE_S) == 0
    return told


def test_a_host_says_what_it_is(orders: Orders, cache: Path) -> None:
    facts = answer(orders.ask(), cache)["facts"]
    assert facts["code"] == orders.code
    assert set(facts["versions"]) == {"python", "numpy"}
    assert facts["machine"]["fingerprint"]
    assert facts["counters"] == {"tier": None, "absent": {}}
    assert facts["boot"]


def test_a_sample_comes_back_as_a_row_with_its_host(
    orders: Orders, plan: Plan, cache: Path
) -> None:
    cell = next(iter(plan.cells.values()))
    raw = answer(orders.sample(Wanted(1, cell), "node7"), cache)["row"]
    row = row_from_json(raw, "the answer")
    assert (row.status, row.key) == ("ok", (cell.id, 1, "timed"))
    assert row.must_match["host"] == "node7"
    assert row.phases["fit"].wall_ns
    assert row.score


def test_a_host_makes_its_data_and_other_data_is_a_problem(
    orders: Orders, tmp_path: Path, cache: Path
) -> None:
    assert answer(orders.prepare(), tmp_path) == {}
    assert len(list(tmp_path.glob("tiny-*"))) == 1
    other = Orders("far", orders.code, 60.0, data={"tiny": DataWanted("f" * 64, (200,))})
    assert "its data set tiny holds other data" in answer(other.prepare(), cache)["problem"]
    absent = Orders("far", orders.code, 60.0, data={"no-such": DataWanted("f" * 64, (200,))})
    assert "no-such" in answer(absent.prepare(), cache)["problem"]


def test_a_host_whose_file_was_replaced_under_its_manifest_is_not_used(
    orders: Orders, tmp_path: Path
) -> None:
    assert answer(orders.prepare(), tmp_path) == {}
    folder = next(tmp_path.glob("tiny-*"))
    (folder / "train-200.parquet").write_bytes((folder / "test.parquet").read_bytes())
    problem = answer(orders.prepare(), tmp_path)["problem"]
    assert "train-200.parquet is not the file that was made" in problem
    assert "delete" in problem


def test_a_sample_of_other_code_than_the_runs_is_not_kept(plan: Plan, cache: Path) -> None:
    before = Orders("far", "0.0.0+00000000", 60.0, simulation=SHARES)
    told = answer(before.sample(Wanted(0, plan.control), "node7"), cache)
    assert "the run began with 0.0.0+00000000" in told["problem"]


def test_the_end_of_stdin_ends_the_sample_and_all_its_processes(
    orders: Orders, plan: Plan, cache: Path
) -> None:
    with at_work(orders.sample(Wanted(0, plan.control), "node7"), cache) as process:
        assert until(lambda: _workers(process.pid))
        children = _workers(process.pid)
        assert children
        assert process.stdin is not None
        process.stdin.close()
        assert process.stdout is not None
        assert json.loads(process.stdout.read()) == {"problem": "it was stopped"}
    assert not any(map(runs, children))


def _workers(pid: int) -> list[psutil.Process]:
    found = []
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            found += [child] if "treebench.worker" in " ".join(child.cmdline()) else []
    return found
