from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.data.making import card_facts, make_set
from treebench.data.making.generation import chunk_rows, entries_per_row, prepare_generated
from treebench.data.making.signal import wave
from treebench.data.manifest import Task, read_manifest
from treebench.data.sources.generate import Generate


def options(**changes: Any) -> dict[str, Any]:
    base = {"kind": "generate", "rows": 9_000, "test_rows": 1_500, "features": 12}
    return {**base, **changes}


def arrays(task: Task = "binary", **changes: Any) -> tuple[Any, Any, Any, Any]:
    """Training and test matrices with their labels, straight from the generator."""
    source = Generate.model_validate(options(**changes))
    prepared = prepare_generated(source, task)
    parts: dict[str, list[Any]] = {"train": [], "test": []}
    for part, batch in prepared.batches(100_000):
        parts[part].append(batch)
    result: list[Any] = []
    for batches in parts.values():
        X: Any
        y = np.concatenate([batch.y for batch in batches])
        if prepared.storage == "wide":
            X = np.concatenate([batch.columns for batch in batches], axis=1).T
        else:
            values, indices, lengths = (
                np.concatenate([getattr(batch, name) for batch in batches])
                for name in ("values", "indices", "lengths")
            )
            ends = np.concatenate([[0], np.cumsum(lengths)])
            X = sparse.csr_matrix((values, indices, ends), shape=(len(y), prepared.n_features))
        result += [X, y]
    train, y, test, held_out = result
    return train, y, test, held_out


KINDS: dict[str, dict[str, Any]] = {
    "dense": {},
    "sparse": {"features": 2_000, "density": 0.005},
    "categorical": {"cardinalities": [5, 300]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bytes_whatever_the_batch_size(tmp_path: Path, kind: str) -> None:
    facts = card_facts(source=options(**KINDS[kind]))

    made = [make_set(tmp_path / str(size), facts, size)[0] for size in (1_000, 7_000, 50_000)]

    for part in ("train.parquet", "test.parquet", "manifest.json"):
        assert len({(folder / part).read_bytes() for folder in made}) == 1


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("dense", "7489b4a51e2970f0a9d2294f111733b6225044489530cd05db06b28501263cb5"),
        ("sparse", "c97978d9e41426b1f27cad837081ed2d077690f1fdf3b87e397423d7478bc5f5"),
        ("categorical", "280253eedd0bebb8ea16e8e4632369e4c840b4e4246d943455371148188cb4f9"),
    ],
)
def test_the_content_hash_is_what_it_was(tmp_path: Path, kind: str, expected: str) -> None:
    folder, _ = make_set(tmp_path, card_facts(source=options(**KINDS[kind])))

    assert read_manifest(folder).content_sha256 == expected


def test_a_shorter_set_begins_a_longer_one() -> None:
    short, short_y, _, _ = arrays(rows=500)
    long, long_y, _, _ = arrays(rows=20_000)

    np.testing.assert_array_equal(short, long[:500])
    np.testing.assert_array_equal(short_y, long_y[:500])


def test_training_rows_test_rows_and_seeds_differ() -> None:
    train, _, test, _ = arrays(rows=1_000, test_rows=1_000)
    other, _, _, _ = arrays(rows=1_000, test_rows=1_000, seed=1)

    assert not np.isin(test[:, 0], train[:, 0]).mean() > 0.01
    assert (train != other).mean() > 0.99


@pytest.mark.parametrize("share", [0.5, 0.02, 0.9])
def test_the_share_of_positives_is_the_one_asked_for(share: float) -> None:
    _, y, _, held_out = arrays(rows=60_000, test_rows=20_000, positive=share)

    # The threshold comes from 16,384 rows: three standard errors of it, and of the sample.
    assert abs(y.mean() - share) < 3 * (share * (1 - share) / 16_384) ** 0.5 * 1.2
    assert abs(held_out.mean() - share) < 0.02


def test_dense_values_fill_minus_one_to_one() -> None:
    X, y, _, _ = arrays()

    assert X.dtype == y.dtype == np.float32
    assert -1 <= X.min() < -0.99
    assert 0.99 < X.max() < 1
    assert abs(X.mean()) < 0.01


