"""The shipped table."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
