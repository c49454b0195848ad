"""Presets and published tables: what ships is whole, and mistakes are told in a line each."""

from __future__ import annotations

from pathlib import Path

import pytest

from treebench.config.comparisons import Range
from treebench.config.draws import drawn_settings
from treebench.config.load import checked
from treebench.config.load_comparisons import (
    OTHERS,
    USUAL,
    chosen_presets,
    presets_in,
    require_published,
    shipped_presets,
    shipped_tables,
    tables_in,
)
from treebench.errors import ConfigError
from treebench.shipped import shipped_folder
from treebench.trainers.registry import TRAINERS

PRESETS = shipped_presets()
TABLES = shipped_tables()


@pytest.mark.parametrize("name", PRESETS)
def test_what_a_shipped_preset_names_is_published(name: str) -> None:
    preset = PRESETS[name]
    table = TABLES[preset.published]
    for entry in preset.data:
        assert entry.beside in table.data
    for compared in preset.compares:
        assert set(compared.published or ()) <= set(table.titles)
        for column in compared.published or ():
            assert any(column in one.figures(compared.figure) for one in table.data.values())
    for order in preset.orders:
        assert set(order.columns.values()) <= set(table.titles)


@pytest.mark.parametrize("name", PRESETS)
def test_every_column_of_a_shipped_preset_is_a_setting_that_a_sweep_takes(name: str) -> None:
    preset = PRESETS[name]
    for column in preset.columns:
        setting = preset.setting(column)
        known = (*TRAINERS, "catboost")
        drawn = drawn_settings(column.search, 1, 0, column.library) if column.search else [{}]
        checked({"name": "x", "data": {"set": "tiny"}, "reference": setting | drawn[0]}, "x", known)


def test_matched_trains_the_models_of_as_scripted_and_reads_them_otherwise() -> None:
    scripted, matched = PRESETS["as-scripted"], PRESETS["matched"]
    assert (matched.columns, matched.sweep) == (scripted.columns, scripted.sweep)
    assert (scripted.clock, scripted.score) == ("boosting", "best_on_test")
    assert (matched.clock, matched.score) == ("construct_fit", "best_iteration")


def test_as_scripted_departs_from_the_page_in_penalty_and_bins() -> None:
    documented, scripted = (
        {one.name: PRESETS[name].setting(one) for one in PRESETS[name].columns}
        for name in ("as-documented", "as-scripted")
    )
    assert documented["hist-quantile"]["reg_lambda"] == documented["exact"]["reg_lambda"] == 1
    assert (documented["hist-quantile"]["max_bin"], documented["hist-dmatrix"]["max_bin"]) == (
        256,
        256,
    )
    for name in ("exact", "hist-dmatrix", "hist-quantile"):
        assert scripted[name]["reg_lambda"] == 0
    assert scripted["hist-quantile"]["max_bin"] == 255
    assert scripted["lightgbm-row"] == documented["lightgbm-row"]


def test_published_leads_are_those_of_the_published_times() -> None:
    for name, one in TABLES["experiments"].data.items():
        worked_out = one.time_s["hist"] / one.time_s["lightgbm"]
        assert one.lead["as_published"] == pytest.approx(worked_out, abs=0.006), name
        assert one.lead["equal_clocks"] < one.lead["as_published"]


def test_names_choose_presets_and_the_usual_ones_are_those_of_the_comparison() -> None:
    assert [one.preset for one in chosen_presets([], PRESETS)] == list(USUAL)
    assert [one.preset for one in chosen_presets(["all"], PRESETS)] == [*USUAL, *OTHERS]
    twice = chosen_presets(["max-bin", "matched", "max-bin"], PRESETS)
    assert [one.preset for one in twice] == ["max-bin", "matched"]
    with pytest.raises(ConfigError, match="no preset best; give all, a YAML file, or some of: "):
        chosen_presets(["best"], PRESETS)


def test_draws_repeat_and_fewer_begin_more() -> None:
    space = {
        "learning_rate": Range(low=0.02, high=0.3, log=True),
        "max_leaves": Range(low=15, high=255, log=True, whole=True),
        "subsample": Range(low=0.5, high=1.0),
    }
    many = drawn_settings(space, 200, 0, "xgboost")
    assert drawn_settings(space, 3, 0, "xgboost") == many[:3]
    assert drawn_settings(space, 3, 0, "lightgbm") != many[:3]
    assert drawn_settings(space, 3, 1, "xgboost") != many[:3]
    for name, one in space.items():
        values = [each[name] for each in many]
        assert one.low <= min(values) < max(values) <= one.high
    assert all(isinstance(each["max_leaves"], int) for each in many)
    # Half of the draws lie below the geometric mean where the logarithm is drawn evenly.
    assert sum(each["learning_rate"] < (0.02 * 0.3) ** 0.5 for each in many) in range(80, 121)


