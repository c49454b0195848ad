from __future__ import annotations

import datetime
import decimal
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from sklearn.datasets import dump_svmlight_file

from tests.data.making import columns_of, mixed_table
from treebench.data.cards import find_card
from treebench.data.importing import Request, import_file
from treebench.data.making import svmlight
from treebench.data.making.make import made_folder
from treebench.data.manifest import Manifest, read_manifest
from treebench.errors import DataError


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)


def imported(
    path: str, target: str | None = "y", **options: Any
) -> tuple[Path, Manifest, list[str]]:
    said: list[str] = []
    card_file = import_file(Request(Path(path), target, **options), said.append)
    folder = made_folder(card_file.card.name)
    assert folder is not None
    return folder, read_manifest(folder), said


def refused(path: str, target: str | None = "y", **options: Any) -> list[str]:
    """The lines of the refusal; nothing but the cache's empty folder is left behind."""
    with pytest.raises(DataError) as raised:
        import_file(Request(Path(path), target, **options), lambda line: None)
    left = [item for item in Path("datasets").rglob("*") if item.name != "cache"]
    assert left == []
    assert all("\n" not in problem for problem in raised.value.problems)
    return list(raised.value.problems)


def with_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    return table.drop_columns([name] if name in table.column_names else []).append_column(
        name, values
    )


# ---------------------------------------------------------------------------- what works


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_mixed_table_becomes_numbers(kind: str) -> None:
    table = mixed_table()
    if kind == "csv":
        csv.write_csv(table, "mixed.csv")
    else:
        pq.write_table(table, "mixed.parquet")

    folder, manifest, _ = imported(f"mixed.{kind}")

    parts = [columns_of(folder / part) for part in ("train.parquet", "test.parquet")]
    made = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    assert [f.name for f in manifest.features] == table.column_names[:-1]
    assert [f.cardinality for f in manifest.features] == [None, None, 3, None, None, None]
    assert manifest.classes == ("-1", "1")
    assert (manifest.train_rows, manifest.test_rows) == (160, 40)
    assert np.isnan(made["nothing"]).all()
    assert (made["same"] == 1).all()
    assert set(made["flag"]) == {0, 1}
    assert np.isnan(made["number"]).sum() == 20
    assert made["__target__"].sum() == 50
    # Codes follow the order of the text: blue, green, red.
    blue = pc.sum(pc.equal(table["text"], "blue")).as_py()
    assert (made["text"] == 0).sum() == blue
    assert np.isnan(made["text"]).sum() == table["text"].null_count


def test_csv_and_parquet_of_the_same_rows_have_the_same_content() -> None:
    table = mixed_table()
    csv.write_csv(table, "one.csv")
    pq.write_table(table, "two.parquet", row_group_size=17)

    hashes = {imported(path)[1].content_sha256 for path in ("one.csv", "two.parquet")}

    assert len(hashes) == 1


def test_rows_keep_their_order_and_land_in_one_part_each() -> None:
    pq.write_table(pa.table({"row": np.arange(500), "y": np.arange(500) % 3}), "t.parquet")

    folder, _, _ = imported("t.parquet")

    rows = [columns_of(folder / part)["row"] for part in ("train.parquet", "test.parquet")]
    assert all((np.diff(part) > 0).all() for part in rows)
    np.testing.assert_array_equal(np.sort(np.concatenate(rows)), np.arange(500))


