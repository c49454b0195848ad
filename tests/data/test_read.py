"""What reading refuses, and what it costs in memory."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from tests.data.made_parquet import (
    labels,
    made_facts,
    write_lists,
    write_sparse_rows,
    write_table,
    write_wide,
)
from treebench.data.manifest import LAYOUTS, Layout
from treebench.data.reading import dense
from treebench.data.reading.read import read_part, release_memory
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TABLE = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
INDICES, VALUES = pa.list_(pa.int32()), pa.list_(pa.float32())


def refusal(path: Path, layout: Layout = "csr", **options: Any) -> str:
    """The one line that says why; it names the file."""
    with pytest.raises(DataError) as caught:
        read_part(path, layout, **options)
    (line,) = caught.value.problems
    assert "\n" not in line
    assert str(path) in line
    return line


def changed_facts(**facts: str | None) -> dict[str, str]:
    whole = {**made_facts("wide", TABLE), **{f"treebench.{k}": v for k, v in facts.items()}}
    return {key: value for key, value in whole.items() if value is not None}


def wide_table(types: dict[str, Any] | None = None, nullable: bool = False) -> Any:
    """The columns f0, f1, f2 and the target, some of other types."""
    types = {"f0": pa.float32(), "f1": pa.float32(), "f2": pa.float32(), **(types or {})}
    fields = [pa.field(name, kind, nullable=nullable) for name, kind in types.items()]
    columns = [pa.array(TABLE[:, j % 3]).cast(f.type) for j, f in enumerate(fields)]
    schema = pa.schema([*fields, pa.field("__target__", pa.float32())])
    return pa.Table.from_arrays([*columns, labels(len(TABLE))], schema=schema)


# ------------------------------------------------------------------ the file


def test_missing(tmp_path: Path) -> None:
    assert "make it with `treebench data make`" in refusal(tmp_path / "train.parquet")


def test_a_folder(tmp_path: Path) -> None:
    assert "cannot be read as Parquet" in refusal(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no Parquet at all, but long enough to ask"])
def test_not_parquet(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "train.parquet"
    path.write_bytes(content)
    line = refusal(path)
    assert "cannot be read as Parquet" in line
    assert "delete its folder and make the data set again" in line


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_cut_off(tmp_path: Path, kept: float) -> None:
    path = write_wide(tmp_path / "train.parquet", TABLE)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    assert "cannot be read as Parquet" in refusal(path)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("writer", [write_wide, write_sparse_rows])
def test_overwritten_inside(tmp_path: Path, layout: Layout, writer: Callable[..., Path]) -> None:
    # GIVEN a file whose footer is whole and whose pages are not
    path = writer(tmp_path / "train.parquet", np.ones((500, 3), np.float32), group_rows=100)
    content = bytearray(path.read_bytes())
    content[4:200] = b"\xff" * 196
    path.write_bytes(content)
    assert "cannot be read as Parquet" in refusal(path, layout)


# ------------------------------------------------------------------ its metadata and schema


def test_without_our_metadata(tmp_path: Path) -> None:
    path = write_table(tmp_path / "mine.parquet", wide_table(), {})
    assert "treebench data import" in refusal(path)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"storage": "tall"}, "unknown storage 'tall'"),
        ({"width": None}, "lacks treebench.width"),
        ({"stored_entries": None}, "lacks treebench.stored_entries"),
        ({"width": "three"}, "metadata that cannot be read"),
        ({"stored_entries": "[1, 2"}, "metadata that cannot be read"),
        ({"stored_entries": "[1, null, 2]"}, "metadata that cannot be read"),
        ({"stored_entries": "[4, 4]"}, "counts entries of 2 columns for a width of 3"),
        ({"stored_entries": "[4, 4, 5]"}, "counts more entries in a column than its 4 rows"),
        ({"stored_entries": "[4, 4, -1]"}, "counts more entries"),
        ({"width": "0", "stored_entries": "[]"}, "counts entries of 0 columns"),
        ({"width": "2", "stored_entries": "[4, 4]"}, "has 4 columns, not 2 features"),
    ],
)
def test_damaged_metadata(tmp_path: Path, facts: dict[str, str | None], said: str) -> None:
    path = write_table(tmp_path / "train.parquet", wide_table(), changed_facts(**facts))
    assert said in refusal(path)


@pytest.mark.parametrize("kind", [pa.float64(), pa.int32(), pa.string()])
def test_wide_of_another_type(tmp_path: Path, kind: Any) -> None:
    path = write_table(tmp_path / "a.parquet", wide_table({"f1": kind}), changed_facts())
    assert f"must hold float32 alone: 'f1' is {kind}" in refusal(path)


def test_many_wrong_columns_are_counted(tmp_path: Path) -> None:
    types = {f"f{j}": pa.float64() for j in range(5)}
    facts = changed_facts(width="5", stored_entries="[4, 4, 4, 4, 4]")
    line = refusal(write_table(tmp_path / "a.parquet", wide_table(types), facts))
    assert "'f0' is double, 'f1' is double, 'f2' is double and 2 more" in line


def test_without_a_target(tmp_path: Path) -> None:
    table = wide_table().rename_columns(["f0", "f1", "f2", "y"])
    path = write_table(tmp_path / "a.parquet", table, changed_facts())
    assert "not 3 features and __target__ last" in refusal(path)


def test_columns_of_the_same_name(tmp_path: Path) -> None:
    table = wide_table().rename_columns(["f0", "f1", "f1", "__target__"])
    path = write_table(tmp_path / "a.parquet", table, changed_facts())
    assert "several columns of the same name" in refusal(path)


def test_sparse_rows_with_other_columns(tmp_path: Path) -> None:
    facts = changed_facts(storage="sparse-rows")
    path = write_table(tmp_path / "a.parquet", wide_table(), facts)
    assert "has the columns f0, f1, f2 and 1 more, not indices" in refusal(path)


@pytest.mark.parametrize(
    ("indices", "values", "said"),
    [
        (pa.list_(pa.int64()), VALUES, "'indices' is list<element: int64>"),
        (INDICES, pa.list_(pa.float64()), "'values' is list<element: double>"),
        (pa.large_list(pa.int32()), VALUES, "'indices' is large_list"),
    ],
)
def test_sparse_rows_of_another_type(tmp_path: Path, indices: Any, values: Any, said: str) -> None:
    lists = pa.array([[1], [2]], indices), pa.array([[1], [2]], values)
    line = refusal(write_lists(tmp_path / "a.parquet", *lists, sparse_facts()))
    assert "wrong type" in line
    assert said in line


# ------------------------------------------------------------------ its rows


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nulls_in_a_wide_column(tmp_path: Path, layout: Layout) -> None:
    table = wide_table(nullable=True)
    nulls = pa.array([1, None, 3, 4], pa.float32())
    table = table.set_column(1, pa.field("f1", pa.float32()), nulls)
    path = write_table(tmp_path / "a.parquet", table, changed_facts())
    assert "has nulls in column 'f1', where a missing number is NaN" in refusal(path, layout)


def test_nullable_columns_without_nulls_are_read(tmp_path: Path) -> None:
    path = write_table(tmp_path / "a.parquet", wide_table(nullable=True), changed_facts())
    np.testing.assert_array_equal(read_part(path, "dense-c").X, TABLE)


def test_null_labels(tmp_path: Path) -> None:
    table = wide_table().set_column(3, "__target__", pa.array([0, 1, None, 1], pa.float32()))
    path = write_table(tmp_path / "a.parquet", table, changed_facts())
    assert "has nulls in column '__target__'" in refusal(path)


def sparse_facts(stored: str = "[1, 1, 1]") -> dict[str, str]:
    return changed_facts(storage="sparse-rows", stored_entries=stored)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("indices", "values", "said"),
    [
        ([[0], None, [1, 2]], [[1], [], [1, 2]], "nulls in column 'indices'"),
        ([[0], [], [1, None]], [[1], [], [1, 2]], "nulls in column 'indices'"),
        ([[0], [], [1, 2]], [[1], [], [None, 2]], "nulls in column 'values'"),
        ([[0], [], [1, 2]], [[1], [7], [1, 2]], "unequal numbers of indices and values"),
        ([[0, 1], [2], []], [[1], [7, 8], []], "unequal numbers of indices and values"),
        ([[0], [], [1, 3]], [[1], [], [1, 2]], "an index outside its width of 3"),
        ([[0], [], [-1, 2]], [[1], [], [1, 2]], "an index outside its width of 3"),
        ([[0], [], [2, 1]], [[1], [], [1, 2]], "a row whose indices do not ascend"),
        ([[0], [], [2, 2]], [[1], [], [1, 2]], "a row whose indices do not ascend"),
        ([[0], [], [1, 2]], [[1], [], [0, 2]], "stores a zero"),
    ],
)
def test_damaged_sparse_rows(
    tmp_path: Path, layout: Layout, indices: Any, values: Any, said: str
) -> None:
    lists = pa.array(indices, INDICES), pa.array(values, VALUES)
    assert said in refusal(write_lists(tmp_path / "a.parquet", *lists, sparse_facts()), layout)


def test_rows_may_each_begin_anew(tmp_path: Path) -> None:
    # Between rows an index may fall, also across rows without an entry.
    lists = (
        pa.array([[], [2], [], [], [1], [0], []], INDICES),
        pa.array([[], [5], [], [], [6], [7], []], VALUES),
    )
    X: Any = read_part(write_lists(tmp_path / "a.parquet", *lists, sparse_facts()), "csr").X
    assert X.indices.tolist() == [2, 1, 0]
    assert X.indptr.tolist() == [0, 0, 1, 1, 1, 2, 3, 3]


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("writer", [write_wide, write_sparse_rows])
@pytest.mark.parametrize("many", [False, True], ids=["few stored", "many stored"])
@pytest.mark.parametrize("change", [-1, 1])
def test_miscounted_entries(
    tmp_path: Path, layout: Layout, writer: Callable[..., Path], many: bool, change: int
) -> None:
    # GIVEN a file that counts one entry more or less than it has, in its first column
    table = np.zeros((40, 3), np.float32)
    table[: 30 if many else 3] = 1
    path = writer(tmp_path / "right.parquet", table)
    import pyarrow.parquet as pq

    facts = {k.decode(): v.decode() for k, v in pq.read_metadata(path).metadata.items()}
    facts.pop("ARROW:schema")
    entries = int(np.count_nonzero(table[:, 0]))
    facts["treebench.stored_entries"] = f"[{entries + change}, {entries}, {entries}]"
    wrong = write_table(tmp_path / "wrong.parquet", pq.read_table(path), facts)
    assert "another number of entries than its metadata counts" in refusal(wrong, layout)


# ------------------------------------------------------------------ what is asked


@pytest.mark.parametrize("features", [0, -1, 4])
def test_features_that_are_not_there(tmp_path: Path, features: int) -> None:
    path = write_wide(tmp_path / "a.parquet", TABLE)
    line = refusal(path, features=features)
    assert line == f"features: {features} asked of {path}; it has 1 to 3"


def test_unknown_layout(tmp_path: Path) -> None:
    path = write_wide(tmp_path / "a.parquet", TABLE)
    unknown: Any = "dense"
    with pytest.raises(DataError, match="layout: 'dense' is not one of dense-c, dense-f, csr, csc"):
        read_part(path, unknown)


@pytest.mark.parametrize("layout", ["dense-c", "dense-f"])
def test_sparse_rows_too_wide_to_be_dense(
    tmp_path: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GIVEN 1 GiB available, and 3 rows of 100 million columns
    monkeypatch.setattr(dense, "available_memory_bytes", lambda: 1 << 30)
    table = np.zeros((3, 100), np.float32)
    path = write_sparse_rows(tmp_path / "a.parquet", table)
    monkeypatch.setattr(dense, "_SPARED_SHARE", 0.1)
    wide = dense.refuse_too_large
    monkeypatch.setattr(dense, "refuse_too_large", lambda rows, _, what: wide(rows, 10**8, what))
    line = refusal(path, layout)
    assert "as a dense matrix of 3 x 100000000 it takes 1.1 GiB, and 1.0 GiB are available" in line
    assert "use layout csr or csc, or fewer rows" in line


def test_memory_that_cannot_be_known_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "available_memory_bytes", lambda: 1)
    with pytest.raises(DataError):
        dense.refuse_too_large(10**9, 10**9, "anything")
    monkeypatch.setattr(dense, "available_memory_bytes", lambda: None)
    dense.refuse_too_large(10**9, 10**9, "anything")


# ------------------------------------------------------------------ what it costs


def test_release_memory_does_without_malloc_trim(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def without_trim(name: object) -> object:
        asked.append(name)
        return object()

    monkeypatch.setattr(ctypes, "CDLL", without_trim)
    release_memory()
    assert asked == [None]


GROWTH = """
import sys
from pathlib import Path
from treebench.data.matrix import matrix_bytes
from treebench.data.reading.read import read_part, release_memory

