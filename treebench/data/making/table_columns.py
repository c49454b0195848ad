"""Which columns of a table become features, as what, and what is wrong with the others."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.data.making.columns import Kind, kind_of
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from treebench.data.cards import Card
    from treebench.data.making.readers.base import TableReader

RESERVED = "__target__"
MOST_NAMES = 10


@dataclass(frozen=True)
class TableColumns:
    """Features in their order, with their kind; what was dropped, and why."""

    kinds: dict[str, Kind]
    dropped: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """All features, in order."""
        return tuple(self.kinds)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Features that are numbers, or times to be made numbers."""
        return tuple(name for name, kind in self.kinds.items() if kind in ("number", "datetime"))

    @property
    def categories(self) -> tuple[str, ...]:
        """Features that are categorical."""
        return tuple(name for name, kind in self.kinds.items() if kind == "category")


def plan_columns(
    card: Card, readers: Sequence[TableReader], report: Callable[[str], None]
) -> tuple[TableColumns, list[str]]:
    """The features of a table and the problems of its columns.

    Raises:
        DataError: names that repeat, since nothing can be read by such a name.
    """
    _refuse_repeated(readers)
    reader = readers[0]
    types = {field.name: field.type for field in reader.schema}
    dropped = _dropped(card, reader, types)
    for name, why in dropped.items():
        if name not in card.drop:
            report(f"left out column {name!r}: {why}")
    partitions = getattr(reader, "partitions", {})
    if partitions:
        report(f"columns from the names of folders: {', '.join(partitions)}")
    target = target_column(card)
    kinds = {
        name: _kind(card, name, kind)
        for name, kind in types.items()
        if name != target and name not in dropped
    }
    columns = TableColumns(kinds, dropped)
    problems = [f"{reader.label}: {line}" for line in _problems(card, types, columns)]
    for test in readers[1:]:
        problems += [f"{test.label}: {line}" for line in _test_problems(card, test, columns, types)]
    return columns, problems


def target_column(card: Card) -> str:
    """The name of the target; sources whose card states none call it `target`."""
    return card.target.column if card.target is not None else "target"


def nearest(name: str, names: Iterable[str]) -> str:
    """A remedy for a name that is not there."""
    known = list(names)
    if not known:
        return "there are no columns; give a file that has some"
    folded = {other.casefold(): other for other in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=1)
    if near:
        return f"did you mean {folded[near[0]]!r}?"
    return f"there are: {listed([_quoted_if_odd(other) for other in known])}"


def _quoted_if_odd(name: str) -> str:
    """A name as it is, or in quotes where it would not be seen to be one: `x;y`, ` x`."""
    return name if name.replace("_", "a").replace("-", "a").isalnum() else repr(name)


def listed(names: Sequence[str]) -> str:
    """Names for a person, the first few of many."""
    shown = ", ".join(names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _refuse_repeated(readers: Sequence[TableReader]) -> None:
    problems = []
    for reader in readers:
        twice = [
            f"{name!r} ({many} times)"
            for name, many in Counter(reader.schema.names).items()
            if many > 1
        ]
        if twice:
            problems.append(
                f"{reader.label}: columns with the same name: {listed(twice)}; "
                f"rename them in the file"
            )
    if problems:
        raise DataError(*problems)


def _kind(card: Card, name: str, kind: Any) -> Kind:
    found = kind_of(kind)
    return "category" if name in card.features.named and found == "number" else found


def _dropped(card: Card, reader: TableReader, types: dict[str, Any]) -> dict[str, str]:
    wanted = {target_column(card), *card.features.named}
    dropped = {name: why for name, why in reader.left_out.items() if name not in wanted}
    dropped.update({name: why for name, why in card.drop.items() if name in types})
    if card.datetime == "drop":
        dropped.update(
            {
                name: f"a time ({kind}), and the card says `datetime: drop`"
                for name, kind in types.items()
                if kind_of(kind) == "datetime" and name not in dropped and name not in wanted
            }
        )
    return dropped


def _problems(card: Card, types: dict[str, Any], columns: TableColumns) -> list[str]:
    asked = {
        "drop": card.drop,
        "categorical": card.features.categorical,
        "onehot": card.features.onehot,
    }
    problems = [
        f"`{key}` names {name!r}, which is no column; {nearest(name, types)}"
        for key, names in asked.items()
        for name in names
        if name not in types
    ]
    target = target_column(card)
    if target not in types:
        problems.append(f"the target {target!r} is no column; {nearest(target, types)}")
    if RESERVED in columns.kinds:
        problems.append(
            f"a column is called {RESERVED!r}, which treebench keeps for itself; rename it"
        )
    problems += _unfit_types(card, types, columns)
    if not columns.kinds:
        problems.append("no column is left to be a feature; drop fewer")
    return problems + _onehot_problems(card, columns)


def _unfit_types(card: Card, types: dict[str, Any], columns: TableColumns) -> list[str]:
    def called(wanted: Kind) -> list[str]:
        return [f"{name} ({types[name]})" for name, kind in columns.kinds.items() if kind == wanted]

    problems = []
    if (times := called("datetime")) and card.datetime == "error":
        problems.append(
            f"columns hold times: {listed(times)}; `datetime: epoch` (`--datetime epoch`) makes "
            f"them seconds since 1970, `datetime: drop` leaves them out"
        )
    if refused := called("refused"):
        problems.append(
            f"columns of types that trees cannot be trained on: {listed(refused)}; leave them out "
            f"(`drop:`, `--drop`), or turn them into numbers or text in the file"
        )
    return problems


def _onehot_problems(card: Card, columns: TableColumns) -> list[str]:
    if not card.features.onehot:
        return []
    others = [name for name in columns.kinds if name not in card.features.onehot]
    if not others:
        return []
    return [f"with `onehot`, all features are one-hot; drop or name there: {listed(others)}"]


def _test_problems(
    card: Card, test: TableReader, columns: TableColumns, types: dict[str, Any]
) -> list[str]:
    """How the test file differs from the training file in columns that matter."""
    own = {field.name: field.type for field in test.schema}
    problems = [
        f"column {name!r} is missing, and the training file has it; add it"
        for name in (*columns.kinds, target_column(card))
        if name not in own and name in types
    ]
    problems += [
        f"column {name!r} is {own[name]}, in the training file {types[name]}; write both alike"
        for name, kind in columns.kinds.items()
        if name in own and _kind(card, name, own[name]) != kind
    ]
    extra = [name for name in own if name not in types and name not in test.left_out]
    if extra:
        problems.append(f"columns that the training file lacks: {listed(extra)}; remove them")
    return problems
