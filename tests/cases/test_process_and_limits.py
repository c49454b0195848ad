from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases.training import trained_on
from tests.data.imports import imported, refused
from treebench.config.load import load_config
from treebench.errors import ConfigError
from treebench.trainers.registry import TRAINERS

ROWS = 120
ABORTING: dict[str, Any] = {
    "text": pa.array(["u", "v", "w"] * 40),
    "dictionary": pa.array(["u", "v", "w"] * 40).dictionary_encode(),
    "half": pa.array(np.linspace(-1, 1, ROWS).astype(np.float16)),
    "nothing": pa.nulls(ROWS),
}
"""Columns of which LightGBM, given the Arrow table, ends the process (LightGBM#6769), and that the
harness turns into numbers."""
REFUSED: dict[str, Any] = {
    "decimal": pa.array([decimal.Decimal("1.5")] * ROWS),
    "list": pa.array([[1.0]] * ROWS),
    "timestamp": pa.array([datetime.datetime(2020, 1, 1)] * ROWS),
}


def write(columns: dict[str, Any]) -> None:
    usual = {"x": np.arange(ROWS) % 7, "y": np.arange(ROWS) % 2}
    pq.write_table(pa.table({**usual, **columns}), "t.parquet")


@pytest.mark.parametrize("name", ABORTING)
def test_case_01_columns_that_end_lightgbm_are_numbers_before_it_sees_them(
    folder: Path, name: str
) -> None:
    write({name: ABORTING[name]})
    made, manifest, _ = imported("t.parquet")
    assert [feature.name for feature in manifest.features] == ["x", name]
    trained_on(made, manifest, "lightgbm")


def test_case_01_others_are_refused_together_by_name(folder: Path) -> None:
    write(REFUSED)
    told = "\n".join(refused("t.parquet"))
    assert all(f"{name} (" in told for name in REFUSED)


def test_case_05_more_leaves_than_lightgbm_takes_are_refused_in_the_config(folder: Path) -> None:
    Path("c.yaml").write_text(
        "name: c\ndata: {set: tiny}\nreference: {trainer: lightgbm, max_leaves: 131073}\n"
    )
    with pytest.raises(ConfigError) as raised:
        load_config("c.yaml", [], tuple(TRAINERS))
    (line,) = raised.value.problems
    assert "max_leaves is 131073; it must be from 2 to 131072" in line
