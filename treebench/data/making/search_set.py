"""The set that a search is done on: the training part split once more, so that choices are made on
a validation part and the test part stays unread.

`python -m treebench.data.making.search_set FOLDER ROWS...` makes it in a process of its own, which
gives its memory back, beside the made set: `FOLDER.search`.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from treebench.data.manifest import read_manifest, write_manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.data.manifest import Manifest

SHARE = 0.2
MOST_VALIDATION_ROWS = 100_000
"""More tell scores apart no better: the standard error of an AUC is below 0.002 by then."""
_WHOLE = ("manifest.json", "train.parquet", "test.parquet")
_SEED = 20_011
"""Of its own, so that the validation part has nothing to do with how the test part was drawn."""


def search_folder(folder: Path) -> Path:
    """Where the search set of a made set lies."""
    return folder.with_name(f"{folder.name}.search")


def validation_rows(train_rows: int) -> int:
    """How many of so many training rows are held out."""
    return max(1, min(round(SHARE * train_rows), MOST_VALIDATION_ROWS))


def is_made(folder: Path, rows: Sequence[int]) -> bool:
    """Whether the search set is there, with a subset of each row count that it can have."""
    made = search_folder(folder)
    if not _is_whole(made):
        return False
    available = read_manifest(made).train_rows
    return all((made / f"train-{each}.parquet").is_file() for each in rows if each < available)


def _is_whole(made: Path) -> bool:
    return all((made / name).is_file() for name in _WHOLE)


def make_search_set(folder: Path, rows: Sequence[int]) -> Path:
    """Make what is missing of it; whole or not at all, each subset likewise.

    Raises:
        OSError: it cannot be written.
    """
    made = search_folder(folder)
    if not _is_whole(made):
        _make(folder, made)
    for each in rows:
        _add_subset(made, each)
    return made


def _make(folder: Path, made: Path) -> None:
    unfinished = Path(mkdtemp(prefix=f".{made.name}.", suffix=".part", dir=made.parent))
    try:
        manifest = _write_parts(folder, unfinished)
        write_manifest(unfinished, manifest)
        # Else another process was quicker.
        if not _is_whole(made):
            shutil.rmtree(made, ignore_errors=True)
            unfinished.rename(made)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _write_parts(folder: Path, unfinished: Path) -> Manifest:
    from treebench.data.making.subset import write_split

    whole = read_manifest(folder)
    held_out = validation_rows(whole.train_rows)
    train = write_split(
        folder / "train.parquet",
        unfinished / "train.parquet",
        unfinished / "test.parquet",
        whole,
        held_out,
        _SEED,
    )
    return replace(
        whole,
        dataset=f"{whole.dataset}.search",
        title=f"{whole.title} - its training part, split for a search",
        train_rows=train.rows,
        test_rows=held_out,
        train_stored_entries=sum(train.stored_entries),
        # `features_with_missing` stays that of the whole: what a trainer refuses for it, it must
        # refuse here.
        content_sha256=_content(whole, held_out),
        without_value={str(train.rows): train.without_value},
        file_sha256={},
    )


def _content(whole: Manifest, held_out: int) -> str:
    """The values follow from those of the whole and from how it was split."""
    text = f"{whole.content_sha256} {held_out} of {whole.train_rows} by {_SEED}"
    return hashlib.sha256(text.encode()).hexdigest()


def _add_subset(made: Path, rows: int) -> None:
    from treebench.data.making.subset import write_subset

    manifest = read_manifest(made)
    path = made / f"train-{rows}.parquet"
    if rows >= manifest.train_rows or path.is_file():
        return
    unfinished = Path(mkdtemp(prefix=".subset.", suffix=".part", dir=made))
    try:
        draft = unfinished / path.name
        facts = write_subset(made / "train.parquet", draft, manifest, rows, _SEED)
        known = {**manifest.without_value, str(rows): facts.without_value}
        write_manifest(made, replace(manifest, without_value=known))
        draft.replace(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


if __name__ == "__main__":
    make_search_set(Path(sys.argv[1]), [int(rows) for rows in sys.argv[2:]])
