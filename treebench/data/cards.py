"""Cards: one YAML file per data set, saying where it comes from and how it is made.

Cards are looked for in `./datasets`, then among those that come with treebench. A card that states
the same facts is the same card, whatever its comments: the hash is over the facts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from treebench.data.card_problems import NAME_PATTERN, SHA256_PATTERN, problems_of
from treebench.data.manifest import FORM_VERSION, Task
from treebench.data.sources import AnySource  # noqa: TC001 - pydantic needs it
from treebench.data.sources.base import Options
from treebench.errors import DataError
from treebench.shipped import in_checkout, shipped_folder
from treebench.written.refusals import contradiction, nearest
from treebench.written.yaml_text import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treebench.data.manifest import Storage

# Part of a card's hash: raised whenever the same card would give other bytes than before.
MAKER_VERSION = 1

NAME = re.compile(NAME_PATTERN.strip("^$"))
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN, max_length=100)]
Text = Annotated[str, StringConstraints(min_length=1)]
Sha256 = Annotated[str, StringConstraints(pattern=SHA256_PATTERN)]


class Target(Options):
    """How the label is made: a column as it is, or whether it is `above` a number.

    `missing: drop` leaves rows without a label out; otherwise they are an error.
    """

    column: Text
    above: float | None = None
    missing: Literal["error", "drop"] = "error"


class Features(Options):
    """Columns that are not plain numbers. Text columns are categorical without being named.

    With `onehot`, the set is stored as sparse rows of these columns' one-hot codes alone.
    """

    categorical: tuple[Text, ...] = ()
    onehot: tuple[Text, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """All columns named here."""
        return self.categorical + self.onehot


class Split(Options):
    """How the test part is chosen: a seeded stratified share, the last rows, or a given file."""

    test_share: Annotated[float, Field(gt=0, lt=1)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    last_rows: Annotated[int, Field(ge=1)] | None = None
    test_file: Text | None = None
    test_checksum: Sha256 | None = None

    @model_validator(mode="after")
    def _one_rule(self) -> Self:
        rules = [self.test_share, self.last_rows, self.test_file]
        if sum(rule is not None for rule in rules) != 1:
            raise ValueError("state one of test_share, last_rows and test_file")
        if self.test_checksum is not None and self.test_file is None:
            raise ValueError("test_checksum needs a test_file")
        return self


class Expected(Options):
    """The shape that making the set must give, over both parts."""

    rows: Annotated[int, Field(ge=2)]
    features: Annotated[int, Field(ge=1)]


class Card(Options):
    """All that is needed to make a data set, and to say what it is."""

    name: Name
    title: Text
    source: AnySource
    task: Task
    target: Target | None = None
    features: Features = Features()
    drop: dict[str, Text] = Field(default_factory=dict)
    split: Split | None = None
    licence: Text
    checksum: Sha256 | None = None
    nonfinite: Literal["error", "nan"] = "error"
    datetime: Literal["error", "epoch", "drop"] = "error"
    expected: Expected | None = None

    @property
    def storage(self) -> Storage:
        """How the made set is stored."""
        return self.source.storage(self)

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows (over both parts) and features, where they are known before making."""
        if self.expected is not None:
            return (self.expected.rows, self.expected.features)
        return self.source.shape(self)

    @property
    def seed(self) -> int:
        """The seed of the split, and of the subsets of the training part."""
        return self.split.seed if self.split is not None else 0

    @property
    def sha256(self) -> str:
        """The hash of the card's facts and of the maker's version."""
        facts = {"maker": MAKER_VERSION, "card": self.model_dump(mode="json")}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class CardFile:
    """A card and the file that it stands in (or will stand in)."""

    card: Card
    path: Path

    @property
    def base(self) -> Path:
        """The folder that the card's relative paths start from: the one holding `datasets/`."""
        return self.path.parent.parent

    @property
    def made_folder(self) -> Path:
        """Where the made set lies, or will lie. A changed card has another folder, and so has a
        treebench that writes another form."""
        made_by = f"{FORM_VERSION} {self.card.sha256}"
        digest = hashlib.sha256(made_by.encode()).hexdigest()
        return self._cache() / f"{self.card.name}-{digest[:8]}"

    def _cache(self) -> Path:
        if stated := os.environ.get("TREEBENCH_CACHE"):
            return Path(stated).absolute()
        folder = self.path.absolute().parent
        is_own = folder == own_cards().absolute()
        if is_own or (in_checkout() and folder == shipped_folder("datasets")):
            return folder / "cache"
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(home) / "treebench" / "datasets"


