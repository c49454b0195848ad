"""The benchmark of pick, as far as nothing is measured: what it asks for, keeps and prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest

from benchmarks.pick import __main__ as benchmark
from benchmarks.pick import constrained_tpe as tpe
from benchmarks.pick import rivals
from benchmarks.pick.__main__ import Asked, search_time_s
from benchmarks.pick.kept import Kept, Record
from benchmarks.pick.sizes import DATA, SIZES, data_set
from benchmarks.pick.tables import behind, is_near, pick_line, print_tables, rival_line
from tests.picking.world import BASELINE, MIB, World, dead, question
from treebench.data.cards import find_card
from treebench.picking.space import holdings, learners
from treebench.plan.build import PlannedCell
from treebench.store.row import SampleRow

GRID: Record = {
    "what": "grid",
    "data": "toy",
    "size": "hour",
    "rows": 1000,
    "features": 10,
    "threads": 2,
    "cells": 50,
    "ended": 50,
    "cpu_s": 500.0,
    "wall_s": 250.0,
    "metric": "auc",
    "budgets": {"tight": {"bytes": 300 * MIB, "score": 0.9, "best": "x", "peak_bytes": 9}},
}
PICK: Record = {
    "what": "pick",
    "budget": "tight",
    "search_s": 15.0,
    "call_wall_s": 30.0,
    "call_cpu_s": 55.0,
    "samples": 20,
    "cpu_s": 45.0,
    "proofs": 1,
    "score": 0.899,
    "peak_bytes": 290 * MIB,
    "learner": "lightgbm",
}


def asked(search_s: float | None = None) -> Asked:
    return Asked(SIZES["hour"], 2, None, search_s, pick=True, rivals=True)


def test_the_search_time_is_a_tenth_of_the_grids_cpu_less_two_samples_for_the_proof() -> None:
    # 100 - 2 x 20 s of CPU, at one CPU second a second, and at two.
    assert search_time_s({**GRID, "cpu_s": 1000.0, "wall_s": 1000.0}, asked()) == 60.0
    assert search_time_s({**GRID, "cpu_s": 1000.0, "wall_s": 500.0}, asked()) == 30.0


def test_a_search_time_that_is_stated_is_taken_and_none_is_too_short() -> None:
    assert search_time_s(GRID, asked(7.0)) == 7.0
    assert search_time_s({**GRID, "cpu_s": 10.0}, asked()) == 20.0


@pytest.mark.parametrize(
    ("metric", "best", "score", "far", "near"),
    [
        ("auc", 0.9, 0.8981, 0.0019, True),
        ("auc", 0.9, 0.8979, 0.0021, False),
        ("auc", 0.9, 0.95, -0.05, True),
        ("rmse", 2.0, 2.019, 0.0095, True),
        ("rmse", 2.0, 2.021, 0.0105, False),
        ("auc", 0.9, None, None, False),
    ],
)
def test_how_far_behind_is_in_the_goals_own_terms(
    metric: str, best: float, score: float | None, far: float | None, near: bool
) -> None:
    held = {**GRID["budgets"]["tight"], "score": best}
    grid = {**GRID, "metric": metric, "budgets": {"tight": held}}
    pick = {**PICK, "score": score}
    assert behind(grid, pick) == (None if far is None else pytest.approx(far))
    assert is_near(grid, pick) is near


def test_a_line_states_the_search_the_grids_cpu_and_what_the_call_took() -> None:
    said = pick_line(GRID, PICK)
    for part in ("searched for 15 s", "45 s of CPU, 9.0% of the grid's 500 s", "call 30 s", "55 s"):
        assert part in said
    assert "nothing was picked" in pick_line(GRID, {**PICK, "score": None, "peak_bytes": None})


def test_a_rivals_line_says_how_long_it_had_and_that_it_broke_the_budget() -> None:
    told: dict[str, Any] = {"given_s": 30.0, "took_s": 41.0, "trials": 9, "broke": 4}
    said = rival_line("tpe", {**told, "score": 0.91, "peak_bytes": 301 * MIB}, 300 * MIB)
    assert "given 30 s, took 41 s in all" in said
    assert "0.9100, 301 MiB OVER THE BUDGET" in said
    assert "9, 4 over the budget" in said
    none = rival_line("tpe", {**told, "score": None, "peak_bytes": None}, 300 * MIB)
    assert "nothing that kept to it" in none
    assert rival_line("flaml", {"given_s": 30.0, "untried": "dense only"}, 1).endswith("dense only")


def test_what_is_kept_is_not_measured_again_and_what_failed_is(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "toy.jsonl")
    answers: Iterator[Record] = iter([{"failed": "no word"}, {"score": 1.0}])
    assert kept.once("flaml", "tight", lambda: next(answers))["failed"] == "no word"
    assert kept.once("flaml", "tight", lambda: next(answers))["score"] == 1.0
    assert kept.once("flaml", "tight", lambda: next(answers))["score"] == 1.0
    assert kept.of("flaml", "loose") is None
    assert [each["score"] for each in kept.records] == [1.0]


def test_what_is_kept_of_something_else_than_is_asked_is_measured_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "toy.jsonl")
    taken: list[float] = []

    def once(search_s: float) -> float:
        def take() -> Record:
            taken.append(search_s)
            return {"search_s": search_s}

        return float(kept.once("pick", "tight", take, search_s=search_s)["search_s"])

    searched = [20.0, 20.0, 7.0, 7.0, 20.0]
    assert [once(each) for each in searched] == searched
    assert taken == [20.0, 7.0, 20.0]
    assert [each["search_s"] for each in kept.records] == [20.0]


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is measured of the toy, where every pick takes twice its search time."""
    made: list[str] = []

    def grid(name: str, dataset: str, size: str, asked: Asked) -> Record:
        made.append("grid")
        return GRID

    def pick(name: str, grid: Record, budget: str, asked: Asked) -> Record:
        search_s = search_time_s(grid, asked)
        made.append(f"{budget} pick {search_s:g}")
        return {**PICK, "budget": budget, "search_s": search_s, "call_wall_s": 2 * search_s}

    def rival(name: str, limit: int, threads: int, given_s: float) -> Record:
        made.append(f"rival {limit // MIB} {given_s:g}")
        return {"given_s": given_s, "trials": 1, "broke": 0, "score": None, "peak_bytes": None}

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(benchmark, "BUDGETS", {"tight": 0.1})
    monkeypatch.setattr(benchmark, "data_set", lambda dataset, rows: dataset)
    monkeypatch.setattr(benchmark, "pick_data", lambda name, _: None)
    monkeypatch.setattr(benchmark, "_grid", grid)
    monkeypatch.setattr(benchmark, "_pick", pick)
    monkeypatch.setattr(rivals, "constrained_tpe", rival)
    monkeypatch.setattr(rivals, "flaml", rival)
    return made


