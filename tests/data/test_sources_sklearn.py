from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets

from tests.data.making import columns_of
from treebench.data.making.make import make
from treebench.data.manifest import read_manifest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path))


@pytest.mark.parametrize(
    ("name", "loader", "classes"),
    [
        ("digits", datasets.load_digits, tuple("0123456789")),
        ("breast-cancer", datasets.load_breast_cancer, ("benign", "malignant")),
        ("wine", datasets.load_wine, ("class_0", "class_1", "class_2")),
        ("diabetes", datasets.load_diabetes, ()),
    ],
)
def test_all_rows_of_the_bundled_set_are_there(
    name: str, loader: object, classes: tuple[str, ...]
) -> None:
    folder = make(name)
    manifest = read_manifest(folder)
    parts = [columns_of(folder / part) for part in ("train.parquet", "test.parquet")]
    X, y = loader(return_X_y=True)  # type: ignore[operator]

    made = np.concatenate([np.stack(list(part.values()), axis=1) for part in parts])
    assert manifest.classes == classes
    assert made.shape == (len(X), X.shape[1] + 1)
    assert manifest.test_rows == round(0.2 * len(X))
    expected = np.sort(X.astype(np.float32).sum(axis=1))
    np.testing.assert_allclose(np.sort(made[:, :-1].sum(axis=1)), expected, rtol=1e-5, atol=1e-5)
    if classes:
        np.testing.assert_array_equal(
            np.sort(np.bincount(made[:, -1].astype(int))), np.sort(np.bincount(y))
        )
    else:
        np.testing.assert_array_equal(np.sort(made[:, -1]), np.sort(y.astype(np.float32)))


def test_classes_are_in_proportion_in_both_parts() -> None:
    folder = make("digits", rows=[100])

    for part in ("train.parquet", "test.parquet", "train-100.parquet"):
        shares = np.bincount(columns_of(folder / part)["__target__"].astype(int))
        assert len(shares) == 10
        assert shares.max() - shares.min() <= 0.06 * shares.sum()