@pytest.mark.parametrize(
    ("width", "density"), [(2_000, 0.005), (50, 1.0), (7, 0.5), (20_000, 1e-9)]
)
def test_sparse_rows_store_exactly_their_density(width: int, density: float) -> None:
    X, _, _, _ = arrays(rows=3_000, features=width, density=density)
    source = Generate.model_validate(options(features=width, density=density))

    assert (np.diff(X.indptr) == entries_per_row(source)).all()
    assert entries_per_row(source) == max(1, round(width * density))
    assert X.has_sorted_indices
    assert X.has_canonical_format
    assert X.data.min() > 0
    assert X.indices.max() < width
    frequency = np.bincount(X.indices, minlength=width)
    assert frequency[: width // 10].sum() >= frequency[-(width // 10) :].sum() or width < 10


def test_categories_come_first_with_frequent_codes_first() -> None:
    X, _, _, _ = arrays(rows=30_000, cardinalities=[5, 300], features=4)

    assert set(X[:, 0]) == {0, 1, 2, 3, 4}
    assert X[:, 1].max() == 299
    counts = np.bincount(X[:, 1].astype(int))
    assert counts[0] > 10 * counts[150]
    assert not (X[:, 2] == np.floor(X[:, 2])).all()


def test_manifest_of_categories(tmp_path: Path) -> None:
    folder, _ = make_set(tmp_path, card_facts(source=options(cardinalities=[5, 300])))
    manifest = read_manifest(folder)

    assert [feature.cardinality for feature in manifest.features[:3]] == [5, 300, None]
    assert [feature.name for feature in manifest.features[:3]] == ["c0", "c1", "f2"]
    assert manifest.classes == ("0", "1")


@pytest.mark.parametrize(
    ("changes", "trees_at_least", "gain"),
    [
        ({}, 0.85, 0.05),
        ({"positive": 0.03}, 0.85, 0.02),
        ({"cardinalities": [8, 40, 200, 4]}, 0.75, 0.08),
        ({"features": 2_000, "density": 0.01}, 0.85, 0.05),
    ],
)
def test_trees_beat_a_line_and_are_not_perfect(
    changes: dict[str, Any], trees_at_least: float, gain: float
) -> None:
    import lightgbm
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    train, y, test, held_out = arrays(rows=12_000, test_rows=4_000, **changes)
    booster = lightgbm.train(
        {"objective": "binary", "verbosity": -1, "num_threads": 1},
        lightgbm.Dataset(train, y),
        num_boost_round=60,
    )
    line = LogisticRegression(max_iter=1_000).fit(train, y)

    by_trees = roc_auc_score(held_out, booster.predict(test))
    by_line = roc_auc_score(held_out, line.predict_proba(test)[:, 1])

    assert trees_at_least < by_trees < 0.99
    assert by_trees > by_line + gain


def test_the_first_columns_keep_most_of_the_signal() -> None:
    X, y, _, _ = arrays(task="regression", rows=20_000, features=30, noise=0.0)
    informative = [abs(np.corrcoef(np.abs(X[:, i]), np.abs(y))[0, 1]) for i in range(30)]

    assert max(informative[12:]) < 0.05


def test_regression_labels_have_the_noise_asked_for() -> None:
    clean, noisy = (arrays(task="regression", rows=30_000, noise=noise)[1] for noise in (0.0, 0.5))

    assert abs(clean.std() - 1) < 0.03
    assert abs((noisy - clean).std() - 0.5) < 0.01


def test_multiclass_labels_hold_every_class() -> None:
    _, y, _, _ = arrays(task="multiclass", classes=5)
    shares = np.bincount(y.astype(int)) / len(y)

    assert len(shares) == 5
    assert shares.min() > 0.05


@pytest.mark.parametrize("features", [1, 2, 3])
def test_few_features_are_enough(features: int) -> None:
    for task, changes in (("binary", {}), ("multiclass", {"classes": 3}), ("regression", {})):
        X, y, _, _ = arrays(task=task, rows=500, test_rows=10, features=features, **changes)  # type: ignore[arg-type]
        assert X.shape == (500, features)
        assert len(set(y)) > 1


def test_a_wide_set_is_drawn_in_small_chunks() -> None:
    for width, density in itertools.product((10, 1_000, 100_000), (None, 0.01)):
        source = Generate.model_validate(options(features=width, density=density))
        entries = width if density is None else entries_per_row(source)
        assert 64 <= chunk_rows(source) <= 8_192
        assert chunk_rows(source) * entries * 4 <= max(64 * entries * 4, 4 << 20)


def test_the_wave_is_nearly_a_sine() -> None:
    x = np.linspace(-1, 1, 1_001)

    assert np.abs(wave(x) - np.sin(np.pi * x)).max() < 0.002
