"""Containers that are built a part at a time give the model of the whole matrix."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.trainers.problems import TASKS, labels, planned, problem, small, table, train
from tests.trainers.streamed import predictions_streamed, write
from treebench.data.manifest import LAYOUTS
from treebench.data.matrix import Part
from treebench.data.reading.onehot import one_hot
from treebench.data.reading.read import read_part
from treebench.data.reading.stream import RowStream
from treebench.errors import DataError
from treebench.trainers.effective import differences
from treebench.trainers.lightgbm_sequence import RowCursor
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.scratch import SCRATCH_VARIABLE
from treebench.trainers.support import Unsupported, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from treebench.data.manifest import Layout, Task

WHOLE = {"iterator": "quantile", "external": "quantile", "sequence": "dataset"}
OWNER = {"iterator": "xgboost", "external": "xgboost", "sequence": "lightgbm"}
DENSE: tuple[Layout, ...] = ("dense-c", "dense-f")
X = table(zeros=0.3)
X[::17, 3] = np.nan
each_container = pytest.mark.parametrize("container", WHOLE)


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample's own folder, as the supervisor names it."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv(SCRATCH_VARIABLE, str(folder))
    return folder


def layouts_of(container: str) -> tuple[Layout, ...]:
    return DENSE if container == "sequence" else LAYOUTS


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    ("container", "layout"), [(c, layout) for c in WHOLE for layout in layouts_of(c)]
)
def test_it_trains_the_model_of_the_whole_matrix(
    tmp_path: Path, scratch: Path, container: str, layout: Layout, task: Task
) -> None:
    name, y = OWNER[container], labels(X, task)
    path = write(tmp_path / "train.parquet", X, y)
    predicted, native, effective = predictions_streamed(
        name, small(container=container), path, task, layout
    )
    whole = train(name, small(container=WHOLE[container]), X, y, task, layout).predict()
    np.testing.assert_allclose(predicted, whole, rtol=1e-5)
    assert differences(native, effective) == {}
    assert os.listdir(scratch) == []


@each_container
def test_native_categories_and_one_hot_columns(tmp_path: Path, container: str) -> None:
    codes = X.copy()
    codes[:, 2] = np.abs(X[:, 2] * 3).round() % 7
    codes[::13, 2] = np.nan
    name, y = OWNER[container], labels(X, "binary")
    path = write(tmp_path / "train.parquet", codes, y)

    params = small(container=container, categorical="native")
    found, native, effective = predictions_streamed(name, params, path, "binary", "dense-c", {2: 7})
    usual = small(container=WHOLE[container], categorical="native")
    whole = train(name, usual, codes, y, cardinalities={2: 7}).predict()
    np.testing.assert_allclose(found, whole, rtol=1e-5)
    assert differences(native, effective) == {}

    params = small(container=container, categorical="onehot")
    found, *_ = predictions_streamed(name, params, path, "binary", "dense-c", {2: 7}, onehot=True)
    wide: Any = one_hot(read_part(path, "dense-c", cardinalities={2: 7}), "dense-c").X
    whole = train(name, small(container=WHOLE[container]), wide, y).predict()
    np.testing.assert_allclose(found, whole, rtol=1e-5)


@each_container
def test_it_warms_up_and_leaves_nothing(scratch: Path, container: str) -> None:
    """GIVEN the matrix in memory, as a warm-up has it THEN the same container is built of it."""
    name, of = OWNER[container], problem()
    native = planned(name, small(container=container), of).native
    tiny = Part(table(64), labels(table(64), "binary"), "dense-c", {})
    TRAINERS[name].warm_up(tiny, native, of)
    assert os.listdir(scratch) == []


def test_the_container_is_read_back_from_what_was_trained(tmp_path: Path) -> None:
    y = labels(X, "binary")
    path = write(tmp_path / "train.parquet", X, y)
    kinds = {
        container: predictions_streamed(
            "xgboost", small(container=container), path, "binary", "csr"
        )[2]["container"]
        for container in ("iterator", "external")
    }
    assert kinds == {
        "iterator": "QuantileDMatrix from DataIter",
        "external": "ExtMemQuantileDMatrix",
    }


def test_the_bins_of_external_lie_on_disk_until_training_ends(
    tmp_path: Path, scratch: Path
) -> None:
    y = labels(X, "binary")
    source = RowStream(write(tmp_path / "train.parquet", X, y), "dense-c")
    trainer, of = TRAINERS["xgboost"], problem()
    native = planned("xgboost", small(container="external"), of).native
    container = trainer.construct_streamed(source, native, of)
    assert sum(file.stat().st_size for file in scratch.rglob("*") if file.is_file()) >= X.size
    trainer.finish(container)
    assert os.listdir(scratch) == []


@each_container
def test_without_a_supervisor_the_cache_is_a_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, container: str
) -> None:
    monkeypatch.delenv(SCRATCH_VARIABLE)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    path = write(tmp_path / "train.parquet", X, labels(X, "binary"))
    predictions_streamed(OWNER[container], small(container=container), path, "binary", "dense-c")
    assert os.listdir(tmp_path / "scratch") == []


@each_container
def test_what_reading_raises_is_raised(tmp_path: Path, scratch: Path, container: str) -> None:
    """GIVEN a file whose last row group is damaged WHEN it is trained on THEN the error is the
    reader's, and no cache is left."""
    path = write(tmp_path / "train.parquet", X, labels(X, "binary"))
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(middle // 2) + whole[middle + middle // 2 :])
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        predictions_streamed(
            OWNER[container], small(container=container), path, "binary", "dense-c"
        )
    assert os.listdir(scratch) == []


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_a_sequence_has_dense_rows_only(layout: Layout) -> None:
    found = resolve(TRAINERS["lightgbm"], Params(container="sequence"), problem(layout=layout))
    assert isinstance(found, Unsupported)
    assert found.reason == (
        f"a Sequence gives LightGBM dense rows only, not {layout}; use layout: dense-c, or "
        f"container: dataset"
    )


@pytest.mark.parametrize("method", ["exact", "approx"])
@pytest.mark.parametrize("container", ["iterator", "external"])
def test_exact_and_approx_cannot_have_them(method: str, container: str) -> None:
    params = Params(method=method, container=container)
    found = resolve(TRAINERS["xgboost"], params, problem())
    assert isinstance(found, Unsupported)
    assert f"which {method} cannot use" in found.reason


@pytest.mark.parametrize(
    ("name", "container"),
    [("xgboost", "sequence"), ("lightgbm", "external"), ("sklearn-forest", "dataset")],
)
def test_another_librarys_container_is_as_if_not_stated(name: str, container: str) -> None:
    plain = planned(name, Params(), problem())
    noted = planned(name, Params(container=container), problem())
    assert (noted.params, noted.native) == (plain.params, plain.native)
    assert not TRAINERS[name].streams(noted.native)
    note = f"container has no meaning for {name}: {container} is another library's"
    assert noted.dropped == (note,)


def test_lightgbms_own_container_is_no_other_cell_when_it_is_named() -> None:
    plain, named, streamed = (
        planned("lightgbm", Params(container=container), problem())
        for container in (None, "dataset", "sequence")
    )
    assert named.params == plain.params
    assert streamed.params == {**plain.params, "container": "sequence"}


class Counting:
    """Parts of three rows of 0 to 10; `passes` counts how often they were begun."""

    def __init__(self) -> None:
        self.passes = 0

    def __call__(self) -> Iterator[Part]:
        self.passes += 1
        for first in range(0, 11, 3):
            numbers = np.arange(first, min(first + 3, 11), dtype=np.float32)
            yield Part(np.stack([numbers, -numbers], axis=1), numbers, "dense-c", {})


def test_rows_that_ascend_are_one_pass() -> None:
    parts = Counting()
    cursor = RowCursor(parts)
    sampled = np.array([cursor.row(number) for number in (0, 0, 2, 7, 10)])
    assert sampled.dtype == np.float64
    np.testing.assert_array_equal(sampled[:, 0], [0, 0, 2, 7, 10])
    assert parts.passes == 1
    np.testing.assert_array_equal(cursor.rows(1, 9)[:, 1], -np.arange(1, 9))
    np.testing.assert_array_equal(cursor.rows(9, 11)[:, 0], [9, 10])
    assert parts.passes == 2


def test_a_sampled_row_does_not_keep_its_part() -> None:
    cursor = RowCursor(Counting())
    assert cursor.row(4).base is None
    assert cursor.rows(4, 6).base is not None


def test_there_is_no_row_beyond_the_last() -> None:
    with pytest.raises(IndexError, match="there are 11 rows"):
        RowCursor(Counting()).row(11)