def own_cards() -> Path:
    """The folder of a person's own cards."""
    return Path("datasets")


def find_card(name: str) -> CardFile:
    """The card called `name`.

    Raises:
        DataError: there is none (the names there are are listed), or it has mistakes.
    """
    if NAME.fullmatch(name):
        for folder in _card_folders():
            path = folder / f"{name}.yaml"
            if path.is_file():
                return load_card(path)
    known = sorted(path.stem for path in card_paths())
    near = nearest(name, known)
    listed = "" if near else f"there are cards for: {', '.join(known) or 'none'}; "
    raise DataError(
        f"no data set is called {name!r}{near}; {listed}for a file of your own: "
        f"`treebench data import FILE --target COLUMN`"
    )


def card_paths() -> Iterator[Path]:
    """The files of all cards; a person's own hides a shipped one of the same name."""
    seen: set[str] = set()
    for folder in _card_folders():
        for path in sorted(folder.glob("*.yaml")):
            if path.name not in seen:
                seen.add(path.name)
                yield path


def load_card(path: Path) -> CardFile:
    """Read a card and check all of it.

    Raises:
        DataError: one line for each mistake, naming file, key, value and what is allowed.
    """
    raw = read_yaml(path, DataError)
    if not isinstance(raw, dict):
        raise DataError(f"{path} must hold `key: value` lines, beginning with `name:`")
    try:
        card = Card.model_validate(raw)
    except ValidationError as error:
        raise DataError(*problems_of(error, Card, raw, path)) from None
    check_contradictions(card, path)
    return CardFile(card, path)


def check_contradictions(card: Card, path: Path) -> None:
    """Values that are right alone and wrong together.

    Raises:
        DataError: one line for each, naming file, key, value and what is allowed.
    """
    problems = [
        f"{path}: {contradiction(key, value, allowed)}"
        for key, value, allowed in _contradictions(card, path.stem)
    ]
    if problems:
        raise DataError(*problems)


def _card_folders() -> list[Path]:
    return [own_cards(), shipped_folder("datasets")]


def _contradictions(card: Card, stem: str) -> list[tuple[str, Any, str]]:
    """Key, value, what is allowed."""
    problems = card.source.card_problems(card)
    if card.name != stem:
        problems.append(("name", card.name, f"the name of its file, {stem!r}"))
    problems += _misplaced_sections(card)
    if card.target is not None and card.target.above is not None and card.task != "binary":
        problems.append(
            ("task", card.task, "binary, since `target.above` asks a yes-or-no question")
        )
    twice = set(card.features.categorical) & set(card.features.onehot)
    problems += [("features.onehot", name, "a column not in `categorical` too") for name in twice]
    needed = set(card.features.named) | ({card.target.column} if card.target else set())
    problems += [
        ("drop", name, "a column that is neither the target nor in `features`")
        for name in card.drop
        if name in needed
    ]
    return problems


def _misplaced_sections(card: Card) -> Iterator[tuple[str, Any, str]]:
    source = card.source
    stated = {
        "target": (card.target, source.states_target),
        "split": (card.split, source.states_split),
    }
    for key, (section, wanted) in stated.items():
        if wanted and section is None:
            yield (key, None, f"a `{key}` section, which `kind: {source.kind}` needs")
        if not wanted and section is not None:
            yield (
                key,
                section.model_dump(exclude_none=True),
                f"nothing: `kind: {source.kind}` has its own {key}",
            )