@pytest.mark.parametrize(
    ("labels", "classes", "task"),
    [
        ([-1, 1], ("-1", "1"), "binary"),
        ([1, 2, 3], ("1", "2", "3"), "multiclass"),
        (["no", "yes"], ("no", "yes"), "binary"),
        (["b", "a", "10", "9"], ("10", "9", "a", "b"), "multiclass"),
        ([True, False], ("false", "true"), "binary"),
        ([0.5, 1.5], ("0.5", "1.5"), "binary"),
        ([10.0, 9.0, 2.0], ("2", "9", "10"), "multiclass"),
    ],
)
@pytest.mark.parametrize("dictionary", [False, True])
def test_labels_are_encoded_once_and_kept(
    labels: list[Any], classes: tuple[str, ...], task: str, dictionary: bool
) -> None:
    column = pa.array(labels * 20)
    if dictionary and pa.types.is_string(column.type):
        column = column.dictionary_encode()
    pq.write_table(pa.table({"x": np.arange(len(column)), "y": column}), "t.parquet")

    folder, manifest, said = imported("t.parquet")

    assert (manifest.classes, manifest.task) == (classes, task)
    assert any(line.startswith(f"task: {task}") for line in said)
    made = columns_of(folder / "train.parquet")
    originals = [str(labels[int(row) % len(labels)]) for row in made["x"]]
    expected = [text.lower().removesuffix(".0") for text in originals]
    assert [manifest.classes[int(code)] for code in made["__target__"]] == expected


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        (np.arange(100) / 7, "regression"),
        (np.arange(100), "regression"),
        (np.arange(100) % 20, "multiclass"),
        (np.arange(100) % 2, "binary"),
    ],
)
def test_the_task_is_guessed_from_the_labels(labels: Any, task: str) -> None:
    pq.write_table(pa.table({"x": np.arange(100), "y": labels}), "t.parquet")

    assert imported("t.parquet")[1].task == task


def test_a_stated_task_wins() -> None:
    pq.write_table(pa.table({"x": np.arange(90), "y": np.arange(90) % 3}), "t.parquet")

    folder, manifest, _ = imported("t.parquet", task="regression")

    assert manifest.classes == ()
    assert set(columns_of(folder / "train.parquet")["__target__"]) == {0, 1, 2}


def test_categories_are_fitted_on_training_rows_alone() -> None:
    text = ["a", "b"] * 40 + ["only-in-test"] * 20
    pq.write_table(pa.table({"s": text[:80], "y": [0, 1] * 40}), "train.parquet")
    pq.write_table(
        pa.table({"s": ["b", "a", None, "only-in-test"], "y": [0, 1] * 2}), "test.parquet"
    )

    folder, manifest, _ = imported("train.parquet", name="t", test=Path("test.parquet"))

    assert manifest.features[0].cardinality == 2
    made = columns_of(folder / "test.parquet")["s"]
    np.testing.assert_array_equal(made, np.array([1, 0, np.nan, np.nan], dtype=np.float32))


def test_whole_numbers_can_be_called_categorical() -> None:
    pq.write_table(pa.table({"zip": [900, 10, 900, 77] * 20, "y": [0, 1] * 40}), "t.parquet")

    folder, manifest, _ = imported("t.parquet", categorical=("zip",))

    assert manifest.features[0].cardinality == 3
    assert set(columns_of(folder / "train.parquet")["zip"]) == {0, 1, 2}


def test_a_pandas_index_is_left_out_and_that_is_said() -> None:
    frame = pd.DataFrame({"x": np.arange(100.0), "y": np.arange(100) % 2})
    frame[frame.x % 3 > 0].to_parquet("t.parquet")
    assert "__index_level_0__" in pq.read_schema("t.parquet").names

    _, manifest, said = imported("t.parquet")

    assert [f.name for f in manifest.features] == ["x"]
    why = "index of a pandas frame, by the file's own metadata"
    assert manifest.dropped == {"__index_level_0__": why}
    assert f"left out column '__index_level_0__': {why}" in said


def test_a_column_called_like_an_index_stays_if_pandas_did_not_write_it() -> None:
    pq.write_table(pa.table({"__index_level_0__": np.arange(50), "y": [0, 1] * 25}), "t.parquet")

    assert imported("t.parquet")[1].n_features == 1


def test_times_become_seconds_or_are_left_out() -> None:
    stamps = [datetime.datetime(1970, 1, 2, tzinfo=datetime.UTC)] * 40
    days = [datetime.date(1970, 1, 3)] * 40
    clock = [datetime.time(0, 1)] * 40
    spans = [datetime.timedelta(minutes=2)] * 40
    table = pa.table(
        {"x": np.arange(40), "t": stamps, "d": days, "c": clock, "s": spans, "y": [0, 1] * 20}
    )
    pq.write_table(table, "t.parquet")

    folder, _, _ = imported("t.parquet", name="epoch", datetime="epoch")
    made = columns_of(folder / "train.parquet")
    assert [made[name][0] for name in "tdcs"] == [86_400, 172_800, 60, 120]

    _, manifest, _ = imported("t.parquet", name="dropped", datetime="drop")
    assert manifest.n_features == 1
    assert manifest.dropped["d"] == "a time (date32[day]), and the card says `datetime: drop`"


