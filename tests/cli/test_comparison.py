"""The comparison as far as nothing is measured: names, data, plans, what a search chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.analysis.published.tables import CELLS, sample
from tests.analysis.rows import failed
from treebench.cli import comparison_plans, main
from treebench.cli.comparison import default_folder
from treebench.cli.comparison_places import left_out, places_of
from treebench.cli.comparison_plans import (
    Candidate,
    ComparisonSweep,
    PlannedColumn,
    configurations_at,
    plan_comparison,
    samples_at,
)
from treebench.cli.comparison_take import choose, judged_tables
from treebench.config.comparisons import Preset
from treebench.config.load_comparisons import presets_in, shipped_presets, shipped_tables
from treebench.errors import ConfigError, DataError

PRESETS = shipped_presets()
SMALL = """
preset: small
title: Small
says: two libraries on little data
published: experiments
sweep: small
clock: construct_fit
score: best_iteration
lead: equal_clocks
least: {rows: 400, trees: 4}
shrinks: [min_child_weight, min_samples_leaf]
data:
  - set: tiny
    stands_for: higgs
    rows: 2_000
    beside: Higgs
    why_beside: so
    stands_in: tiny stands in for Higgs
base: {n_estimators: 10, max_leaves: 8}
columns:
  - name: hist
    title: XGBoost
    library: xgboost
    setting: {trainer: xgboost, min_child_weight: 100}
  - name: lightgbm
    title: LightGBM
    library: lightgbm
    setting: {trainer: lightgbm, min_samples_leaf: 20}
  - name: gbdt
    title: HistGradientBoosting
    library: scikit-learn
    setting: {trainer: sklearn-hist-gbdt, subsample: 0.5}
compares:
  - name: lead
    figure: time
    first: hist
    second: lightgbm
    published: [hist, lightgbm]
    main: true
"""
OTHER = """
preset: other
like: small
columns:
  - {name: hist, title: XGBoost, library: xgboost, setting: {trainer: xgboost, reg_lambda: 1}}
  - name: lightgbm
    title: LightGBM
    library: lightgbm
    setting: {trainer: lightgbm, min_samples_leaf: 20}
"""
SEARCHED = """
preset: searched
like: small
sweep: searched
columns:
  - name: hist
    title: XGBoost
    library: xgboost
    setting: {trainer: xgboost}
    search: {learning_rate: {low: 0.01, high: 0.3, log: true}}
  - name: lightgbm
    title: LightGBM
    library: lightgbm
    setting: {trainer: lightgbm}
    search: {learning_rate: {low: 0.01, high: 0.3, log: true}}
