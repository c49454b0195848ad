from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.analysis.curves.growing import FIT_TIME, MS, SIZES, grown_rows, grown_run, hist, lightgbm
from tests.analysis.rows import facts, row
from treebench.analysis.curves.density import density_of
from treebench.analysis.curves.families import axes_of, families
from treebench.analysis.figures import figure_named
from treebench.analysis.overview import overview

if TYPE_CHECKING:
    from treebench.plan.cell import CellSpec


def linear(cell: CellSpec) -> float:
    return 2000.0 * cell.rows * int(cell.params["n_estimators"])


def test_cells_that_differ_in_nothing_else_are_one_series_of_all_their_samples() -> None:
    cells = [hist(rows, n_estimators=trees) for rows in SIZES for trees in (10, 20)]
    cells += [lightgbm(rows, layout="csr") for rows in SIZES]
    run = grown_run(cells, linear)
    found = families(run, "rows", FIT_TIME)
    assert [each.label for each in found] == [
        "xgboost hist n_estimators 10, dense-c",
        "xgboost hist n_estimators 20, dense-c",
        "lightgbm, csr",
    ]
    assert all(len(each.samples) == 5 * len(SIZES) for each in found)
    assert found[0].sizes == list(SIZES)
    assert found[0].cells == tuple(cell.id for cell in cells[:12:2])


def test_along_another_axis_the_rows_are_in_the_label() -> None:
    cells = [hist(rows, n_estimators=trees) for rows in SIZES[:2] for trees in (10, 20, 40)]
    found = families(grown_run(cells, linear), "n_estimators", FIT_TIME)
    assert [each.label for each in found] == [
        "xgboost hist, 10,000 rows",
        "xgboost hist, 20,000 rows",
    ]
    assert found[0].sizes == [10, 20, 40]


def test_only_some_cells_can_be_asked_for() -> None:
    cells = [*map(hist, SIZES), *map(lightgbm, SIZES)]
    run = grown_run(cells, linear)
    found = families(run, "rows", FIT_TIME, lambda cell: cell.trainer == "lightgbm")
    assert [each.spec.trainer for each in found] == ["lightgbm"]
    assert axes_of(run) == ["rows"]
    assert axes_of(run, lambda cell: cell.rows == SIZES[0]) == []


def counted(cell: CellSpec, tier: str, value: float, reduced: dict[str, int]) -> dict[str, object]:
    return {
        "tier": tier,
        "phases": {"fit": {"instructions": value}},
        "missing": {},
        "reduced": reduced,
    }


def test_simulated_samples_stand_at_the_size_that_was_simulated() -> None:
    cells = [hist(rows) for rows in SIZES]
    rows = grown_rows(cells, linear)
    rows += [
        row(
            cell,
            kind="simulated",
            counters=counted(cell, "simulated", cell.rows * 7.0, {"rows": cell.rows // 10}),
        )
        for cell in cells
    ]
    figure = figure_named("counter:fit:instructions")
    (found,) = families(overview(facts(cells), rows), "rows", figure)
    assert found.samples == tuple((size / 10, size * 7.0) for size in SIZES)


def test_counted_and_simulated_events_are_not_mixed() -> None:
    cells = [hist(rows) for rows in SIZES]
    events = [counted(cell, "hardware", cell.rows * 3.0, {}) for cell in cells]
    rows = [row(cell, counters=each) for cell, each in zip(cells, events, strict=True)]
    rows += [replace(each, kind="simulated") for each in rows]
    figure = figure_named("counter:fit:instructions")
    (found,) = families(overview(facts(cells), rows), "rows", figure)
    assert found.samples == tuple((float(size), size * 3.0) for size in SIZES)


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_density_is_told_exactly_from_the_bytes_of_a_sparse_matrix(layout: str) -> None:
    from scipy import sparse

    from treebench.data.matrix import matrix_bytes

    made: Any = sparse.random(400, 30, density=0.07, random_state=1)
    X = made.astype("float32").asformat(layout)
    cell = replace(hist(400), layout=layout, features=30)  # type: ignore[arg-type]
    found = density_of(cell, [row(cell, data_bytes=matrix_bytes(X))])
    assert found == X.nnz / (400 * 30)


def test_dense_data_and_samples_without_size_have_no_density() -> None:
    assert density_of(hist(), [row(hist(), data_bytes=4 * 20_000 * 12)]) is None
    sparse = replace(hist(), layout="csr")
    assert density_of(sparse, [row(sparse)]) is None


def test_density_is_an_axis_over_data_sets_of_one_size() -> None:
    cells = [replace(hist(), layout="csr", dataset=f"sparse-{k}") for k in (1, 2, 4, 8)]
    shares = dict(zip((cell.id for cell in cells), (0.01, 0.02, 0.04, 0.08), strict=True))
    rows = [
        replace(
            made,
            data_bytes=int(8 * 20_000 * 12 * shares[made.cell] + 4 * 20_001),
        )
        for made in grown_rows(cells, lambda cell: 100 * MS * shares[cell.id])
    ]
    run = overview(facts(cells), rows)
    assert axes_of(run) == ["density"]
    (found,) = families(run, "density", FIT_TIME)
    assert found.sizes == pytest.approx([0.01, 0.02, 0.04, 0.08])
    assert found.place == "several data sets"
