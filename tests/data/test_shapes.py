"""Tables of any size, from nothing at all to two rows of a hundred thousand columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.imports import imported, refused
from treebench.data.cards import find_card
from treebench.data.manifest import LAYOUTS
from treebench.data.reading.read import read_part

WIDE = 100_000


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "the target 'y' is no column; there are no columns; give a file that has some"),
        ({"x": []}, "the target 'y' is no column; there are: x"),
        ({"y": []}, "there are no rows; give a file that has some"),
        ({"x": [], "y": []}, "there are no rows; give a file that has some"),
        ({"y": [0, 1] * 10}, "no column is left to be a feature; drop fewer"),
        ({"x": [1], "y": [0]}, "has one class only, '0', so there is nothing to learn"),
        ({"x": [1, 2], "y": [0, 1]}, "training part"),
        ({"x": [1, 2, 3], "y": [0, 1, 0]}, "one class only"),
    ],
)
def test_too_small_a_table_is_refused(kind: str, table: dict[str, Any], said: str) -> None:
    if kind == "parquet":
        pq.write_table(pa.table(table), "t.parquet")
    else:
        rows = zip(*table.values(), strict=True)
        lines = [",".join(table), *(",".join(map(str, row)) for row in rows)]
        Path("t.csv").write_text("".join(f"{line}\n" for line in lines))
        if not table:
            said = "t.csv"
    lines = refused(f"t.{kind}")
    assert any(said in line for line in lines), lines


def test_one_column_and_two_rows_of_each_class_are_enough() -> None:
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [0, 1, 0, 1]})
    pq.write_table(table, "t.parquet")
    folder, manifest, _ = imported("t.parquet", test_share=0.5)
    assert (manifest.train_rows, manifest.test_rows, manifest.n_features) == (2, 2, 1)
    for layout in LAYOUTS:
        assert read_part(folder / "train.parquet", layout).X.shape == (2, 1)


@pytest.mark.slow
def test_two_rows_of_a_hundred_thousand_numbers() -> None:
    values = np.arange(2 * WIDE, dtype=np.float32).reshape(2, WIDE)
    values[:, ::3] = 0
    names = [f"c{number}" for number in range(WIDE)]
    columns = [pa.array(column) for column in values.T]
    table = pa.Table.from_arrays([*columns, pa.array([0, 1])], names=[*names, "y"])
    pq.write_table(table, "t.parquet")
    folder, manifest, _ = imported("t.parquet", test=Path("t.parquet"))
    assert (manifest.train_rows, manifest.test_rows, manifest.n_features) == (2, 2, WIDE)
    for layout in LAYOUTS:
        X = read_part(folder / "train.parquet", layout).X
        np.testing.assert_array_equal(X.toarray() if hasattr(X, "toarray") else X, values)
    assert find_card("t").card.name == "t"
