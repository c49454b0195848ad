"""`--data SET=FILE` of `reproduce`: data of a person's own in the place of a data set."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence


def stated_pairs(stated: Sequence[str]) -> dict[str, str]:
    """By data set what was written for it.

    Raises:
        ConfigError: it is not written as SET=FILE.
    """
    found = {}
    for each in stated:
        old, equals, new = each.partition("=")
        if not equals or not old or not new:
            raise ConfigError(f"--data {each}: write it as SET=FILE, as in flights=mine.parquet")
        found[old] = new
    return found


def replacements(stated: Sequence[str]) -> dict[str, str]:
    """By data set, the name of the one to take its place.

    Raises:
        ConfigError: it is not written as SET=FILE, or the file has not been imported.
    """
    return {old: _imported(new, old) for old, new in stated_pairs(stated).items()}


def known_replacements(stated: Sequence[str]) -> dict[str, str]:
    """As `replacements`, every one a data set that there is: hours of measuring would end without
    those that there are not.

    Raises:
        ConfigError: one line for each that has no card, or as of `replacements`.
        DataError: a card has mistakes.
    """
    from treebench.data.cards import card_paths, find_card

    found = replacements(stated)
    known = {path.stem for path in card_paths()}
    problems = []
    for old, new in found.items():
        try:
            find_card(new)
        except DataError as error:
            if new in known:
                raise
            said = "; ".join(error.problems)
            problems.append(f"--data {old}={new}: there is no file of that name, and {said}")
    if problems:
        raise ConfigError(*problems)
    return found


def _imported(new: str, old: str) -> str:
    """The data set of a name, or the one that was imported from a file, or `old` itself where it
    is a public set and the file is it."""
    from treebench.data.cards import card_paths, load_card

    path = Path(new)
    if not path.exists():
        return new
    if _is_fetched(old):
        from treebench.cli.data_text import say
        from treebench.data.fetching.give import give_files

        give_files(old, path, say)
        return old
    for card in map(load_card, card_paths()):
        source = getattr(card.card.source, "path", None)
        if source is not None and (card.base / source).resolve() == path.resolve():
            return card.card.name
    typed = shlex.quote(new)
    raise ConfigError(
        f"--data {old}={new}: that file has no card yet; make one first: "
        f"treebench data import {typed} --target COLUMN"
    )


def _is_fetched(name: str) -> bool:
    """Whether a card of this name is for a public set, whose files are checked against it."""
    from treebench.data.cards import card_paths, load_card
    from treebench.data.sources.fetched import Fetched

    paths = [path for path in card_paths() if path.stem == name]
    return bool(paths) and isinstance(load_card(paths[0]).card.source, Fetched)