def test_a_column_or_two_that_are_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        presets_in([write(tmp_path, "a", WHOLE.partition("  - {name: y")[0])])
    (line,) = raised.value.problems
    assert line.endswith("it must have at least 2 values")


def test_a_preset_of_ones_own_does_not_take_the_place_of_a_shipped_one(tmp_path: Path) -> None:
    mine = write(tmp_path, "matched", "preset: matched\nlike: as-scripted")
    with pytest.raises(ConfigError, match=r"a preset matched already, in .*; give the file"):
        shipped_presets([mine])
    shipped = shipped_folder("configs") / "comparisons" / "matched.yaml"
    assert list(shipped_presets([shipped])) == list(shipped_presets())


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("preset: a\nlike: b", "like is 'b'; it must be one of: a"),
        ("preset: a\nlike: a", "like leads round in a circle"),
        ("- a", "it must be a mapping of keys to values"),
        ("preset: a\nlike: [a]", "like is ['a']; it must be one of: a"),
        ("preset: a", "a.yaml: title is missing; add it"),
    ],
)
def test_a_mistake_in_a_preset_is_told_in_a_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        presets_in([write(tmp_path, "a", text)])
    assert any(said in line for line in raised.value.problems)


WHOLE = """
preset: a
title: t
says: s
published: p
sweep: s
clock: total
score: final
least: {}
data: [{set: tiny, rows: 100, beside: B, why_beside: w}]
columns:
  - {name: x, title: X, library: l, setting: {trainer: lightgbm}}
  - {name: y, title: Y, library: l, setting: {max_leaves: 7}, like: x}
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "compares: [{name: n, figure: time, first: x, second: z}]",
            "a.yaml: the file must name its own columns, which z is not",
        ),
        (
            "budget: {configurations: 3}",
            "a.yaml: the file must have a budget where columns have a search, and only there",
        ),
        ("lead: mine", "a.yaml: lead is 'mine'; it must be as_published or equal_clocks"),
        ("clok: total", "a.yaml: clok is no key here (did you mean clock?); allowed: base, "),
        ("least: {rows: 3}", "written twice"),
        ("base: {n_estimators: 0}", "a whole number of trees, not n_estimators 0"),
        ("base: {n_estimators: [1, 2]}", "a whole number of trees, not n_estimators [1, 2]"),
        (
            "shrinks: [min_child_weight]\nbase: {min_child_weight: few}",
            "a number that --scale can make smaller, not min_child_weight 'few'",
        ),
        (
            "  - {name: z, title: Z, library: l, setting: {}}",
            "must name a trainer for the column z",
        ),
        (
            "  - {name: x, title: Z, library: l, setting: {trainer: lightgbm}}",
            "must name each column once",
        ),
        (
            "  - {name: z, title: Z, library: l, setting: {}, like: z}",
            "like of z leads to itself",
        ),
    ],
)
def test_a_preset_names_its_own_columns(tmp_path: Path, more: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        presets_in([write(tmp_path, "a", WHOLE + more)])
    assert any(said in line for line in raised.value.problems)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (WHOLE, "published is 'p'; it must be one of: "),
        (WHOLE.replace("published: p", "published: experiments"), "data.beside is 'B'; it must"),
        (
            WHOLE.replace("published: p", "published: experiments")
            + "compares: [{name: n, figure: time, first: x, second: y, published: [q, r]}]",
            "'q' is no published column; there are: ",
        ),
    ],
)
def test_what_is_not_published_is_told_before_anything_is_measured(
    tmp_path: Path, changed: str, said: str
) -> None:
    own = presets_in([write(tmp_path, "a", changed)])
    with pytest.raises(ConfigError) as raised:
        require_published([own["a"]], TABLES)
    assert any(said in line for line in raised.value.problems)
    require_published(list(PRESETS.values()), TABLES)


def test_a_column_like_another_changes_its_setting(tmp_path: Path) -> None:
    preset = presets_in([write(tmp_path, "a", WHOLE + "base: {n_estimators: 9}")])["a"]
    assert preset.setting(preset.columns[1]) == {
        "n_estimators": 9,
        "trainer": "lightgbm",
        "max_leaves": 7,
    }
    with pytest.raises(ConfigError, match="it must be the file's name"):
        presets_in([write(tmp_path, "b", WHOLE)])


def test_a_published_column_without_a_title_is_refused(tmp_path: Path) -> None:
    text = """
p:
  title: t
  source: s
  date: d
  hardware: h
  titles: {a: A}
  data: {D: {rows: 1, features: 1, metric: AUC, time_s: {a: 1, b: 2}}}
"""
    with pytest.raises(ConfigError, match=r"p is .*; it must have a title for the column b"):
        tables_in(write(tmp_path, "p", text))
