"""What becomes of values, labels and names of a file of one's own."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from tests.data.imports import imported, refused
from tests.data.making import columns_of, mixed_table
from treebench.data.cards import find_card


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)


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


def test_names_that_libraries_choke_on_are_kept() -> None:
    names = ["a[0]", "a<1", "a:b", "a,b", 'a"b', "", "a.b", "ä"]
    columns = {name: np.arange(40.0) + i for i, name in enumerate(names)}
    pq.write_table(pa.table({**columns, "y": [0, 1] * 20}), "t.parquet")

    folder, manifest, _ = imported("t.parquet")

    assert [f.name for f in manifest.features] == names
    assert list(columns_of(folder / "train.parquet")) == [*names, "__target__"]


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
