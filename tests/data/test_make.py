from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.making import card_facts, columns_of, file_card, make_set, mixed_table
from tests.processes import PATIENCE_S, started
from treebench.data.cards import Card, CardFile
from treebench.data.making import make as making
from treebench.data.making.make import made_folder, made_folder_of, make, train_path
from treebench.data.manifest import read_manifest
from treebench.errors import DataError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TREEBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def card_file(**changes: Any) -> CardFile:
    return CardFile(Card.model_validate(card_facts(**changes)), Path("datasets/small.yaml"))


def test_a_made_folder_holds_the_set_and_nothing_else(tmp_path: Path, cache: Path) -> None:
    folder, said = make_set(tmp_path, card_facts(), rows=(50, 100))

    assert {path.name for path in folder.iterdir()} == {
        "manifest.json",
        "train.parquet",
        "test.parquet",
        "train-50.parquet",
        "train-100.parquet",
    }
    assert [path.name for path in cache.iterdir()] == [folder.name]
    assert said == [
        f"small: made 300 training and 100 test rows in {folder}",
        "small: choosing 50 of 300 training rows",
        "small: choosing 100 of 300 training rows",
    ]


def test_the_manifest_says_what_was_made(tmp_path: Path) -> None:
    pq.write_table(mixed_table(), tmp_path / "t.parquet")
    facts = file_card("parquet", "t.parquet", drop={"flag": "not wanted"})

    folder, _ = make_set(tmp_path, facts)

    manifest = read_manifest(folder)
    train = columns_of(folder / "train.parquet")
    stored = sum(int(np.count_nonzero(values)) for name, values in train.items() if name[0] != "_")
    assert manifest.dropped == {"flag": "not wanted"}
    assert manifest.train_stored_entries == stored
    assert manifest.target == "y"
    assert manifest.card_sha256 == Card.model_validate(facts).sha256
    assert json.loads((folder / "manifest.json").read_text())["features"][2] == {
        "name": "text",
        "cardinality": 3,
    }


def test_all_rows_are_the_training_part_itself(tmp_path: Path) -> None:
    folder, said = make_set(tmp_path, card_facts(), rows=(300,))

    assert train_path(folder, 300) == folder / "train.parquet"
    assert train_path(folder, 299) == folder / "train-299.parquet"
    assert len(said) == 1


@pytest.mark.parametrize("rows", [0, -1, 301])
def test_rows_that_there_are_not_are_refused(tmp_path: Path, rows: int) -> None:
    folder, _ = make_set(tmp_path, card_facts())

    with pytest.raises(DataError, match="its training part has 300"):
        train_path(folder, rows)
    with pytest.raises(DataError, match="allowed: 1 to 300, the rows of the training part"):
        make_set(tmp_path, card_facts(), rows=(10, rows))
    assert not (folder / "train-10.parquet").exists()


def test_too_few_rows_for_the_classes_are_refused(tmp_path: Path) -> None:
    source = {"kind": "generate", "rows": 300, "test_rows": 50, "features": 3, "classes": 5}

    with pytest.raises(DataError, match="4 rows cannot hold all 5 classes; ask for more"):
        make_set(tmp_path, card_facts(source=source, task="multiclass"), rows=(4,))


def test_a_rare_class_is_in_the_smallest_subset(tmp_path: Path) -> None:
    labels = np.zeros(1_000, dtype=np.int64)
    labels[:4] = 1
    pq.write_table(pa.table({"x": np.arange(1_000), "y": labels}), tmp_path / "t.parquet")

    folder, _ = make_set(tmp_path, file_card("parquet", "t.parquet"), rows=(10, 100))

    assert columns_of(folder / "train-10.parquet")["__target__"].sum() == 1
    assert columns_of(folder / "train-100.parquet")["__target__"].sum() == 1


