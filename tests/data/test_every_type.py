"""Every type that pyarrow can write to Parquet, as a feature and as the label: it becomes the
values that it stands for, or is refused by a line that names it."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.imports import imported, refused
from tests.data.making import columns_of

ROWS = 40
NAN = float("nan")
DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 12, 30, 15)
SECONDS = 1_709_209_815.0
FIRST, LAST = datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)
LIST = pa.list_(pa.int8())


def typed(kind: pa.DataType, *values: Any) -> pa.Array:
    return pa.array([values[row % len(values)] for row in range(ROWS)], kind)


def coded(kind: pa.DataType, *values: Any) -> pa.Array:
    """The same as codes; `None` has none, as pandas writes it."""
    known = [value for value in values if value is not None]
    codes = [known.index(value) if value in known else None for value in values]
    indices = pa.array([codes[row % len(codes)] for row in range(ROWS)], pa.int8())
    return pa.DictionaryArray.from_arrays(indices, pa.array(known, kind))


NUMBERS: dict[str, tuple[pa.Array, list[float]]] = {
    "null": (typed(pa.null(), None), [NAN]),
    "bool": (typed(pa.bool_(), True, None, False), [1, NAN, 0]),
    "int8": (typed(pa.int8(), -128, None, 127), [-128, NAN, 127]),
    "int16": (typed(pa.int16(), -(2**15), 2**15 - 1), [-(2**15), 2**15 - 1]),
    "int32": (typed(pa.int32(), -(2**31), 5), [-(2.0**31), 5]),
    "int64": (typed(pa.int64(), -(2**63), 2**53 + 1), [-(2.0**63), 2.0**53]),
    "uint8": (typed(pa.uint8(), 0, 255), [0, 255]),
    "uint16": (typed(pa.uint16(), 65_535, None), [65_535, NAN]),
    "uint32": (typed(pa.uint32(), 2**32 - 1, 0), [2.0**32, 0]),
    "uint64": (typed(pa.uint64(), 2**64 - 1, 2**53 + 1), [2.0**64, 2.0**53]),
    "float16": (typed(pa.float16(), np.float16(0.5), None, np.float16(NAN)), [0.5, NAN, NAN]),
    "float32": (typed(pa.float32(), 1.5, NAN, -0.0), [1.5, NAN, 0]),
    "float64": (typed(pa.float64(), 1e-320, 3.4e38), [0, float(np.float32(3.4e38))]),
    # Of dictionaries, those of text alone come back as such.
    "dictionary of int64": (coded(pa.int64(), 10, 9, -1), [10, 9, -1]),
    "dictionary of uint64": (coded(pa.uint64(), 2**64 - 1, 1), [2.0**64, 1]),
    "dictionary of int8": (coded(pa.int8(), 10, None, 9), [10, NAN, 9]),
    "dictionary of float64": (coded(pa.float64(), 2.5, None, 1.0), [2.5, NAN, 1]),
    "dictionary of float32": (coded(pa.float32(), 2.5, 1.0), [2.5, 1]),
    "dictionary of float16": (coded(pa.float16(), np.float16(2.5), np.float16(1)), [2.5, 1]),
    "dictionary of bool": (coded(pa.bool_(), True, False), [1, 0]),
}
CATEGORIES: dict[str, tuple[pa.Array, list[float]]] = {
    "string": (typed(pa.string(), "b", None, "a"), [1, NAN, 0]),
    "large_string": (typed(pa.large_string(), "b", "", "a"), [2, 0, 1]),
    "string_view": (typed(pa.string_view(), "ß", "\U0001f333", "z"), [1, 2, 0]),
    "dictionary of text": (coded(pa.string(), "b", "a", None), [1, 0, NAN]),
    "dictionary of large text": (coded(pa.large_string(), "b", "a"), [1, 0]),
}
TIMES: dict[str, tuple[pa.Array, list[float]]] = {
    "date32": (typed(pa.date32(), DAY, None), [1_709_164_800, NAN]),
    "dictionary of dates": (coded(pa.date32(), DAY, None), [1_709_164_800, NAN]),
    "date64": (typed(pa.date64(), DAY), [1_709_164_800]),
    "time32 s": (typed(pa.time32("s"), datetime.time(1)), [3_600]),
    "time32 ms": (typed(pa.time32("ms"), datetime.time(0, 0, 1)), [1]),
    "time64 us": (typed(pa.time64("us"), datetime.time(0, 1), None), [60, NAN]),
    "time64 ns": (typed(pa.time64("ns"), datetime.time(23)), [82_800]),
    "timestamp s": (typed(pa.timestamp("s"), MOMENT, None), [SECONDS, NAN]),
    "timestamp ms": (typed(pa.timestamp("ms"), MOMENT), [SECONDS]),
    "timestamp us": (typed(pa.timestamp("us"), FIRST, LAST), [-62_135_596_800, 253_402_214_400]),
    "timestamp ns": (typed(pa.timestamp("ns"), MOMENT), [SECONDS]),
    "timestamp UTC": (typed(pa.timestamp("us", "UTC"), MOMENT), [SECONDS]),
    "timestamp Berlin": (typed(pa.timestamp("ns", "Europe/Berlin"), MOMENT), [SECONDS]),
    "timestamp +05:30": (typed(pa.timestamp("ms", "+05:30"), MOMENT), [SECONDS]),
    "timestamp nowhere": (typed(pa.timestamp("ms", "No/Where"), 1_709_209_815_000), [SECONDS]),
    "duration s": (typed(pa.duration("s"), 5, None), [5, NAN]),
    "duration ms": (typed(pa.duration("ms"), -1_500), [-1.5]),
    "duration us": (typed(pa.duration("us"), 2**62), [2.0**62 / 1e6]),
    "duration ns": (typed(pa.duration("ns"), 10**9), [1]),
}
REFUSED: dict[str, pa.Array] = {
    "decimal32": typed(pa.decimal32(5, 2), decimal.Decimal("1.25")),
    "decimal64": typed(pa.decimal64(12, 2), decimal.Decimal("1.25")),
    "decimal128": typed(pa.decimal128(38, 0), decimal.Decimal(10**37), None),
    "decimal256": typed(pa.decimal256(60, 2), decimal.Decimal("1.25")),
    "binary": typed(pa.binary(), b"\xff", None),
    "large_binary": typed(pa.large_binary(), b"a", b""),
    "binary_view": typed(pa.binary_view(), b"a"),
    "fixed binary": typed(pa.binary(3), b"abc"),
    "list": typed(LIST, [1, 2], [], None),
    "large_list": typed(pa.large_list(pa.string()), ["a"]),
    "fixed list": typed(pa.list_(pa.float32(), 2), [1.0, 2.0]),
    "struct": typed(pa.struct([("a", pa.int8()), ("b", LIST)]), {"a": 1, "b": [1]}),
    "map": typed(pa.map_(pa.string(), pa.int8()), [("k", 1)], []),
    "list of structs": typed(pa.list_(pa.struct([("a", LIST)])), [{"a": [1]}]),
    "dictionary of binary": coded(pa.binary(), b"a", b"b"),
    "dictionary of decimals": coded(pa.decimal128(3, 1), decimal.Decimal("1.5")),
    "uuid": pa.ExtensionArray.from_storage(pa.uuid(), typed(pa.binary(16), b"0123456789abcdef")),
    "json": pa.ExtensionArray.from_storage(pa.json_(), typed(pa.string(), "{}")),
    "bool8": pa.ExtensionArray.from_storage(pa.bool8(), typed(pa.int8(), 1, 0)),
}
EVERY = {
    **{name: column for name, (column, _) in (NUMBERS | CATEGORIES | TIMES).items()},
    **REFUSED,
}
UNWRITABLE = {"dictionary of float16"}
"""What this pyarrow may not be able to write; later ones do."""


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREEBENCH_CACHE", raising=False)


def write(name: str, table: pa.Table) -> None:
    try:
        pq.write_table(table, "t.parquet")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        if name not in UNWRITABLE:
            raise
        pytest.skip("this pyarrow does not write it")


def feature(name: str) -> None:
    y = np.arange(ROWS) // (ROWS // 2)
    write(name, pa.table({"x": EVERY[name], "row": np.arange(ROWS), "y": y}))


def made_values(**options: Any) -> tuple[np.ndarray[Any, Any], Any]:
    """The column `x` of the made set in the order of the file, and its place in the manifest."""
    folder, manifest, _ = imported("t.parquet", **options)
    parts = [columns_of(folder / part) for part in ("train.parquet", "test.parquet")]
    x, row = (np.concatenate([part[name] for part in parts]) for name in ("x", "row"))
    return x[np.argsort(row)], manifest.features[0]


def repeated(values: list[float]) -> np.ndarray[Any, Any]:
    return np.array([values[row % len(values)] for row in range(ROWS)], dtype=np.float32)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_its_value(name: str) -> None:
    feature(name)
    made, known = made_values()
    np.testing.assert_array_equal(made, repeated(NUMBERS[name][1]))
    assert known.cardinality is None


@pytest.mark.parametrize("name", CATEGORIES)
def test_a_category_is_the_rank_of_its_value(name: str) -> None:
    feature(name)
    made, known = made_values()
    ranks = CATEGORIES[name][1]
    np.testing.assert_array_equal(made, repeated(ranks))
    assert known.cardinality == sum(rank == rank for rank in ranks)


@pytest.mark.parametrize("name", TIMES)
def test_a_time_is_seconds_on_request_and_refused_without(name: str) -> None:
    feature(name)
    (said,) = refused("t.parquet")
    kind = pq.read_schema("t.parquet").field("x").type
    assert said.startswith(f"t.parquet: columns hold times: x ({kind}); `datetime: epoch`")
    made, _ = made_values(datetime="epoch")
    np.testing.assert_array_equal(made, repeated(TIMES[name][1]))


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_tree_is_trained_on_is_named_with_its_type(name: str) -> None:
    feature(name)
    (said,) = refused("t.parquet")
    assert said.startswith("t.parquet: columns of types that trees cannot be trained on: x (")
    assert said.endswith("or turn them into numbers or text in the file")
    made, _ = made_values_without_x()
    assert list(made) == ["row"]


def made_values_without_x() -> tuple[dict[str, Any], Any]:
    folder, manifest, _ = imported("t.parquet", drop=("x",))
    made = columns_of(folder / "train.parquet")
    made.pop("__target__")
    return made, manifest


LABELS: dict[str, tuple[str, ...]] = {
    "bool": ("false", "true"),
    "int8": ("-128", "127"),
    "int16": ("-32768", "32767"),
    "int32": ("-2147483648", "5"),
    "uint8": ("0", "255"),
    "uint16": ("65535",),
    "uint32": ("0", "4294967295"),
    "float16": ("0.5",),
    "float32": ("0", "1.5"),
    "float64": ("1e-320", "3.4e+38"),
    "string": ("a", "b"),
    "large_string": ("", "a", "b"),
    "string_view": ("z", "ß", "\U0001f333"),
    "dictionary of text": ("a", "b"),
    "dictionary of large text": ("a", "b"),
    "dictionary of int64": ("-1", "9", "10"),
    "dictionary of int8": ("9", "10"),
    "dictionary of float64": ("1", "2.5"),
    "dictionary of float32": ("1", "2.5"),
    "dictionary of float16": ("1", "2.5"),
    "dictionary of bool": ("false", "true"),
}
NO_LABELS = {
    "null": "is missing in all 40 rows; name another column",
    "dictionary of uint64": "has whole numbers of 2^53 or more, which cannot be told apart",
    "int64": "has whole numbers of 2^53 or more, which cannot be told apart as numbers; turn them",
    "uint64": "has whole numbers of 2^53 or more, which cannot be told apart as numbers; turn them",
}


@pytest.mark.parametrize("name", EVERY)
def test_a_label_is_its_class_or_is_refused(name: str) -> None:
    """Classes are in the order of their values; a missing label is left out when asked for."""
    column = EVERY[name]
    write(name, pa.table({"x": np.arange(ROWS), "y": column}))
    if name in LABELS and len(LABELS[name]) > 1:
        folder, manifest, _ = imported("t.parquet", missing_target="drop")
        assert manifest.classes == LABELS[name]
        assert manifest.task == ("binary" if len(LABELS[name]) == 2 else "multiclass")
        made = columns_of(folder / "train.parquet")
        expected = [written(column[int(row)].as_py()) for row in made["x"]]
        assert [manifest.classes[int(code)] for code in made["__target__"]] == expected
        return
    said = refused("t.parquet", missing_target="drop")
    one_class = "has one class only, "
    labels = "and labels must be numbers, truth values or text; name another column, or turn it"
    wanted = one_class if name in LABELS else NO_LABELS.get(name, labels)
    assert all(line.startswith("t.parquet: the target 'y' ") for line in said)
    assert any(wanted in line for line in said), said


def written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    number = isinstance(value, float | np.floating)
    return str(int(value)) if number and value == int(value) and abs(value) < 2**60 else str(value)
