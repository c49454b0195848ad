"""The data of a picking: a card's, or a file of a person's own, and the set to search on."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.data.cards import CardFile
    from treebench.data.manifest import Manifest


@dataclass(frozen=True)
class PickData:
    """Both made sets: their folders and what they hold."""

    name: str
    folder: Path
    manifest: Manifest
    search_folder: Path
    search_manifest: Manifest


def pick_data(dataset: str, target: str | None) -> PickData:
    """The data asked for, made where it is not there yet.

    Raises:
        DataError: there is neither such a card nor such a file, or it cannot be used.
    """
    from treebench.data.making.search_set import search_folder
    from treebench.data.manifest import read_manifest
    from treebench.runner.prepare import ensure_data

    name = _imported(Path(dataset), target) if _is_file(dataset) else dataset
    if name == dataset and target is not None:
        raise DataError(f"{dataset} is a card, which says its label itself; leave out --target")
    folder = ensure_data({name: []})[name]
    manifest = read_manifest(folder)
    _ensure_search_set(folder, manifest)
    made = search_folder(folder)
    return PickData(name, folder, manifest, made, read_manifest(made))


def _is_file(dataset: str) -> bool:
    """A card of that name goes before a file of it, as everywhere else."""
    from treebench.data.cards import NAME, card_paths

    known = {path.stem for path in card_paths()}
    return dataset not in known and (Path(dataset).exists() or not NAME.fullmatch(dataset))


def _imported(path: Path, target: str | None) -> str:
    """The name of the file's card: that of an earlier import, or of one made now."""
    from treebench.cli.data_text import say
    from treebench.data.importing import Request, import_file

    earlier = _card_of(path, target)
    if earlier is not None:
        say(f"{path}: imported before, as {earlier.card.name}")
        return earlier.card.name
    try:
        return import_file(Request(path=path, target=target), say).card.name
    except DataError as error:
        raise DataError(*error.problems, *_where_options_are(path, target, error)) from None


def _where_options_are(path: Path, target: str | None, error: DataError) -> list[str]:
    """What the import asks to be told cannot be told here, save for the label."""
    asked = set(_OPTION.findall(" ".join(error.problems))) - {"--target"}
    if not asked:
        return []
    label = "" if target is None else f" --target {target}"
    options = f"{', '.join(sorted(asked))} {'is an option' if len(asked) == 1 else 'are options'}"
    return [
        f"{options} of `treebench data import {path}{label}`; import it so, then pick by the "
        f"data set's name"
    ]


_OPTION = re.compile(r"--[a-z][a-z-]+")


def _card_of(path: Path, target: str | None) -> CardFile | None:
    """The card of a file that was imported with this label and has not changed since."""
    from treebench.data.cards import load_card, own_cards
    from treebench.data.making.checksum import sha256_of

    for each in sorted(own_cards().glob("*.yaml")):
        try:
            found = load_card(each)
        except DataError:
            continue  # its own mistakes are told by whoever names it
        stored = getattr(found.card.source, "path", None)
        label = None if found.card.target is None else found.card.target.column
        if stored is None or (found.base / stored).resolve() != path.resolve():
            continue
        if target in (None, label) and found.card.checksum == sha256_of(path):
            return found
    return None


def _ensure_search_set(folder: Path, manifest: Manifest) -> None:
    from treebench.data.making.search_set import is_made

    wanted = _subsets(manifest)
    if is_made(folder, wanted):
        return
    sys.stderr.write(f"{manifest.dataset}: splitting a validation part off the training part\n")
    module = ["-m", "treebench.data.making.search_set", str(folder), *map(str, wanted)]
    done = subprocess.run(
        [sys.executable, "-P", *module], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise DataError(
            f"{folder} could not be split for the search ({last}); free space there, or name "
            f"another folder in TREEBENCH_CACHE"
        )


def _subsets(manifest: Manifest) -> Sequence[int]:
    """Rows of the pilots and of the lower rungs."""
    from treebench.data.making.search_set import validation_rows
    from treebench.picking.pilots import pilot_rows
    from treebench.picking.search import rungs

    rows = manifest.train_rows - validation_rows(manifest.train_rows)
    wanted = {*pilot_rows(rows), *(rung.rows for rung in rungs(rows))}
    return sorted(each for each in wanted if each < rows)