@pytest.mark.parametrize("density", [None, 0.5])
def test_subsets_do_not_depend_on_which_were_made_first(tmp_path: Path, density: float) -> None:
    source = {"kind": "generate", "rows": 300, "test_rows": 50, "features": 6, "density": density}
    facts = card_facts(source=source)

    one, _ = make_set(tmp_path, facts, rows=(40,))
    bytes_alone = (one / "train-40.parquet").read_bytes()
    before = (one / "test.parquet").read_bytes()
    for path in one.glob("train-*"):
        path.unlink()
    make_set(tmp_path, facts, rows=(200, 40))

    assert (one / "train-40.parquet").read_bytes() == bytes_alone
    assert (one / "test.parquet").read_bytes() == before


def test_a_subset_of_several_row_groups_keeps_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treebench.data.making.batches.GROUP_ROWS", 1_000)
    table = pa.table({"row": np.arange(5_000), "y": np.arange(5_000) % 2})
    pq.write_table(table, tmp_path / "t.parquet")

    folder, _ = make_set(tmp_path, file_card("parquet", "t.parquet"), rows=(2_500,))

    rows = columns_of(folder / "train-2500.parquet")["row"]
    assert (np.diff(rows) > 0).all()
    metadata = pq.ParquetFile(folder / "train-2500.parquet").metadata
    assert [metadata.row_group(i).num_rows for i in range(3)] == [1_000, 1_000, 500]


def test_the_shape_that_a_card_expects_is_checked(tmp_path: Path, cache: Path) -> None:
    facts = card_facts(expected={"rows": 400, "features": 5})

    with pytest.raises(DataError, match="says 400 rows x 5 features, the source gives 400 x 4"):
        make_set(tmp_path, facts)
    assert list(cache.iterdir()) == []


def test_last_rows_can_be_the_test_part(tmp_path: Path) -> None:
    table = pa.table({"row": np.arange(100), "y": np.arange(100) % 2})
    pq.write_table(table, tmp_path / "t.parquet")
    facts = file_card("parquet", "t.parquet") | {"split": {"last_rows": 30}}

    folder, _ = make_set(tmp_path, facts)

    np.testing.assert_array_equal(columns_of(folder / "test.parquet")["row"], np.arange(70, 100))


def test_onehot_of_a_file(tmp_path: Path) -> None:
    table = pa.table({"a": ["x", None, "y", "x"] * 10, "b": [3, 1, 3, 10] * 10, "y": [0, 1] * 20})
    pq.write_table(table, tmp_path / "t.parquet")
    facts = file_card("parquet", "t.parquet", features={"onehot": ["a", "b"]})

    folder, _ = make_set(tmp_path, facts)

    manifest = read_manifest(folder)
    assert (manifest.storage, manifest.n_features) == ("sparse-rows", 5)
    rows = pq.read_table(folder / "train.parquet").column("indices").to_pylist()
    assert {tuple(row) for row in rows} == {(0, 3), (2,), (1, 3), (0, 4)}


def test_onehot_takes_all_columns_or_says_which_are_left(tmp_path: Path) -> None:
    pq.write_table(mixed_table(), tmp_path / "t.parquet")
    facts = file_card("parquet", "t.parquet", features={"onehot": ["text", "gone"]})

    with pytest.raises(DataError) as raised:
        make_set(tmp_path, facts)

    assert [problem.split("t.parquet: ")[1] for problem in raised.value.problems] == [
        "`onehot` names 'gone', which is no column; there are: number, whole, text, flag, same, "
        "nothing, y",
        "with `onehot`, all features are one-hot; drop or name there: number, whole, flag, same, "
        "nothing",
    ]


def test_a_changed_card_makes_a_new_folder(tmp_path: Path) -> None:
    folders = {make_set(tmp_path, card_facts(title=title))[0] for title in ("one", "two")}

    assert len(folders) == 2
    assert all(folder.is_dir() for folder in folders)


