from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.data.fetching.cards import (
    ROWS,
    headless_csv,
    higgs_like_zip,
    packed_svmlight,
    sha256,
    svmlight,
    write_card,
    write_epsilon_like,
    write_higgs_like,
    zipped,
)
from treebench.data.fetching.give import give_files
from treebench.data.fetching.place import known_files
from treebench.data.making.make import make
from treebench.data.manifest import read_manifest
from treebench.errors import DataError


def give(name: str, path: Path | str) -> tuple[Path, list[str]]:
    said: list[str] = []
    return give_files(name, Path(path), said.append), said


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine.zip", higgs_like_zip()),
        ("HITS.csv.gz", gzip.compress(headless_csv())),
        ("HITS.csv", headless_csv()),
    ],
)
def test_a_file_is_taken_packed_or_unpacked(name: str, content: bytes) -> None:
    write_higgs_like(["http://localhost/hits.zip"])
    Path(name).write_bytes(content)
    folder, _ = give("hits", name)
    assert read_manifest(folder).train_rows == ROWS - 10
    assert known_files("hits")["hits.zip"].origin == "given"
    assert make("hits") == folder


def test_packed_or_not_the_made_set_is_the_same() -> None:
    hashes = set()
    for name, content in (("a.zip", higgs_like_zip()), ("a.csv", headless_csv())):
        write_higgs_like(["http://localhost/hits.zip"])
        Path(name).write_bytes(content)
        folder, _ = give("hits", name)
        hashes.add(read_manifest(folder).content_sha256)
        for made in folder.iterdir():
            made.unlink()
    assert len(hashes) == 1


def test_a_given_file_is_held_to_the_checksum() -> None:
    write_higgs_like(["http://localhost/hits.zip"], checksum=sha256(higgs_like_zip()))
    Path("mine.zip").write_bytes(higgs_like_zip(rows=ROWS + 2))
    with pytest.raises(DataError, match=r"is not the hits.zip that the card describes"):
        give("hits", "mine.zip")
    Path("mine.zip").write_bytes(higgs_like_zip())
    give("hits", "mine.zip")


def test_an_unpacked_file_has_no_checksum_to_be_held_to_and_that_is_said() -> None:
    write_higgs_like(["http://localhost/hits.zip"], checksum=sha256(higgs_like_zip()))
    Path("HITS.csv").write_bytes(headless_csv())
    _, said = give("hits", "HITS.csv")
    assert any("its shape is checked" in line for line in said)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (headless_csv(ROWS - 2), "the source gives 58 x 2"),
        (b"1,2\n3,4\n", "has 2 columns, the card says 3"),
        (b"\x1f\x8bnothing", "cannot be read to its end"),
        (gzip.compress(headless_csv())[:-20], "cannot be read to its end"),
        (zipped(a_csv=b"1,2,3\n", b_csv=b"1,2,3\n"), "has no member 'HITS.csv.gz'"),
    ],
)
def test_a_wrong_file_leaves_nothing_behind(content: bytes, problem: str) -> None:
    write_higgs_like(["http://localhost/hits.zip"])
    Path("mine").write_bytes(content)
    with pytest.raises(DataError, match=problem):
        give("hits", "mine")
    assert known_files("hits") == {}
    assert not list(Path("cache").glob("hits-*"))


def test_a_set_that_is_made_is_not_silently_of_another_file() -> None:
    write_higgs_like(["http://localhost/hits.zip"])
    Path("one.csv").write_bytes(headless_csv())
    Path("two.csv").write_bytes(headless_csv()[:-1])
    folder, _ = give("hits", "one.csv")
    with pytest.raises(DataError, match=f"made already, of another file; delete {folder}"):
        give("hits", "two.csv")
    give("hits", "one.csv")