def status(name):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024

read_part(Path(sys.argv[1]), sys.argv[3])
release_memory()
before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
part = read_part(Path(sys.argv[2]), sys.argv[3])
peak = status("VmHWM") - before
release_memory()
print(matrix_bytes(part.X), peak, status("VmRSS") - before)
"""


def growth(small: Path, large: Path, layout: str) -> tuple[int, int, int]:
    """Bytes of the matrix, growth of the peak, growth left after release; warm, in a process."""
    command = [sys.executable, "-c", GROWTH, str(small), str(large), layout]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    matrix, peak, left = map(int, done.stdout.split())
    return matrix, peak, left


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """100 MiB of wide values none of which is 0, in five groups; and a small table."""
    folder = tmp_path_factory.mktemp("growth")
    rng = np.random.default_rng(1)
    table = rng.uniform(1, 2, (524_288, 50)).astype(np.float32)
    return {
        "small": write_wide(folder / "small.parquet", table[:100]),
        "large": write_wide(
            folder / "large.parquet", table, group_rows=104_858, compression="none"
        ),
    }


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_is_little_more_than_the_matrix(files: dict[str, Path], layout: Layout) -> None:
    matrix, peak, left = growth(files["small"], files["large"], layout)
    # THEN beside it there are pages of one group; another copy would be 100 MiB or more
    assert matrix >= 100 << 20
    assert matrix <= peak <= matrix + (48 << 20)
    assert left <= matrix + (16 << 20)
