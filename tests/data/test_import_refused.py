"""What cannot be imported is refused in full, and leaves nothing behind."""

from __future__ import annotations

import datetime
import decimal
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from tests.data.imports import imported, refused
from tests.data.making import mixed_table
from treebench.data.making.readers.parquet_file import _damaged
from treebench.errors import DataError


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)


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
        ([1] * 40, {}, "has one class only, '1', so there is nothing to"),
        ([None] * 40, {"task": "binary"}, "is missing in all 40 rows; name another column"),
        ([0, 1, 2, 3] * 10, {"task": "binary"}, "has 4 classes ('0', '1', '2', '3'); say `task:"),
        ([0, 1] * 20, {"task": "multiclass"}, "has two classes; say `task: binary`"),
        (["a", "b"] * 20, {"task": "regression"}, "is text; `task: regression` needs numbers"),
        (
            [np.inf, 1.0] * 20,
            {"task": "regression"},
            "is infinite, or beyond what float32 holds, in 20",
        ),
        ([2.5] * 40, {"task": "regression"}, "has one value only in the training part, 2.5; there"),
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
        "t.svm: the target 'target' has one class only, '1', so there is nothing to learn; name "
        "another column",
        "t.svm: 10 values are infinite or beyond ±3.4e38, which float32 cannot hold; "
        "`nonfinite: nan` (`--nonfinite nan`) makes such values missing",
    ]


def test_a_test_file_must_have_the_same_columns() -> None:
    pq.write_table(pa.table({"a": [1] * 10, "b": ["x"] * 10, "y": [0, 1] * 5}), "train.parquet")
    pq.write_table(pa.table({"b": [1] * 10, "c": [1] * 10, "y": [0, 1] * 5}), "test.parquet")

    assert refused("train.parquet", test=Path("test.parquet")) == [
        "test.parquet: column 'a' is missing, and the training file has it; add it",
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
        ("t.csv", {"test_share": 1.5}, "split.test_share is 1.5; it must be below 1"),
        ("t.xlsx", {}, "t.xlsx: its name does not tell a format; say --format"),
        ("t.svm.gz", {}, "t.svm.gz: its name does not tell a format"),
        ("both", {}, "both holds files of several formats"),
        ("t.csv", {"target": None}, "t.csv: say which column is the label, with --target COLUMN"),
        ("t.svm", {}, "t.svm: svmlight has its label first in each row; leave out --target"),
        ("t.csv", {"delimiter": ";;"}, "--delimiter is ';;'; allowed: one ASCII character that"),
        ("t.csv", {"delimiter": "é"}, "--delimiter is 'é'; allowed: one ASCII"),
        ("t.csv", {"delimiter": '"'}, "--delimiter is '\"'; allowed: one ASCII"),
        ("t.csv", {"delimiter": ""}, "--delimiter is ''; allowed: one ASCII"),
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


def test_classes_that_float64_would_merge_are_refused() -> None:
    """GIVEN whole numbers that are one as float64 THEN they are not made one class in silence."""
    labels = [2**53, 2**53 + 1, 0] * 20
    pq.write_table(pa.table({"a": list(range(60)), "y": labels}), "big.parquet")
    assert refused("big.parquet") == [
        "big.parquet: the target 'y' has whole numbers of 2^53 or more, which cannot be told apart "
        "as numbers; turn them into text in the file"
    ]


def test_text_in_views_is_categorical_as_other_text() -> None:
    text = pa.array(["a", "b", None] * 20).cast(pa.string_view())
    pq.write_table(pa.table({"a": text, "y": [0, 1, 0] * 20}), "view.parquet")
    _, manifest, _ = imported("view.parquet")
    assert manifest.features[0].cardinality == 2


@pytest.mark.parametrize("raw", [b"no json", b"[]", b'{"index_columns": 5}', b"\xff", b"{}"])
def test_metadata_that_pandas_did_not_write_says_nothing(raw: bytes) -> None:
    table = pa.table({"a": list(range(60)), "y": [0, 1] * 30})
    pq.write_table(table.replace_schema_metadata({b"pandas": raw}), "odd.parquet")
    assert imported("odd.parquet")[1].n_features == 1


def test_an_encrypted_file_is_called_that() -> None:
    error = OSError("Could not read encrypted metadata, no decryption found")
    assert "is encrypted" in _damaged(Path("x"), error)
    assert "mend its rights" in _damaged(Path("x"), PermissionError(13, "Permission denied"))


def test_a_name_that_is_no_text_is_refused() -> None:
    name = Path(os.fsdecode(b"sur\xff.csv"))
    name.write_text("x,y\n1,0\n2,1\n")
    assert "its name is not UTF-8, so no card can hold it; rename it" in refused(str(name))[0]