def test_times_in_csv_are_times() -> None:
    Path("t.csv").write_text("t,y\n" + "2020-01-01 00:00:00,0\n2021-06-01,1\n" * 10)

    assert "columns hold times: t (timestamp[us])" in refused("t.csv")[0]


def test_values_that_do_not_fit_become_missing_on_request() -> None:
    pq.write_table(
        pa.table({"x": [np.inf, 1e300, -np.inf, 1.0] * 10, "y": [0, 1] * 20}), "t.parquet"
    )

    folder, _, _ = imported("t.parquet", nonfinite="nan")

    made = columns_of(folder / "train.parquet")["x"]
    assert set(made[~np.isnan(made)]) == {1.0}


def test_rounded_whole_numbers_are_said() -> None:
    pq.write_table(pa.table({"id": np.arange(2**24, 2**24 + 100), "y": [0, 1] * 50}), "t.parquet")

    said = imported("t.parquet")[2]

    assert any("t.parquet: column 'id': 50 values had more digits" in line for line in said)


def test_text_that_may_name_rows_is_said() -> None:
    names = [f"user-{i}" for i in range(1_500)]
    pq.write_table(pa.table({"user": names, "x": np.arange(1_500), "y": [0, 1] * 750}), "t.parquet")

    said = imported("t.parquet")[2]

    assert any("text column 'user' has 1,200 categories" in line for line in said)
    named = imported("t.parquet", name="named", categorical=("user",))[2]
    assert not any("categories" in line for line in named)


def test_rows_without_a_label_can_be_left_out() -> None:
    pq.write_table(pa.table({"x": np.arange(100), "y": [0, 1, None, 1] * 25}), "t.parquet")

    folder, manifest, said = imported("t.parquet", missing_target="drop")

    assert manifest.train_rows + manifest.test_rows == 75
    assert "left out 25 rows without a label" in said
    rows = [columns_of(folder / part)["x"] for part in ("train.parquet", "test.parquet")]
    assert not (np.concatenate(rows) % 4 == 2).any()


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


def test_names_that_libraries_choke_on_are_kept() -> None:
    names = ["a[0]", "a<1", "a:b", "a,b", 'a"b', "", "a.b", "ä"]
    columns = {name: np.arange(40.0) + i for i, name in enumerate(names)}
    pq.write_table(pa.table({**columns, "y": [0, 1] * 20}), "t.parquet")

    folder, manifest, _ = imported("t.parquet")

    assert [f.name for f in manifest.features] == names
    assert list(columns_of(folder / "train.parquet")) == [*names, "__target__"]


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


def test_the_card_makes_the_same_set_again() -> None:
    csv.write_csv(mixed_table(), "my data.csv")
    folder, manifest, _ = imported(
        "my data.csv", drop=("flag",), seed=3, title="Mine", licence="own"
    )

    card_file = find_card("my-data")

    assert card_file.made_folder == folder
    assert (manifest.title, manifest.licence) == ("Mine", "own")
    assert card_file.card.source.model_dump()["path"] == "my data.csv"
    assert "flag" in manifest.dropped
    assert (
        Path("datasets/my-data.yaml").read_text().startswith("# Written by `treebench data import`")
    )


def test_a_file_elsewhere_is_named_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    csv.write_csv(mixed_table(), "far.csv")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    imported("../far.csv")

    assert find_card("far").card.source.model_dump()["path"] == str(tmp_path / "far.csv")


# ---------------------------------------------------------------------------- what is refused


def test_names_that_repeat_are_named() -> None:
    arrays = [pa.array([1, 2]), pa.array([1, 2]), pa.array([0, 1])]
    pq.write_table(pa.Table.from_arrays(arrays, names=["a", "a", "y"]), "t.parquet")
    Path("t.csv").write_text("a,y,a,b,b,a\n1,0,1,1,1,1\n1,1,1,1,1,1\n")

    assert refused("t.parquet") == [
        "t.parquet: columns with the same name: 'a' (2 times); rename them in the file"
    ]
    assert refused("t.csv") == [
        "t.csv: columns with the same name: 'a' (3 times), 'b' (2 times); rename them in the file"
    ]


