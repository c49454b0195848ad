from __future__ import annotations

from tests.analysis.rows import EXACT, HIST, LIGHTGBM, spec
from treebench.analysis.axes import axis_value, held_cells, varying_axes


def test_rows_come_first_and_only_what_varies_alone_is_an_axis() -> None:
    specs = [
        spec("lightgbm", LIGHTGBM | {"max_bin": bins}, rows=rows)
        for rows in (20_000, 80_000)
        for bins in (63, 255)
    ]
    # exact differs from hist in max_depth, but not in that alone.
    specs += [spec("xgboost", EXACT), spec("xgboost", HIST)]
    assert varying_axes(specs) == ["rows", "max_bin"]


def test_the_sizes_of_two_data_sets_are_no_axis() -> None:
    specs = [spec(rows=20_000), spec(dataset="other", rows=80_000, features=40)]
    assert varying_axes(specs) == []


def test_a_seed_and_a_word_are_no_axes() -> None:
    specs = [spec(params=HIST | {"seed": n}) for n in (1, 2)]
    specs += [spec(params=HIST | {"container": "dmatrix"})]
    assert varying_axes(specs) == []
    assert axis_value(specs[0], "container") is None
    assert axis_value(spec("xgboost", EXACT), "max_bin") is None


def test_other_axes_are_held_and_named() -> None:
    specs = [
        spec("lightgbm", LIGHTGBM | {"max_bin": bins}, rows=rows)
        for rows in (20_000, 80_000)
        for bins in (31, 63, 255)
    ]
    kept, held = held_cells(specs, "max_bin")
    assert ([specs[i].rows for i in kept], held) == ([80_000] * 3, {"rows": 80_000})
    kept, held = held_cells(specs, "rows")
    # All three bins are equally frequent: the middle one.
    assert [specs[i].params["max_bin"] for i in kept] == [63, 63]
    assert held == {"max_bin": 63}


def test_rows_are_held_at_the_largest_of_each_data_set() -> None:
    specs = [spec(rows=rows) for rows in (10, 20)]
    specs += [spec(dataset="other", rows=rows) for rows in (30, 40)]
    kept, held = held_cells(specs, None)
    assert ([specs[i].rows for i in kept], held) == ([20, 40], {})


def test_a_series_without_the_axis_or_its_held_value_stays() -> None:
    specs = [
        *(spec("lightgbm", LIGHTGBM | {"max_bin": bins}) for bins in (63, 255, 1023)),
        *(spec("sklearn-hist-gbdt", {"max_bin": bins}) for bins in (31, 63, 127)),
        spec("xgboost", EXACT),
    ]
    kept, held = held_cells(specs, None)
    # 63 is the one value that two cells have.
    assert [specs[i].params.get("max_bin") for i in kept] == [63, 63, None]
    assert held == {"max_bin": 63}