budget: {configurations: 4}
"""


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", *arguments])
    return int(ended.value.code or 0)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Preset]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))
    texts = {"small": SMALL, "other": OTHER, "searched": SEARCHED}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return presets_in([tmp_path / f"{name}.yaml" for name in texts])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["lightgbm-vs-xgboost", "--preset", "best"],
            "no preset best; give all, a YAML file, or some of: as-",
        ),
        (
            ["lightgbm-vs-xgboost", "--scale", "2"],
            "--scale is 2; it must be at least 1e-06 and at most 1",
        ),
        (["lightgbm-vs-xgboost", "--preset", "max-bin", "--scale", "nan"], "--scale is nan; it"),
        (["lightgbm-vs-xgboost", "--preset", "max-bin", "--scale=-1"], "--scale is -1; it must"),
        (["lightgbm-vs-xgboost", "--data", "yahoo=x"], "--data yahoo=...: the presets asked for"),
        (
            ["lightgbm-vs-xgboost", "--data", "higgs=nonexist"],
            "--data higgs=nonexist: there is no file of that name, and no data set is called",
        ),
        (["A1", "--preset", "matched"], "--preset is for lightgbm-vs-xgboost; A1 has no presets"),
    ],
)
def test_a_mistake_is_told_before_anything_is_made(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))
    assert call(*arguments) == 1
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_each_scale_has_a_folder_of_its_own() -> None:
    assert str(default_folder(1)) == "results/lightgbm-vs-xgboost"
    assert str(default_folder(0.02)) == "results/lightgbm-vs-xgboost-scale-0.02"


def test_real_data_take_the_place_of_their_stand_in() -> None:
    matched = PRESETS["matched"]
    usual = {place.dataset: place for place in places_of([matched], {}, 1)}
    assert list(usual) == ["flights", "flights-onehot", "higgs-like"]
    assert usual["higgs-like"].stands_in is not None
    given = {"higgs": "my-higgs", "flights": "trips", "allstate": "claims"}
    placed = {place.dataset: place for place in places_of([matched], given, 1)}
    assert list(placed) == ["trips", "flights-onehot", "my-higgs", "claims"]
    assert (placed["my-higgs"].stands_in, placed["my-higgs"].instead_of) == (None, "higgs-like")
    # A full run of the real data has the size that was published, not that of the stand-in.
    assert (usual["higgs-like"].rows, placed["my-higgs"].rows) == (1_000_000, 10_500_000)
    assert (placed["claims"].stands_in, placed["claims"].instead_of) == (None, None)
    assert placed["trips"].instead_of == "flights"
    assert placed["trips"].stands_in is not None


def test_a_small_run_searches_on_one_data_set_and_says_so() -> None:
    tuned = PRESETS["tuned"]
    assert [place.dataset for place in places_of([tuned], {}, 0.02)] == ["flights"]
    assert [place.dataset for place in places_of([tuned], {"higgs": "mine"}, 0.02)][1:] == ["mine"]
    assert len(places_of([tuned], {}, 0.1)) == 3
    said = "tuned: flights-onehot and higgs-like only from --scale 0.1 on, for their time"
    assert left_out([tuned, PRESETS["matched"]], {}, 0.02) == [said]
    assert left_out([tuned], {}, 1) == []


def test_a_small_run_takes_fewer_samples_and_settings() -> None:
    assert (samples_at(1), samples_at(0.1), samples_at(0.02)) == (5, 5, 3)
    assert [configurations_at(scale, 20) for scale in (1, 0.25, 0.02, 0.0001)] == [20, 10, 2, 2]


def test_columns_become_cells_made_smaller(small: dict[str, Preset]) -> None:
    [sweep] = plan_comparison([small["small"]], small, Path("out"), 0.5, {})
    assert sweep.planned is not None
    assert (sweep.folder, sweep.shrink.rows, sweep.shrink.trees) == (
        Path("out/small-tiny"),
        0.5,
        0.5,
    )
    [table] = sweep.tables
    cells = {one.column.name: one.only for one in table.columns}
    hist = sweep.planned.plan.cells[cells["hist"].cell or ""].spec
    assert (hist.rows, hist.params["n_estimators"], hist.params["min_child_weight"]) == (
        1000,
        5,
        50,
    )
    lightgbm = sweep.planned.plan.cells[cells["lightgbm"].cell or ""].spec
    assert lightgbm.params["min_samples_leaf"] == 10
    # What the first column states is not the next one's.
    assert lightgbm.params["min_child_weight"] == 1e-3
    assert cells["gbdt"].cell is None
    assert "unsupported: sklearn-hist-gbdt cannot have subsample=0.5" in (
        cells["gbdt"].absent or ""
    )
    assert sweep.planned.config.curve
    assert sweep.planned.config.validation == 0.2


def test_presets_of_one_sweep_share_its_cells_and_only_those_asked_for_are_taken(
    small: dict[str, Preset],
) -> None:
    def sweep_of(*names: str) -> ComparisonSweep:
        chosen = [small[name] for name in names]
        [sweep] = plan_comparison(chosen, small, Path("out"), 1, {})
        return sweep

    one, other, both = sweep_of("small"), sweep_of("other"), sweep_of("small", "other")
    assert one.planned is not None
    assert other.planned is not None
    assert both.planned is not None
    # The same folder goes on, whichever is asked for: XGBoost twice, LightGBM once.
    assert one.folder == other.folder == both.folder
    assert set(one.planned.plan.cells) == set(other.planned.plan.cells)
    assert len(one.planned.plan.cells) == len(both.planned.chosen) == 3
    assert len(one.planned.chosen & other.planned.chosen) == 1
    assert one.planned.chosen | other.planned.chosen == both.planned.chosen


def test_a_library_that_is_not_installed_is_a_column_that_says_so(
    small: dict[str, Preset], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = "not installed: pip install lightgbm"

    def without(preset: Preset, column: Any) -> str | None:
        return absent if column.name == "lightgbm" else None

    monkeypatch.setattr(comparison_plans, "_not_installed", without)
    [sweep] = plan_comparison([small["small"]], small, Path("out"), 1, {})
    [table] = sweep.tables
    assert table.columns[1].only.absent == absent
    assert len(table.cells) == 1


def test_a_preset_of_which_no_library_is_installed_is_untold(
    small: dict[str, Preset], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_plans, "_not_installed", lambda *_: "not installed")
    [sweep] = plan_comparison([small["small"]], small, Path("out"), 1, {})
    [table] = judged_tables(sweep, shipped_tables())
    assert (table.why, table.readings) == ("no library of its columns is installed", ())


def test_data_that_cannot_be_had_leave_the_table_untold(
    small: dict[str, Preset], monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_data(*_: object) -> None:
        raise DataError("tiny cannot be had: no network")

    monkeypatch.setattr(comparison_plans, "plan_checked", without_data)
    [sweep] = plan_comparison([small["small"]], small, Path("out"), 1, {})
    [table] = judged_tables(sweep, shipped_tables())
    assert (table.why, table.readings) == ("tiny cannot be had: no network", ())


def test_data_of_other_tasks_are_refused(small: dict[str, Preset]) -> None:
    with pytest.raises(ConfigError, match="wine is of task multiclass; the comparison is of two"):
        plan_comparison([small["small"]], small, Path("out"), 1, {"higgs": "wine"})


def test_settings_are_drawn_for_a_search(small: dict[str, Preset]) -> None:
    [sweep] = plan_comparison([small["searched"]], small, Path("out"), 1, {})
    [table] = sweep.tables
    assert sweep.searches
    assert [len(one.candidates) for one in table.columns] == [4, 4]
    assert len(table.cells) == 8


HIST, LIGHTGBM = CELLS["hist"], CELLS["lightgbm"]


def searched(*cells: str | None) -> PlannedColumn:
    column = {"name": "x", "title": "X", "library": "l", "setting": {}}
    stated = {**column, "search": {"learning_rate": {"low": 0.1, "high": 0.2}}}
    from treebench.config.comparisons import Column

    candidates = (Candidate(cell, None, {"learning_rate": n / 10}) for n, cell in enumerate(cells))
    return PlannedColumn(Column.model_validate(stated), tuple(candidates))


def test_the_search_chooses_by_validation_and_not_by_the_test_part() -> None:
    rows = [
        sample(HIST, 0, construct_ms=1, fit_ms=1, aucs=[0.9], validation=[0.7]),
        sample(LIGHTGBM, 0, construct_ms=1, fit_ms=1, aucs=[0.6], validation=[0.8]),
    ]
    [chosen] = choose([searched(HIST.id, LIGHTGBM.id)], rows)
    assert (chosen.cell, chosen.chosen) == (LIGHTGBM.id, "best of 2: learning_rate 0.1")


def test_only_the_first_sample_chooses_so_that_later_ones_change_nothing() -> None:
    rows = [
        sample(HIST, 0, construct_ms=1, fit_ms=1, aucs=[0.9], validation=[0.7]),
        sample(LIGHTGBM, 0, construct_ms=1, fit_ms=1, aucs=[0.6], validation=[0.6]),
        sample(LIGHTGBM, 1, construct_ms=1, fit_ms=1, aucs=[0.6], validation=[0.99]),
    ]
    [chosen] = choose([searched(HIST.id, LIGHTGBM.id)], rows)
    assert chosen.cell == HIST.id


def test_a_search_of_which_nothing_ended_well_says_why() -> None:
    [chosen] = choose([searched(HIST.id)], [failed(HIST, 0, "oom", "killed at 2.0 GiB")])
    assert (chosen.cell, chosen.absent) == (None, "not measured: killed at 2.0 GiB")
    [unsupported] = choose([searched(None)], [])
    assert unsupported.absent == "not measured: no sample of it was taken"
