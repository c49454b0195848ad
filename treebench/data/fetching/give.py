"""Takes files of a public data set from a person who has them, through the same checks."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from treebench.data.fetching.fetch import (
    check_beginnings,
    fetched_source,
    now,
    require_made_space,
)
from treebench.data.fetching.place import KnownFile, held, known_files, remember
from treebench.data.making.checksum import data_files, sha256_of
from treebench.data.making.make import made_folder_of, make_card
from treebench.data.sources.fetched import file_of, member_of, unpacked_member
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.data.cards import CardFile
    from treebench.data.sources.fetched import Fetched

PACKINGS = (".zip", ".gz", ".bz2")


def give_files(name: str, path: Path, report: Callable[[str], None]) -> Path:
    """Make the set `name` of the file, or of the files in the folder, at `path`; the made folder.

    The files stay where they are. They may be as they are given out, or unpacked. A set that cannot
    be made of them is as it was before.

    Raises:
        DataError: one line; they are not there, or not what the card describes.
    """
    card_file, source = fetched_source(name)
    with held(name):
        before = known_files(name)
        given = {
            file: _known(source, file, found, report)
            for file, found in _matched(card_file, source, path.absolute()).items()
        }
        _refuse_another(card_file, before, given)
        check_beginnings(card_file, {file: Path(each.path) for file, each in given.items()})
        require_made_space(card_file)
        remember(name, given)
        made = False
        try:
            folder = make_card(card_file, report=report)
            made = True
        finally:
            if not made:
                remember(name, before)
    return folder


def _matched(card_file: CardFile, source: Fetched, path: Path) -> dict[str, Path]:
    """Each file of the card with where it lies."""
    name = card_file.card.name
    if not path.exists():
        raise DataError(f"{path} does not exist; give the file or folder that holds {name}")
    members = {
        file: [member_of(part) for part in source.parts(card_file.card) if file_of(part) == file]
        for file in source.files
    }
    if path.is_file():
        if len(source.files) > 1:
            raise DataError(
                f"{name} is made of several files ({', '.join(source.files)}); "
                f"give the folder that holds them"
            )
        if len(next(iter(members.values()))) > 1 and path.suffix != ".zip":
            raise DataError(f"{name} has its test part in a file of its own; give the folder")
        return dict.fromkeys(source.files, path)
    found = {file: _in_folder(path, file, members[file]) for file in source.files}
    lacking = [file for file, place in found.items() if place is None]
    if lacking:
        raise DataError(
            f"{path} does not hold {', '.join(lacking)} (packed, or unpacked); "
            f"give the folder that does"
        )
    return {file: place for file, place in found.items() if place is not None}


def _in_folder(folder: Path, file: str, members: list[str | None]) -> Path | None:
    """The file, or what it unpacks to; the folder itself if it holds all members."""
    names, name = [file], file
    while PurePosixPath(name).suffix in PACKINGS:
        name = PurePosixPath(name).stem
        names.append(name)
    for each in names:
        if (folder / each).is_file():
            return folder / each
    unpacked = [unpacked_member(folder, member) for member in members if member is not None]
    if unpacked and len(unpacked) == len(members) and all(map(Path.is_file, unpacked)):
        return folder if len(unpacked) > 1 else unpacked[0]
    return None


def _known(source: Fetched, file: str, path: Path, report: Callable[[str], None]) -> KnownFile:
    """The facts of a given file, its checksum compared where it can be.

    Raises:
        DataError: it is packed as the file that is given out, and is another.
    """
    report(f"reading {path}")
    sha256 = sha256_of(path)
    wanted = source.files[file].checksum
    if wanted is not None and sha256 != wanted:
        if path.is_file() and path.suffix == PurePosixPath(file).suffix:
            raise DataError(
                f"{path} is not the {file} that the card describes (sha256 {sha256[:12]}…, the "
                f"card's is {wanted[:12]}…); get it again"
            )
        report(f"{path} is unpacked, so {file}'s checksum says nothing; its shape is checked")
    if wanted is None:
        report(f"no checksum of {file} is published that this card knows; its shape is checked")
    size = sum(each.stat().st_size for each in data_files(path))
    return KnownFile(str(path), sha256, size, "given", None, now())


def _refuse_another(
    card_file: CardFile, before: dict[str, KnownFile], given: dict[str, KnownFile]
) -> None:
    """A set that is made already is not made again, so another file would go unchecked."""
    folder = made_folder_of(card_file)
    hashes = [{file: each.sha256 for file, each in known.items()} for known in (before, given)]
    if folder is not None and hashes[0] != hashes[1]:
        raise DataError(
            f"{card_file.card.name} is made already, of another file; delete {folder} to make it "
            f"of this one"
        )