def test_what_a_killed_process_left_is_swept_away(tmp_path: Path, cache: Path) -> None:
    folder = card_file().made_folder
    (cache / f".{folder.name}.part").mkdir(parents=True)
    (cache / f".{folder.name}.part" / "train.parquet").write_text("half")
    folder.mkdir()
    (folder / "train.parquet").write_text("without a manifest")
    assert made_folder_of(card_file()) is None

    make_set(tmp_path, card_facts())

    assert made_folder_of(card_file()) == folder
    assert [path.name for path in cache.iterdir()] == [folder.name]


def test_a_source_that_fails_leaves_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr(making, "_manifest", fail)
    with pytest.raises(RuntimeError):
        make_set(tmp_path, card_facts())
    assert list(cache.iterdir()) == []


def test_a_full_disk_is_said_in_one_line(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device", str(cache / "train.parquet"))

    monkeypatch.setattr(making, "_write_parts", full)
    with pytest.raises(DataError, match=r"train\.parquet cannot be written \(No space left on"):
        make_set(tmp_path, card_facts())
    assert list(cache.iterdir()) == []


def gappy_set(tmp_path: Path, rows: tuple[int, ...] = ()) -> Path:
    """One column without a value, and one with few."""
    n = 200
    rare = np.full(n, np.nan)
    rare[-10:] = 1.0
    columns = {"a": np.arange(n, dtype=float), "nothing": np.full(n, np.nan), "rare": rare}
    pq.write_table(pa.table({**columns, "y": np.arange(n) % 2}), tmp_path / "t.parquet")
    return make_set(tmp_path, file_card("parquet", "t.parquet"), rows=rows)[0]


def test_columns_without_a_value_are_known_for_the_set_and_each_subset(tmp_path: Path) -> None:
    folder = gappy_set(tmp_path, rows=(2, 100))
    manifest = read_manifest(folder)
    assert manifest.features_with_missing == (1, 2)
    assert manifest.columns_without_value(manifest.train_rows) == (1,)
    empty = {}
    for rows in (2, 100):
        values = columns_of(train_path(folder, rows))["rare"]
        empty[rows] = bool(np.isnan(values).all())
        assert manifest.columns_without_value(rows) == ((1, 2) if empty[rows] else (1,))
    assert empty == {2: True, 100: False}
    assert manifest.columns_without_value(30) is None
    assert not list(folder.glob(".*"))


def as_version_2(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    old = {**json.loads(path.read_text()), "version": 2}
    del old["without_value"]
    path.write_text(json.dumps(old))
    return old


def test_a_set_of_an_earlier_version_is_read_on_where_nothing_is_missing(tmp_path: Path) -> None:
    folder, _ = make_set(tmp_path, card_facts())
    as_version_2(folder)
    assert read_manifest(folder).columns_without_value(300) == ()
    _, said = make_set(tmp_path, card_facts(), rows=(50,))
    assert said == ["small: choosing 50 of 300 training rows"]
    assert read_manifest(folder).columns_without_value(50) == ()


def test_a_set_of_an_earlier_version_is_made_again_where_it_must_be(tmp_path: Path) -> None:
    folder = gappy_set(tmp_path)
    old = as_version_2(folder)
    card = CardFile(
        Card.model_validate(file_card("parquet", "t.parquet")), tmp_path / "datasets/small.yaml"
    )
    assert made_folder_of(card) is None
    assert gappy_set(tmp_path) == made_folder_of(card) == folder
    now = read_manifest(folder)
    assert now.columns_without_value(now.train_rows) == (1,)
    assert now.content_sha256 == old["content_sha256"]


def test_a_subset_that_fails_leaves_nothing(tmp_path: Path) -> None:
    folder, _ = make_set(tmp_path, card_facts())
    (folder / ".train-70.parquet.part").write_text("of a process that was killed")
    train = folder / "train.parquet"
    train.write_bytes(train.read_bytes()[:100])
    with pytest.raises(
        DataError, match=r"train\.parquet is damaged \(.*\); delete .* and make the"
    ):
        make_set(tmp_path, card_facts(), rows=(50,))
    names = {path.name for path in folder.iterdir()}
    assert names == {"manifest.json", "train.parquet", "test.parquet"}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("train_rows", "x", "train_rows: input should be a valid integer"),
        ("train_rows", 0, "at least one row in each part"),
        ("task", "guess", "task: input should be 'binary', 'multiclass' or 'regression'"),
        ("features", [], "it names 0 of 4 features"),
        ("classes", None, "classes: input should be a valid"),
        ("version", 99, "has version 99, this treebench reads"),
    ],
)
def test_a_manifest_that_was_edited_is_refused(
    tmp_path: Path, key: str, value: Any, message: str
) -> None:
    folder, _ = make_set(tmp_path, card_facts())
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(DataError, match=message) as caught:
        read_manifest(folder)
    assert "make the data set again" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_processes_make_the_same_set_once(cache: Path) -> None:
    command = [sys.executable, "-m", "treebench", "data", "make", "tiny", "--rows", "100"]
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                started(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            for _ in range(3)
        ]
        said = [process.communicate(timeout=PATIENCE_S)[1] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert sum("tiny: made 2,000 training" in text for text in said) == 1
    folder = made_folder("tiny")
    assert folder is not None
    assert [path.name for path in cache.iterdir()] == [folder.name]
    assert pq.ParquetFile(folder / "train-100.parquet").metadata.num_rows == 100


def test_one_waits_while_the_other_makes(cache: Path) -> None:
    folder = card_file().made_folder
    said: list[str] = []
    script = (
        "import sys, time; from pathlib import Path; from treebench.data.making import make\n"
        "with make._locked(Path(sys.argv[1]), print):\n"
        "    print('held', flush=True); time.sleep(2)\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    with started(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"

        making.make_card(card_file(), report=said.append)

        assert said[0] == f"waiting for another process that makes {folder.name}"
        assert other.wait(timeout=PATIENCE_S) == 0
    assert [path.name for path in cache.iterdir()] == [folder.name]


def test_a_set_that_is_made_needs_no_numpy() -> None:
    make("tiny")
    script = (
        "import sys; from treebench.data.making.make import make, made_folder, train_path\n"
        "folder = make('tiny', rows=[2000]); train_path(made_folder('tiny'), 2000)\n"
        "sys.exit(' '.join({'numpy', 'pyarrow', 'pandas'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_large_set_is_made_in_little_memory(tmp_path: Path) -> None:
    """400 MB of values; the process may grow by two row groups of 38 MiB, encoded and not."""
    script = (
        "import resource, sys; from pathlib import Path\n"
        "import numpy, pyarrow.parquet\n"
        "from treebench.data.making import tables, writer, subset, generation\n"
        "from treebench.data.making.make import make\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); make('synthetic-dense', rows=[200_000]); print((peak() - before) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 250


@pytest.mark.parametrize("layout", ["dense-c", "dense-f", "csr", "csc"])
@pytest.mark.parametrize("density", [None, 0.2])
def test_what_is_made_is_what_is_read(tmp_path: Path, layout: Any, density: float | None) -> None:
    from treebench.data.reading.read import read_part

    source = {"kind": "generate", "rows": 2_300, "test_rows": 50, "features": 10}
    facts = card_facts(source=source | ({} if density is None else {"density": density}))
    folder, _ = make_set(tmp_path, facts, rows=(900,))

    for name in ("train.parquet", "train-900.parquet", "test.parquet"):
        part = read_part(folder / name, layout)
        expected = np.zeros(part.X.shape, dtype=np.float32)
        table = pq.read_table(folder / name)
        for row, stored in enumerate(table.to_pylist()):
            if density is None:
                expected[row] = list(stored.values())[:-1]
            else:
                expected[row, stored["indices"]] = stored["values"]
        made = part.X if isinstance(part.X, np.ndarray) else part.X.toarray()
        np.testing.assert_array_equal(made, expected)
        np.testing.assert_array_equal(part.y, table.column("__target__").to_numpy())
