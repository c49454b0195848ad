"""Makes data sets from cards, and subsets of their training part.

A set is made in a folder beside its own and renamed when it is whole; a lock keeps two processes
from making the same set at once. This module imports no numpy until something must be made.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, TYPE_CHECKING

from treebench.data.cards import find_card
from treebench.data.making.checksum import sha256_of
from treebench.data.making.progress import Progress
from treebench.data.manifest import (
    MANIFEST_VERSION,
    Manifest,
    read_manifest,
    validation_rows,
    write_manifest,
)
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from treebench.data.cards import CardFile
    from treebench.data.making.batches import PartName, Prepared
    from treebench.data.making.writer import PartFacts
    from treebench.data.manifest import Split

BATCH_ROWS = 65_536


def _silent(line: str) -> None:
    """The report that says nothing."""


def made_folder(name: str) -> Path | None:
    """The folder of the data set `name` if it is made and whole, else None.

    Raises:
        DataError: no card has this name, or it has mistakes.
    """
    return made_folder_of(find_card(name))


def made_folder_of(card_file: CardFile) -> Path | None:
    """As `made_folder`, for a card at hand."""
    folder = card_file.made_folder
    return folder if _is_whole(folder) and _is_known(folder) else None


def make(
    name: str,
    rows: Sequence[int] = (),
    report: Callable[[str], None] = _silent,
    splits: Sequence[Split] = (),
) -> Path:
    """Make what is missing of the data set `name`: the set, a subset for each of `rows`, and a
    validation part for each of `splits`.

    Returns the folder. `report` gets one line at a time for a person to read.

    Raises:
        DataError: a line for each problem of the card, its source, `rows` or `splits`.
    """
    return make_card(find_card(name), rows, report, splits=splits)


def make_card(
    card_file: CardFile,
    rows: Sequence[int] = (),
    report: Callable[[str], None] = _silent,
    batch_rows: int = BATCH_ROWS,
    splits: Sequence[Split] = (),
) -> Path:
    """As `make`, for a card at hand. `batch_rows` bounds memory and changes no byte."""
    folder = card_file.made_folder
    try:
        with _locked(folder, report):
            if not (_is_whole(folder) and _is_known(folder)):
                _make_set(card_file, folder, report, batch_rows)
            _make_subsets(card_file, folder, [*rows, *_subsets_split(splits)], report)
            _make_splits(card_file, folder, splits, report)
    except OSError as error:
        raise DataError(
            f"{error.filename or folder} cannot be written ({error.strerror}); "
            f"free space there or name another folder in TREEBENCH_CACHE"
        ) from None
    return folder


def train_path(folder: Path, rows: int) -> Path:
    """The Parquet file of the `rows` training rows; the subset need not be made yet.

    Raises:
        DataError: the training part has fewer rows, or `rows` is below 1.
    """
    available = read_manifest(folder).train_rows
    if not 1 <= rows <= available:
        name = read_manifest(folder).dataset
        raise DataError(
            f"{name} has no subset of {rows:,} rows; its training part has {available:,}"
        )
    return folder / ("train.parquet" if rows == available else f"train-{rows}.parquet")


def split_paths(folder: Path, split: Split) -> tuple[Path, Path]:
    """The Parquet files of what a split trains on, and of what it holds out; they need not be
    made yet."""
    label = split.label(read_manifest(folder).train_rows)
    return folder / f"train-{label}.parquet", folder / f"validation-{label}.parquet"


def _is_whole(folder: Path) -> bool:
    # The manifest is in place only after the rename of a whole folder.
    parts = ("manifest.json", "train.parquet", "test.parquet")
    return all((folder / part).is_file() for part in parts)


def _is_known(folder: Path) -> bool:
    """Whether the manifest says all that a plan asks. An earlier version's does not where values
    are missing: the set is made again, with the same content and so under the same hash. One that
    cannot be read is for whoever reads it to say."""
    try:
        manifest = read_manifest(folder)
    except DataError:
        return True
    return manifest.columns_without_value(manifest.train_rows) is not None


@contextmanager
def _locked(folder: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a made set. It ends with the process, so nothing is left locked."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    path = folder.parent / f".{folder.name}.lock"
    while True:
        with path.open("w") as lock:
            _wait_for(lock, folder.name, report)
            # The holder before may have removed the file while this process waited for it.
            if not path.exists() or path.stat().st_ino != os.fstat(lock.fileno()).st_ino:
                continue
            try:
                yield
            finally:
                path.unlink()
            return


def _wait_for(lock: IO[str], name: str, report: Callable[[str], None]) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        report(f"waiting for another process that makes {name}")
        fcntl.flock(lock, fcntl.LOCK_EX)


def _make_set(
    card_file: CardFile, folder: Path, report: Callable[[str], None], batch_rows: int
) -> None:
    card = card_file.card
    unfinished = folder.parent / f".{folder.name}.part"
    # Under the lock, whatever lies here was left by a process that was killed.
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    if folder.is_symlink():
        folder.unlink()  # it leads to no whole set; what it leads to stays
    prepared = card.source.prepare(card, card_file.base, report)
    _check_shape(card_file, prepared)
    unfinished.mkdir()
    try:
        train, test, content = _write_parts(prepared, unfinished, card.name, report, batch_rows)
        manifest = _manifest(card_file, prepared, train, test, content)
        parts = {path.name: sha256_of(path) for path in unfinished.glob("*.parquet")}
        write_manifest(unfinished, replace(manifest, file_sha256=parts))
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    report(f"{card.name}: made {train.rows:,} training and {test.rows:,} test rows in {folder}")


def _write_parts(
    prepared: Prepared,
    folder: Path,
    name: str,
    report: Callable[[str], None],
    batch_rows: int,
) -> tuple[PartFacts, PartFacts, str]:
    from treebench.data.making.writer import PartWriter, content_sha256

    form = prepared.form
    progress = Progress(name, prepared.rows, report)
    with (
        PartWriter(folder / "train.parquet", form) as train,
        PartWriter(folder / "test.parquet", form) as test,
    ):
        writers: dict[PartName, PartWriter] = {"train": train, "test": test}
        for part, batch in prepared.batches(batch_rows):
            writers[part].write(batch)
            progress.add(batch.rows)
        facts = (train.close(), test.close())
    return (*facts, content_sha256(form, *facts))


def _check_shape(card_file: CardFile, prepared: Prepared) -> None:
    card, found = card_file.card, (prepared.rows, prepared.n_features)
    if card.expected is not None and found != (card.expected.rows, card.expected.features):
        raise DataError(
            f"{card_file.path}: `expected` says {card.expected.rows:,} rows x "
            f"{card.expected.features:,} features, the source gives {found[0]:,} x {found[1]:,}; "
            f"correct the card or the source"
        )


def _manifest(
    card_file: CardFile, prepared: Prepared, train: PartFacts, test: PartFacts, content: str
) -> Manifest:
    card = card_file.card
    return Manifest(
        version=MANIFEST_VERSION,
        dataset=card.name,
        title=card.title,
        task=prepared.task,
        classes=prepared.classes,
        target=prepared.target,
        storage=prepared.storage,
        n_features=prepared.n_features,
        features=prepared.features,
        train_rows=train.rows,
        test_rows=test.rows,
        train_stored_entries=sum(train.stored_entries),
        features_with_missing=tuple(sorted({*train.with_missing, *test.with_missing})),
        content_sha256=content,
        card_sha256=card.sha256,
        licence=card.licence,
        dropped=prepared.dropped,
        without_value={str(train.rows): train.without_value},
    )


def _make_subsets(
    card_file: CardFile, folder: Path, rows: Sequence[int], report: Callable[[str], None]
) -> None:
    manifest = read_manifest(folder)
    problems = [
        problem for wanted in sorted(set(rows)) if (problem := _subset_problem(manifest, wanted))
    ]
    if problems:
        raise DataError(*problems)
    # Under the lock, these were left by a process that was killed.
    for unfinished in folder.glob(".*.part"):
        unfinished.unlink()
    for wanted in sorted(set(rows)):
        path = train_path(folder, wanted)
        if path.is_file():
            continue
        report(f"{manifest.dataset}: choosing {wanted:,} of {manifest.train_rows:,} training rows")
        _make_subset(folder, path, manifest, wanted, card_file.card.seed)


def _subsets_split(splits: Sequence[Split]) -> list[int]:
    return [split.rows for split in splits if split.rows is not None]


def _make_splits(
    card_file: CardFile, folder: Path, splits: Sequence[Split], report: Callable[[str], None]
) -> None:
    manifest = read_manifest(folder)
    problems = [
        problem
        for split in sorted(set(splits), key=str)
        if (problem := manifest.split_problem(split))
    ]
    if problems:
        raise DataError(*problems)
    for split in sorted(set(splits), key=str):
        if not all(path.is_file() for path in split_paths(folder, split)):
            rows = split.rows or manifest.train_rows
            held_out = validation_rows(rows, split.share)
            report(f"{manifest.dataset}: holding {held_out:,} of {rows:,} training rows out")
            _make_split(folder, split, manifest, card_file.card.seed)


def _make_split(folder: Path, split: Split, manifest: Manifest, seed: int) -> None:
    from treebench.data.making.subset import write_split

    rows = split.rows or manifest.train_rows
    source, paths = train_path(folder, rows), split_paths(folder, split)
    unfinished = [path.with_name(f".{path.name}.part") for path in paths]
    with _written(source, unfinished):
        held_out = validation_rows(rows, split.share)
        facts = write_split(source, unfinished[0], unfinished[1], manifest, held_out, seed)
        hashes = {path.name: sha256_of(part) for path, part in zip(paths, unfinished, strict=True)}
        _add_facts(folder, split.label(rows), facts, hashes)
        for path, part in zip(paths, unfinished, strict=True):
            os.replace(part, path)


@contextmanager
def _written(source: Path, unfinished: Sequence[Path]) -> Iterator[None]:
    """While files are written from `source`: nothing half-written stays.

    Raises:
        DataError: `source` is damaged.
    """
    import pyarrow as pa

    try:
        yield
    except pa.ArrowException as error:
        raise DataError(
            f"{source} is damaged ({' '.join(str(error).split())}); "
            f"delete {source.parent} and make the data set again"
        ) from None
    finally:
        for path in unfinished:
            path.unlink(missing_ok=True)


def _make_subset(folder: Path, path: Path, manifest: Manifest, rows: int, seed: int) -> None:
    from treebench.data.making.subset import write_subset

    train = folder / "train.parquet"
    unfinished = path.with_name(f".{path.name}.part")
    with _written(train, [unfinished]):
        facts = write_subset(train, unfinished, manifest, rows, seed)
        _add_facts(folder, str(rows), facts, {path.name: sha256_of(unfinished)})
        os.replace(unfinished, path)


def _add_facts(folder: Path, trained_on: str, facts: PartFacts, sha256: dict[str, str]) -> None:
    """Say in the manifest what was made beside it, before it is there under its name."""
    manifest = read_manifest(folder)
    known = replace(
        manifest,
        version=MANIFEST_VERSION,
        without_value={**manifest.without_value, trained_on: facts.without_value},
        file_sha256={**manifest.file_sha256, **sha256},
    )
    write_manifest(folder, known)


def _subset_problem(manifest: Manifest, rows: int) -> str | None:
    if not 1 <= rows <= manifest.train_rows:
        return (
            f"{manifest.dataset}: {rows:,} rows were asked for; allowed: "
            f"1 to {manifest.train_rows:,}, the rows of the training part"
        )
    if rows < manifest.n_classes:
        return (
            f"{manifest.dataset}: {rows:,} rows cannot hold all {manifest.n_classes:,} classes; "
            f"ask for more"
        )
    return None