def test_all_problems_are_said_together() -> None:
    table = pa.table(
        {
            "ok": np.arange(40.0),
            "inf": [np.inf, -np.inf, 1e300, 1.0] * 10,
            "when": [datetime.date(2020, 1, 1)] * 40,
            "dec": [decimal.Decimal("1.5")] * 40,
            "list": [[1]] * 40,
            "struct": [{"a": 1}] * 40,
            "bin": [b"x"] * 40,
            "y": [0.0, 1.0, None, float("nan")] * 10,
        }
    )
    pq.write_table(table, "t.parquet")

    assert refused("t.parquet", drop=("gone",), categorical=("oks",)) == [
        "t.parquet: `drop` names 'gone', which is no column; there are: ok, inf, when, dec, list, "
        "struct, bin, y",
        "t.parquet: `categorical` names 'oks', which is no column; did you mean 'ok'?",
        "t.parquet: columns hold times: when (date32[day]); `datetime: epoch` (`--datetime epoch`) "
        "makes them seconds since 1970, `datetime: drop` leaves them out",
        "t.parquet: columns of types that trees cannot be trained on: dec (decimal128(2, 1)), "
        "list (list<element: int64>), struct (struct<a: int64>), bin (binary); leave them out "
        "(`drop:`, `--drop`), or turn them into numbers or text in the file",
        "t.parquet: the target 'y' is missing in 20 of 40 rows; fill them in, or say "
        "`missing: drop` under `target:` (`--missing-target drop`)",
        "t.parquet: column 'inf' has 20 infinite values and 10 values beyond ±3.4e38, which "
        "float32 cannot hold (first in row 1); `nonfinite: nan` (`--nonfinite nan`) makes such "
        "values missing",
    ]


def test_infinite_values_alone_are_refused_too() -> None:
    values = np.arange(400.0)
    values[37] = 1e39
    pq.write_table(pa.table({"x": values, "y": [0, 1] * 200}), "t.parquet")

    (line,) = refused("t.parquet")

    assert (
        "column 'x' has 1 value beyond ±3.4e38, which float32 cannot hold (first in row 38)" in line
    )


@pytest.mark.parametrize(
    ("labels", "options", "line"),
    [
        ([1] * 40, {}, "has one class only, '1'; there is nothing to learn"),
        ([None] * 40, {"task": "binary"}, "is missing in all 40 rows; name another column"),
        ([0, 1, 2, 3] * 10, {"task": "binary"}, "has 4 classes ('0', '1', '2', '3'); say `task:"),
        ([0, 1] * 20, {"task": "multiclass"}, "has two classes; say `task: binary`"),
        (["a", "b"] * 20, {"task": "regression"}, "is text; `task: regression` needs numbers"),
        (
            [np.inf, 1.0] * 20,
            {"task": "regression"},
            "is infinite, or beyond what float32 holds, in 20",
        ),
        ([[1]] * 40, {}, "is list<element: int64>, and labels must be numbers"),
        ([], {"task": "binary"}, "there are no rows"),
        ([0] * 20 + [1] * 20, {"test_share": 0.001}, "the test part holds one class only, "),
        ([0, 1], {"test_share": 0.5}, "classes that the training part lacks"),
    ],
)
def test_labels_that_cannot_be_learnt_are_refused(
    labels: list[Any], options: dict[str, Any], line: str
) -> None:
    kind = None if labels else pa.int64()
    table = pa.table({"x": np.arange(len(labels)), "y": pa.array(labels, kind)})
    pq.write_table(table, "t.parquet")

    assert line in "\n".join(refused("t.parquet", **options))


def test_a_class_that_training_lacks_is_refused() -> None:
    pq.write_table(pa.table({"x": np.arange(20), "y": ["a", "b"] * 10}), "train.parquet")
    pq.write_table(pa.table({"x": np.arange(6), "y": ["a", "b", "c"] * 2}), "test.parquet")

    assert refused("train.parquet", test=Path("test.parquet"), task="multiclass") == [
        "train.parquet: classes that the training part lacks: 'c' (2 rows in the test part); "
        "remove their rows, or split otherwise"
    ]


def test_a_target_that_is_not_there_suggests_one() -> None:
    pq.write_table(pa.table({"x": np.arange(20), "label": [0, 1] * 10}), "t.parquet")

    assert refused("t.parquet", "Lable") == [
        "t.parquet: the target 'Lable' is no column; did you mean 'label'?"
    ]
    assert refused("t.parquet", "zzz", task="binary") == [
        "t.parquet: the target 'zzz' is no column; there are: x, label"
    ]


