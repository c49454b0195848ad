"""Folders, hive partitions, CSV and svmlight: files as people have them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from sklearn.datasets import dump_svmlight_file

from tests.data.imports import imported
from tests.data.making import columns_of, mixed_table
from treebench.data.cards import find_card
from treebench.data.making import svmlight


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_hive_folders_become_columns_and_that_is_said(kind: str) -> None:
    for year, month in ((2023, "a b"), (2024, "c")):
        folder = Path(f"hive/year={year}/month={month.replace(' ', '%20')}")
        folder.mkdir(parents=True)
        table = pa.table({"x": np.arange(50), "y": np.arange(50) % 2})
        if kind == "parquet":
            pq.write_table(table, folder / "part.parquet")
        else:
            csv.write_csv(table, folder / "part.csv")
    (Path("hive") / "_SUCCESS").touch()

    made, manifest, said = imported("hive")

    assert "columns from the names of folders: year, month" in said
    assert [(f.name, f.cardinality) for f in manifest.features] == [
        ("x", None),
        ("year", None),
        ("month", 2),
    ]
    train = columns_of(made / "train.parquet")
    assert set(zip(train["year"], train["month"], strict=True)) == {(2023, 0), (2024, 1)}


def test_a_hive_column_can_be_the_target() -> None:
    for label in ("no", "yes"):
        folder = Path(f"hive/late={label}")
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"x": np.arange(50)}), folder / "part.parquet")

    manifest = imported("hive", "late")[1]

    assert (manifest.classes, manifest.n_features) == (("no", "yes"), 1)


def test_a_missing_hive_value_is_missing() -> None:
    for value in ("1", "__HIVE_DEFAULT_PARTITION__"):
        folder = Path(f"hive/k={value}")
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"y": [0, 1] * 20}), folder / "part.parquet")

    made = columns_of(imported("hive")[0] / "train.parquet")["k"]

    assert 0 < np.isnan(made).sum() < len(made)
    assert set(made[~np.isnan(made)]) == {1}


def test_files_may_differ_in_width_and_in_what_is_missing() -> None:
    Path("many").mkdir()
    labels = [0, 1] * 10
    one = {"n": pa.array([1] * 20, pa.int8()), "f": pa.array([0.5] * 20, pa.float32())}
    two = {"n": pa.array([2**40] * 20, pa.int64()), "f": pa.nulls(20)}
    for name, columns in (("a", one), ("b", two)):
        text = pa.array(["k"] * 20)
        table = pa.table(
            {**columns, "s": text if name == "a" else text.dictionary_encode(), "y": labels}
        )
        pq.write_table(table, f"many/{name}.parquet")

    made, manifest, _ = imported("many")

    assert manifest.n_features == 3
    assert set(columns_of(made / "train.parquet")["n"]) == {1, 2**40}


def test_csv_types_are_those_of_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treebench.data.making.readers.csv_file.BLOCK_BYTES", 1_000)
    lines = [f"{i},{i},{i},true,{i % 2}" for i in range(900)]
    lines[-1] = "1.5,7,text,maybe,1"
    Path("t.csv").write_text("real,whole,text,flag,y\n" + "\n".join(lines) + "\n")

    manifest = imported("t.csv", task="binary")[1]

    assert [f.cardinality is None for f in manifest.features] == [True, True, False, False]


def test_csv_without_header_and_with_tabs() -> None:
    Path("t.tsv").write_text("".join(f"{i}\tword {i % 3}\t{i % 2}\n" for i in range(60)))

    _, manifest, _ = imported("t.tsv", "f2", header=False)

    assert [f.name for f in manifest.features] == ["f0", "f1"]
    assert find_card("t").card.source.model_dump(exclude_unset=True) == {
        "kind": "csv",
        "path": "t.tsv",
        "header": False,
        "delimiter": "\t",
    }


@pytest.mark.parametrize("first_index", [0, 1])
@pytest.mark.parametrize("block_bytes", [64, 8 << 20])
def test_svmlight_rows_are_read_in_blocks(
    first_index: int, block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(svmlight, "BLOCK_BYTES", block_bytes)
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 8)) * (random.random((150, 8)) < 0.4)
    X[:, 0] = np.arange(150) + 1
    y = np.where(np.arange(150) % 3 == 0, 1, -1)
    dump_svmlight_file(X, y, "t.svm", zero_based=first_index == 0)

    folder, manifest, _ = imported("t.svm", None)

    assert (manifest.storage, manifest.n_features) == ("sparse-rows", 8)
    assert manifest.classes == ("-1", "1")
    tables = [pq.read_table(folder / part) for part in ("train.parquet", "test.parquet")]
    rows = {}
    for table in tables:
        for indices, values, label in zip(
            *(table.column(name).to_pylist() for name in table.column_names), strict=True
        ):
            row = np.zeros(8)
            row[indices] = values
            rows[int(row[0])] = (row, label)
    made = np.stack([rows[i + 1][0] for i in range(150)])
    np.testing.assert_allclose(made, X, rtol=1e-6)
    np.testing.assert_array_equal([rows[i + 1][1] for i in range(150)], y == 1)


def test_svmlight_zeros_are_not_stored_and_a_test_file_may_be_wider() -> None:
    Path("train.svm").write_text("1 1:2 3:0\n-1 2:1e-60\n" * 10)
    Path("test.svm").write_text("1 7:1\n-1 1:4\n")

    folder, manifest, _ = imported("train.svm", None, name="t", test=Path("test.svm"))

    assert (manifest.n_features, manifest.train_stored_entries) == (7, 10)
    assert pq.read_table(folder / "test.parquet").column("indices").to_pylist() == [[6], [0]]


@pytest.mark.parametrize("suffix", ["gz", "bz2"])
def test_a_packed_csv_is_read(suffix: str) -> None:
    import bz2
    import gzip

    csv.write_csv(mixed_table(), "plain.csv")
    pack = gzip.compress if suffix == "gz" else bz2.compress
    Path(f"packed.csv.{suffix}").write_bytes(pack(Path("plain.csv").read_bytes()))

    hashes = {imported(path)[1].content_sha256 for path in ("plain.csv", f"packed.csv.{suffix}")}

    assert len(hashes) == 1
