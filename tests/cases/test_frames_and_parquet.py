from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases.training import trained_on
from tests.data.imports import imported
from tests.trainers.problems import IN_ONE_GO

ROWS = 60
AWKWARD = ["a[0]", "a<1", "a:b", "a,b", 'a"b', ""]


@pytest.mark.parametrize("name", IN_ONE_GO)
def test_case_19_names_that_a_library_refuses_are_trained_on(folder: Path, name: str) -> None:
    """Each of these fails in XGBoost or LightGBM if it gets there."""
    columns = {column: np.arange(float(ROWS)) % (3 + at) for at, column in enumerate(AWKWARD)}
    pq.write_table(pa.table({**columns, "y": [0, 1] * (ROWS // 2)}), "t.parquet")
    made, manifest, _ = imported("t.parquet")
    assert [feature.name for feature in manifest.features] == AWKWARD
    assert len(trained_on(made, manifest, name)) == manifest.test_rows


PLAIN = {
    "whole": np.arange(ROWS, dtype=np.float64) % 5,
    "share": np.linspace(0, 1, ROWS),
    "truth": np.arange(ROWS) % 3 == 0,
    "word": np.array(["u", "v", "w"] * (ROWS // 3)),
    "y": np.arange(ROWS) % 2,
}
KINDS: dict[str, dict[str, str]] = {
    "nullable": {"whole": "Int32", "share": "Float64", "truth": "boolean", "word": "string"},
    "arrow": {
        "whole": "int16[pyarrow]",
        "share": "double[pyarrow]",
        "truth": "bool[pyarrow]",
        "word": "string[pyarrow]",
    },
    "categorical": {"word": "category"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", [False, True])
def test_case_21_every_kind_of_frame_is_the_same_set(
    folder: Path, kind: str, missing: bool
) -> None:
    plain: Any = pd.DataFrame(PLAIN)
    kindly: Any = plain.astype(KINDS[kind])
    if missing:
        plain.loc[4, ["whole", "share"]] = np.nan
        kindly.loc[4, ["whole", "share"]] = None if kind == "categorical" else pd.NA
    plain.to_parquet("plain.parquet")
    kindly.to_parquet("kindly.parquet")
    _, first, _ = imported("plain.parquet")
    _, second, _ = imported("kindly.parquet")
    assert first.content_sha256 == second.content_sha256
    assert [one.cardinality for one in first.features] == [
        one.cardinality for one in second.features
    ]