def test_a_reserved_name_and_no_features_are_refused() -> None:
    pq.write_table(pa.table({"__target__": np.arange(20), "y": [0, 1] * 10}), "t.parquet")
    pq.write_table(pa.table({"x": np.arange(20), "y": [0, 1] * 10}), "u.parquet")

    assert "a column is called '__target__'" in refused("t.parquet")[0]
    assert "no column is left to be a feature" in refused("u.parquet", drop=("x",))[0]


def test_files_that_disagree_are_listed() -> None:
    Path("many").mkdir()
    base = {"n": [1] * 10, "s": ["k"] * 10, "y": [0, 1] * 5}
    pq.write_table(pa.table(base), "many/a.parquet")
    pq.write_table(pa.table({**base, "n": [0.5] * 10, "late": [1] * 10}), "many/b.parquet")
    pq.write_table(pa.table({"n": [1] * 10, "y": [0, 1] * 5}), "many/c.parquet")

    assert refused("many") == [
        "many/b.parquet: column 'late' is not in many/a.parquet",
        "many/b.parquet: column 'n' is double, in many/a.parquet it is int64; write both alike",
        "many/c.parquet: column 's' is missing, many/a.parquet has it",
    ]


def test_folders_that_disagree_are_listed() -> None:
    for folder in ("many/k=1", "many/other=2"):
        Path(folder).mkdir(parents=True)
        pq.write_table(pa.table({"y": [0, 1], "k": [1, 2]}), f"{folder}/a.parquet")

    lines = refused("many")

    assert (
        "its folders name the columns ['other'], those of many/k=1/a.parquet name ['k']" in lines[0]
    )
    assert lines[1] == (
        "many: column 'k' is in the files and in the folders' names; rename one of them"
    )


def test_damaged_files_are_named() -> None:
    Path("many").mkdir()
    pq.write_table(mixed_table(), "many/a.parquet")
    whole = Path("many/a.parquet").read_bytes()
    Path("many/b.parquet").write_bytes(b"")
    Path("many/c.parquet").write_bytes(whole[:-50])
    Path("many/d.parquet").write_bytes(whole[:100])

    lines = refused("many")

    assert [line.split(" is ")[0] for line in lines] == [f"many/{name}.parquet" for name in "bcd"]
    assert lines[0].endswith("is empty (0 bytes); remove it or write it again")
    assert "is not a whole Parquet file" in lines[1]


def test_a_file_damaged_within_is_named() -> None:
    pq.write_table(mixed_table(5_000), "t.parquet", compression="snappy")
    broken = bytearray(Path("t.parquet").read_bytes())
    broken[4:2_000] = b"\xff" * 1_996
    Path("t.parquet").write_bytes(broken)

    assert "t.parquet is not a whole Parquet file" in refused("t.parquet")[0]


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.svm"])
def test_an_empty_file_and_an_empty_folder_are_named(name: str) -> None:
    Path(name).touch()
    Path("empty").mkdir()
    Path("empty/.hidden").touch()
    target = None if name == "t.svm" else "y"

    assert refused(name, target)[0].startswith(f"{name} is empty (0 bytes)")
    assert refused("empty") == [
        "empty is a folder without data files; give a folder that holds some"
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,y\n1,0\n3,4,1\n", "t.csv cannot be read as CSV (CSV parse error"),
        ("a,y\n", "there are no rows"),
        ("\xff\xfe,y\n1,0\n2,1\n", "t.csv is not UTF-8 text; save it as UTF-8"),
        ("a,y\n\xff,0\n2,1\n", "t.csv cannot be read as CSV"),
    ],
)
def test_a_csv_that_is_none_is_refused(text: str, line: str) -> None:
    Path("t.csv").write_text(text, encoding="latin-1")

    assert line in "\n".join(refused("t.csv"))


@pytest.mark.parametrize("text", ["1 2:1 1:5\n", "1 a:b\n", "label\n", "1 1:1 1:2\n"])
def test_text_that_is_no_svmlight_is_refused(text: str) -> None:
    Path("t.svm").write_text(text)

    assert "t.svm is not svmlight" in refused("t.svm", None, task="binary")[0]


