from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.data.fetching.cards import write_card
from treebench.data.fetching.give import give_files
from treebench.data.manifest import read_manifest
from treebench.errors import DataError

TEXTS = {
    "20news-bydate-train/alt.cats/1": "cat cat dog",
    "20news-bydate-train/sci.dogs/2": "dog naïve",
    "20news-bydate-train/sci.dogs/10": "dog dog",
    "20news-bydate-test/alt.cats/7": "cat unseen",
    "20news-bydate-test/sci.dogs/8": "dog",
}


def tar(texts: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in texts.items():
            content = text.encode("latin-1")
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("20news-bydate-train/alt.cats/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return made.getvalue()


def give(content: bytes) -> Path:
    write_card(
        "news",
        {
            "kind": "fetched-newsgroups",
            "files": {"news.tar.gz": {"most_bytes": 1 << 20}},
            "path": "news.tar.gz",
        },
        task="multiclass",
    )
    Path("news.tar.gz").write_bytes(content)
    return give_files("news", Path("news.tar.gz"), lambda line: None)


def test_words_are_counted_over_the_training_part_and_rows_have_length_one() -> None:
    folder = give(tar(TEXTS))
    manifest = read_manifest(folder)
    assert (manifest.classes, manifest.n_features) == (("alt.cats", "sci.dogs"), 3)
    train = pq.read_table(folder / "train.parquet")
    # cat, dog, naïve; files in the order of their names: 1, 10, 2.
    assert train.column("indices").to_pylist() == [[0, 1], [1], [1, 2]]
    values = train.column("values").to_pylist()
    np.testing.assert_allclose(values[0], np.array([2, 1]) / np.sqrt(5), rtol=1e-6)
    np.testing.assert_allclose(values[2], np.array([1, 1]) / np.sqrt(2), rtol=1e-6)
    assert train.column("__target__").to_pylist() == [0, 1, 1]
    test = pq.read_table(folder / "test.parquet")
    assert test.column("indices").to_pylist() == [[0], [1]]


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ({"other/alt.cats/1": "x"}, "does not hold 20news-bydate-train"),
        (
            {name: text for name, text in TEXTS.items() if "test/sci" not in name},
            "with the same groups",
        ),
    ],
)
def test_another_archive_is_refused(texts: dict[str, str], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        give(tar(texts))


def test_what_is_no_archive_is_told() -> None:
    with pytest.raises(DataError, match="is no whole tar archive"):
        give(b"some text, no archive" * 100)