def test_several_files_are_given_as_a_folder() -> None:
    write_epsilon_like("http://localhost/dense.bz2", "http://localhost/dense.t.bz2")
    folder = Path("mine")
    folder.mkdir()
    (folder / "dense").write_bytes(svmlight(40))
    with pytest.raises(DataError, match=r"does not hold dense.t.bz2 \(packed, or unpacked\)"):
        give("dense", folder)
    (folder / "dense.t.bz2").write_bytes(packed_svmlight(10))
    with pytest.raises(DataError, match="made of several files"):
        give("dense", folder / "dense.t.bz2")
    made, _ = give("dense", folder)
    assert read_manifest(made).test_rows == 10


def write_ranking() -> None:
    write_card(
        "rank",
        {
            "kind": "fetched-svmlight",
            "files": {"WEB.zip": {"most_bytes": 1 << 20}},
            "path": "WEB.zip/Fold1/train.txt",
            "features": 3,
        },
        task="regression",
        split={"test_file": "WEB.zip/Fold1/test.txt"},
    )


@pytest.mark.parametrize("place", ["zip", "Fold1", "flat"])
def test_both_parts_are_read_of_one_archive_or_of_what_it_unpacks_to(place: str) -> None:
    write_ranking()
    train, test = svmlight(20, qid=True), svmlight(6, qid=True)
    if place == "zip":
        path = Path("WEB.zip")
        path.write_bytes(zipped(Fold1__train_txt=train, Fold1__test_txt=test, Fold2__train_txt=b""))
    else:
        path = Path("mine")
        inner = path / "Fold1" if place == "Fold1" else path
        inner.mkdir(parents=True)
        (inner / "train.txt").write_bytes(train)
        (inner / "test.txt").write_bytes(test)
    folder, _ = give("rank", path)
    manifest = read_manifest(folder)
    assert (manifest.train_rows, manifest.test_rows, manifest.n_features) == (20, 6, 3)


@pytest.mark.parametrize("line", [b"1 4:2.0\n", b"a,b\n", b"1 x:3\n", b"\n"])
def test_svmlight_of_another_width_or_none_is_refused_by_its_first_row(line: bytes) -> None:
    write_ranking()
    Path("mine").mkdir()
    for name in ("train.txt", "test.txt"):
        Path("mine", name).write_bytes(line)
    with pytest.raises(DataError, match="its first row is not a label and"):
        give("rank", "mine")


@pytest.mark.parametrize("late", [b"1 4:2.0\n", b"1 0:2.0\n"])
def test_a_column_beyond_the_last_is_refused_wherever_it_is(late: bytes) -> None:
    write_ranking()
    Path("mine").mkdir()
    for name in ("train.txt", "test.txt"):
        Path("mine", name).write_bytes(svmlight(5) + late)
    with pytest.raises(DataError, match="the card says 1 to 3"):
        give("rank", "mine")


def test_values_that_float32_cannot_hold_are_refused() -> None:
    write_ranking()
    Path("mine").mkdir()
    for name in ("train.txt", "test.txt"):
        Path("mine", name).write_bytes(svmlight(5) + b"1 2:1e300\n")
    with pytest.raises(DataError, match=r"1 values are infinite or beyond"):
        give("rank", "mine")


def test_what_is_not_there_is_told() -> None:
    write_ranking()
    with pytest.raises(DataError, match="mine does not exist; give the file or folder"):
        give("rank", "mine")


def test_a_single_file_cannot_hold_two_parts_unless_it_is_an_archive() -> None:
    write_ranking()
    Path("train.txt").write_bytes(svmlight(5))
    with pytest.raises(DataError, match="in a file of its own; give the folder"):
        give("rank", "train.txt")


def test_headers_are_compared_with_the_card() -> None:
    write_card(
        "headed",
        {
            "kind": "fetched-csv",
            "files": {"h.csv": {"most_bytes": 1 << 20}},
            "path": "h.csv",
            "columns": ["a", "b"],
        },
        task="regression",
        target={"column": "b"},
        split={"test_share": 0.5},
    )
    Path("h.csv").write_text("a,c\n1,2\n3,4\n")
    with pytest.raises(DataError, match="column 2 is 'c', the card says 'b'"):
        give("headed", "h.csv")
