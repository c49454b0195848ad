from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cases.training import trained_on
from tests.data.imports import imported, refused
from tests.trainers.problems import IN_ONE_GO
from treebench.data.reading.read import read_part

ROWS = 200
X = np.random.default_rng(0).normal(size=ROWS)
SIDE = X > 0
LABELS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "-1 and +1": (np.where(SIDE, 1, -1), ("-1", "1")),
    "1 to 3": (1 + SIDE + (X > 1), ("1", "2", "3")),
    "text": (np.where(SIDE, "yes", "no"), ("no", "yes")),
    "truth values": (SIDE, ("false", "true")),
    "7 and 9": (np.where(SIDE, 9.0, 7.0), ("7", "9")),
}


@pytest.mark.parametrize("labels", LABELS)
def test_case_29_labels_are_encoded_once_and_every_trainer_takes_them(
    folder: Path, labels: str
) -> None:
    values, classes = LABELS[labels]
    pq.write_table(pa.table({"x": X, "y": values}), "t.parquet")
    made, manifest, _ = imported("t.parquet")
    assert manifest.classes == classes
    y = read_part(made / "test.parquet", "dense-c").y
    for name in IN_ONE_GO:
        predicted = trained_on(made, manifest, name, n_estimators=20, learning_rate=0.5)
        found = predicted.argmax(axis=1) if len(classes) > 2 else predicted > 0.5
        assert np.mean(found == y) > 0.9, name


@pytest.mark.parametrize("value", [2.5, 0.0])
def test_case_29_a_target_of_one_value_is_refused_as_one_class_is(
    folder: Path, value: float
) -> None:
    """All but CatBoost learn it in silence."""
    pq.write_table(pa.table({"x": X, "y": np.full(ROWS, value)}), "t.parquet")
    assert refused("t.parquet", task="regression") == [
        f"t.parquet: the target has one value only in the training part, {value:g}; there is "
        f"nothing to learn: name another column, or split otherwise"
    ]