def test_svmlight_values_and_labels_are_checked_together() -> None:
    Path("t.svm").write_text("1 1:inf\n1 1:1e300\n" * 5)

    assert refused("t.svm", None) == [
        "t.svm: the target 'target' has one class only, '1'; there is nothing to learn",
        "t.svm: 10 values are infinite or beyond ±3.4e38, which float32 cannot hold; "
        "`nonfinite: nan` (`--nonfinite nan`) makes such values missing",
    ]


def test_a_test_file_must_have_the_same_columns() -> None:
    pq.write_table(pa.table({"a": [1] * 10, "b": ["x"] * 10, "y": [0, 1] * 5}), "train.parquet")
    pq.write_table(pa.table({"b": [1] * 10, "c": [1] * 10, "y": [0, 1] * 5}), "test.parquet")

    assert refused("train.parquet", test=Path("test.parquet")) == [
        "test.parquet: column 'a' is missing, the training file has it",
        "test.parquet: column 'b' is int64, in the training file string; write both alike",
        "test.parquet: columns that the training file lacks: c; remove them",
    ]


@pytest.mark.parametrize(
    ("path", "options", "line"),
    [
        ("gone.csv", {}, "gone.csv does not exist"),
        ("t.csv", {"name": "../up"}, "--name is '../up'; allowed: small letters"),
        ("t.csv", {"test": Path("gone.csv")}, "gone.csv (--test) does not exist"),
        (
            "t.csv",
            {"test": Path("t.csv"), "test_share": 0.1},
            "--test and --test-share are two ways",
        ),
        ("t.csv", {"test_share": 1.5}, "`split.test_share` is 1.5; allowed: less than 1"),
        ("t.xlsx", {}, "t.xlsx: its name does not tell a format; say --format"),
        ("t.svm.gz", {}, "t.svm.gz: its name does not tell a format"),
        ("both", {}, "both holds files of several formats"),
        ("t.csv", {"target": None}, "t.csv: say which column is the label, with --target COLUMN"),
        ("t.svm", {}, "t.svm: svmlight has its label first in each row; leave out --target"),
        ("t.csv", {"delimiter": ";;"}, "`source.delimiter` is ';;'"),
    ],
)
def test_requests_that_cannot_be_met(path: str, options: dict[str, Any], line: str) -> None:
    Path("both").mkdir()
    for name in ("t.csv", "t.xlsx", "t.svm.gz", "t.svm", "both/a.csv", "both/b.parquet"):
        Path(name).write_text("x,y\n1,0\n2,1\n")

    target = options.pop("target", "y")
    assert line in "\n".join(refused(path, target, task="binary", **options))


def test_a_card_is_not_overwritten_without_force() -> None:
    csv.write_csv(mixed_table(), "t.csv")
    imported("t.csv")
    before = Path("datasets/t.yaml").read_text()

    with pytest.raises(
        DataError, match=r"datasets/t\.yaml exists; choose another --name, or replace"
    ):
        imported("t.csv", drop=("flag",))
    assert Path("datasets/t.yaml").read_text() == before

    imported("t.csv", drop=("flag",), force=True)
    assert "flag" in Path("datasets/t.yaml").read_text()


def test_a_file_that_changed_since_is_refused() -> None:
    csv.write_csv(mixed_table(), "t.csv")
    folder, _, _ = imported("t.csv")
    with Path("t.csv").open("a") as file:
        file.write("1,1,red,true,1,,1\n")
    os.rename(folder, "elsewhere")

    from treebench.data.making.make import make

    with pytest.raises(
        DataError, match=r"t\.csv is not what the card describes .*; put the file back"
    ):
        make("t")


@pytest.mark.parametrize("suffix", ["gz", "bz2"])
def test_a_packed_csv_is_read(suffix: str) -> None:
    import bz2
    import gzip

    csv.write_csv(mixed_table(), "plain.csv")
    pack = gzip.compress if suffix == "gz" else bz2.compress
    Path(f"packed.csv.{suffix}").write_bytes(pack(Path("plain.csv").read_bytes()))

    hashes = {imported(path)[1].content_sha256 for path in ("plain.csv", f"packed.csv.{suffix}")}

    assert len(hashes) == 1
