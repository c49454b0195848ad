"""The shipped table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.memory_reference.__main__ import coefficients, kin_of
from tests.memory_model.workloads import observed, workload
from treebench.memory_model.reference import read_reference, reference, write_reference

if TYPE_CHECKING:
    from pathlib import Path


def test_the_shipped_table_reads_and_writes_as_it_is(tmp_path: Path) -> None:
    table = reference()
    assert {"xgboost", "lightgbm", "scikit-learn"} <= table.versions.keys()
    write_reference(tmp_path / "table.csv", table)
    assert read_reference(tmp_path / "table.csv") == table


def test_every_way_to_train_that_was_measured_has_an_interval_around_nothing() -> None:
    families = reference().families
    assert len(families) >= 12
    for one in families.values():
        assert one.low_error < 0 < one.high_error
        assert one.n_cells >= 1
        assert all(value >= 0 for value in one.coefficients.values())


def test_containers_of_one_method_are_kin_and_no_others() -> None:
    assert kin_of("xgboost hist iterator dense") == kin_of("xgboost hist quantile dense")
    assert kin_of("xgboost hist iterator dense") != kin_of("xgboost hist iterator sparse")
    assert kin_of("xgboost exact dmatrix dense") != kin_of("xgboost hist dmatrix dense")
    assert kin_of("lightgbm col-wise dataset dense") != kin_of("lightgbm row-wise dataset dense")


def test_a_family_of_few_cells_has_its_kins_histograms() -> None:
    """Of its own cell none could tell its histograms from its bins."""
    few = workload(method="hist", container="iterator", max_bin=15)
    many = [
        workload(method="hist", container="quantile", max_depth=depth, rows=rows)
        for depth in (3, 8)
        for rows in (2_000, 80_000)
    ]
    kin = [observed(one, {"histograms": 0.5}) for one in many]
    own = [observed(few, {})]
    assert coefficients(own, [*own, *kin])["histograms"] < 0.75
    assert coefficients(own, own)["histograms"] > 0.95