def test_another_search_time_asks_pick_and_its_rivals_again(
    calls: list[str], tmp_path: Path
) -> None:
    first = ["grid", "tight pick 20", "rival 300 40", "rival 300 40"]
    benchmark.measure("toy", "hour", asked())
    assert calls == first
    benchmark.measure("toy", "hour", asked())
    assert calls == first
    benchmark.measure("toy", "hour", asked(7.0))
    benchmark.measure("toy", "hour", asked(7.0))
    assert calls == [*first, "tight pick 7", "rival 300 14", "rival 300 14"]
    benchmark.measure("toy", "hour", asked())
    assert calls[7:] == first[1:]
    assert [each.name for each in tmp_path.iterdir()] == ["toy-hour-2t.jsonl"]


def test_a_rivals_time_stands_beside_that_of_a_pick_that_was_asked_again(
    calls: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Kept(Path("toy-hour-2t.jsonl"))
    benchmark.measure("toy", "hour", asked())
    given_s = (kept.of("tpe", "tight") or {})["given_s"]
    benchmark.measure("toy", "hour", replace(asked(7.0), rivals=False))
    taken_s = (kept.of("pick", "tight") or {})["call_wall_s"]
    capsys.readouterr()
    print_tables([kept])
    shown = capsys.readouterr().out.splitlines()
    (line,) = [each for each in shown if "| tight" in each and f"| {given_s:.0f} s |" in each]
    assert f"| {taken_s:.0f} s |" in line


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> optuna.Study:
    made = tpe._study(seed=0)
    monkeypatch.setattr(tpe, "_study", lambda seed: made)
    return made


class BySecond(World):
    """A world where every sample takes a second, and those of LightGBM die."""

    def __call__(self, cell: PlannedCell, deadline_s: float) -> SampleRow:
        self.now_s += 1.0
        died = cell.spec.trainer == "lightgbm"
        return dead(cell, "killed", "fit") if died else self.ended(cell)


def test_the_constrained_rival_chooses_among_names_of_ways(study: optuna.Study) -> None:
    asked_for = question(BASELINE + 5 * MIB)
    world = BySecond()
    found = tpe.constrained_tpe(asked_for, world, 20.0, 0, clock=lambda: world.now_s)
    ways = [f"{one}, {held}" for one in learners(asked_for) for held in holdings(one)]
    assert len(set(ways)) == len(ways) > 5
    law = study.trials[0].distributions["way"]
    assert isinstance(law, optuna.distributions.CategoricalDistribution)
    assert list(law.choices) == ways

    states = optuna.trial.TrialState
    ran = study.get_trials(states=(states.COMPLETE,))
    died = study.get_trials(states=(states.PRUNED,))
    assert len(ran) + len(died) == len(study.trials) == found.trials == 20
    assert died
    assert all(each.params["way"].startswith("lightgbm") for each in died)
    assert [each.system_attrs["constraints"] for each in died] == [(float("inf"),)] * len(died)
    kept_to = [each.value for each in ran if each.user_attrs["over"] <= 0]
    assert found.broke == len(ran) - len(kept_to) > 0
    assert kept_to
    assert found.best is not None


def test_the_tables_are_of_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([Kept(tmp_path / "none.jsonl")])
    assert capsys.readouterr().out == "nothing is kept yet\n"
    tpe = {"given_s": 30.0, "trials": 9, "broke": 4, "score": 0.91, "peak_bytes": 301 * MIB}
    lines = [GRID, PICK, {"what": "tpe", "budget": "tight", **tpe}]
    path = tmp_path / "toy.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    print_tables([Kept(path)])
    shown = capsys.readouterr().out
    assert "toy (hour): 1,000 x 10 on 2 threads; 50 of 50 grid cells ended well, in 500 s" in shown
    assert "| toy | tight 300 MiB | AUC 0.9000 | 0.8990 | +0.0010 | 290 MiB |" in shown
    assert "grid's best: 1 of 1; at 10 % of its CPU or less: 1; over the budget: 0" in shown
    assert "| 30 s | 0.8990, 290 MiB | 30 s | 0.9100, 301 MiB OVER THE BUDGET | 9, 4 over" in shown


@pytest.mark.parametrize("dataset", [each for each in DATA if "flights" not in each])
def test_cut_down_data_has_a_card_of_its_own(
    dataset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert data_set(dataset, None) == dataset
    name = data_set(dataset, 1000)
    card = find_card(name).card
    assert card.shape is not None
    whole = find_card(dataset).card
    test_rows = whole.source.test_rows  # type: ignore[union-attr]
    assert card.shape == (1000 + test_rows, *whole.shape[1:])  # type: ignore[index]


def test_cut_down_flights_are_so_many_that_arrived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    for dataset in ("flights", "flights-onehot"):
        card = find_card(data_set(dataset, 500)).card
        whole = find_card(dataset).card
        assert card.features == whole.features
        assert card.split == whole.split
        table = pq.read_table(tmp_path / card.source.path)  # type: ignore[union-attr]
        assert table.num_rows == 500
        assert table.column("arr_delay").null_count == 0
