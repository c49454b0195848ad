"""Files of made sets that are not what was made any more."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.data.making import card_facts, make_set
from treebench.data.manifest import read_manifest
from treebench.data.verify import verify_files
from treebench.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made, _ = make_set(tmp_path, card_facts(), rows=(50,))
    # Other tests have the same made set.
    return shutil.copytree(made, tmp_path / "copy")


def test_what_was_made_is_as_it_was_made(folder: Path) -> None:
    verify_files(folder, [50, 300])
    names = {"train.parquet", "test.parquet", "train-50.parquet"}
    assert set(read_manifest(folder).file_sha256) == names


def test_a_subset_made_later_is_known_too_and_the_others_stay(tmp_path: Path) -> None:
    folder, _ = make_set(tmp_path, card_facts(), rows=(50,))
    make_set(tmp_path, card_facts(), rows=(60,))
    verify_files(folder, [50, 60])


@pytest.mark.parametrize("name", ["train.parquet", "test.parquet", "train-50.parquet"])
def test_one_bit_that_changed_is_seen(folder: Path, name: str) -> None:
    whole = bytearray((folder / name).read_bytes())
    whole[len(whole) // 2] ^= 1
    (folder / name).write_bytes(whole)
    with pytest.raises(DataError, match=f"{name} is not the file that was made .*; delete"):
        verify_files(folder, [50])


def test_a_subset_that_is_not_read_is_not_looked_at(folder: Path) -> None:
    (folder / "train-50.parquet").write_bytes(b"")
    verify_files(folder, [300])


def test_each_file_that_is_wrong_is_named(folder: Path) -> None:
    for name in ("train.parquet", "test.parquet"):
        (folder / name).write_bytes(b"PAR1")
    with pytest.raises(DataError) as raised:
        verify_files(folder, [])
    assert len(raised.value.problems) == 2


def test_a_set_without_hashes_is_not_taken_on_trust(folder: Path) -> None:
    path = folder / "manifest.json"
    facts = json.loads(path.read_text())
    del facts["file_sha256"]
    path.write_text(json.dumps(facts))
    with pytest.raises(DataError, match="has no hash of it"):
        verify_files(folder, [])
