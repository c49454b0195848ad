"""What can be said of data sets, made or not, without reading their values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treebench.data.cards import card_paths, find_card, load_card
from treebench.data.fetching.place import known_files
from treebench.data.making.make import made_folder_of
from treebench.data.manifest import read_manifest
from treebench.data.sources.fetched import Fetched
from treebench.errors import DataError

if TYPE_CHECKING:
    from treebench.data.cards import CardFile
    from treebench.data.manifest import Manifest


Files = Literal["here", "open", "by hand"]
"""Where the files of a set are that is not made of nothing: on this machine; to be downloaded; to
be had by a person alone, with a login or a licence to agree to."""


@dataclass(frozen=True)
class Listed:
    """A card with what was made of it: None while it is not made."""

    card_file: CardFile
    folder: Path | None
    manifest: Manifest | None
    subset_rows: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows over both parts, and features; None if only making would tell."""
        if self.manifest is not None:
            return (self.manifest.train_rows + self.manifest.test_rows, self.manifest.n_features)
        return self.card_file.card.shape

    @property
    def files(self) -> Files | None:
        """Where its files are; None for a set without files to fetch."""
        source = self.card_file.card.source
        if not isinstance(source, Fetched):
            return None
        known = known_files(self.card_file.card.name)
        if all(file in known and Path(known[file].path).exists() for file in source.files):
            return "here"
        return "open" if source.is_open else "by hand"

    @property
    def download_bytes(self) -> int | None:
        """About what there is to download, where the card knows."""
        source = self.card_file.card.source
        if not isinstance(source, Fetched):
            return None
        sizes = [file.about_bytes for file in source.files.values()]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    @property
    def disk_bytes(self) -> int | None:
        """What the made set takes on disk."""
        if self.folder is None:
            return None
        return sum(file.stat().st_size for file in self.folder.iterdir())

    def to_json(self) -> dict[str, Any]:
        """Raw values, with units in their names."""
        card, shape = self.card_file.card, self.shape
        return {
            "name": card.name,
            "title": card.title,
            "card": str(self.card_file.path),
            "source": card.source.kind,
            "task": card.task,
            "storage": card.storage,
            "licence": card.licence,
            "rows": None if shape is None else shape[0],
            "features": None if shape is None else shape[1],
            "files": self.files,
            "download_bytes": self.download_bytes,
            "made": self.folder is not None,
            "folder": None if self.folder is None else str(self.folder),
            "disk_bytes": self.disk_bytes,
            "subset_rows": list(self.subset_rows),
            "manifest": None if self.manifest is None else self.manifest.to_json(),
        }


def described(name: str) -> Listed:
    """One data set.

    Raises:
        DataError: no card has this name, or it has mistakes.
    """
    return _listed(find_card(name))


def all_listed() -> tuple[list[Listed], list[str]]:
    """All data sets by name, and the problems of cards that cannot be used."""
    listed: list[Listed] = []
    problems: list[str] = []
    for path in card_paths():
        try:
            listed.append(_listed(load_card(path)))
        except DataError as error:
            problems += error.problems
    return sorted(listed, key=lambda entry: entry.card_file.card.name), problems


def _listed(card_file: CardFile) -> Listed:
    folder = made_folder_of(card_file)
    if folder is None:
        return Listed(card_file, None, None, ())
    named = (path.stem.removeprefix("train-") for path in folder.glob("train-*.parquet"))
    subsets = sorted(int(rows) for rows in named if rows.isdecimal())
    return Listed(card_file, folder, read_manifest(folder), tuple(subsets))
