"""A person's own files: CSV, Parquet (one file or a folder), or svmlight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from treebench.data.sources.base import Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from treebench.data.cards import Card
    from treebench.data.making.batches import Prepared
    from treebench.data.manifest import Storage

DELIMITER_RULE = "one ASCII character that is no line break and no quote"


def is_delimiter(text: str) -> bool:
    """Whether fields of a CSV can be told apart by it."""
    return len(text) == 1 and (text == "\t" or " " <= text <= "~") and text != '"'


def checked_delimiter(text: str) -> str:
    """The delimiter of a card, or what is allowed."""
    if not is_delimiter(text):
        raise ValueError(f"must be {DELIMITER_RULE}")
    return text


class Table(Source):
    """CSV or Parquet: one file, or a folder of them (`key=value` folders become columns)."""

    kind: Literal["csv", "parquet"]
    path: Annotated[str, Field(min_length=1)]
    header: bool = True
    delimiter: Annotated[str, AfterValidator(checked_delimiter)] = ","

    def card_problems(self, card: Card) -> list[tuple[str, Any, str]]:
        """Options of CSV in a card for Parquet."""
        stated = self.model_fields_set & {"header", "delimiter"}
        if self.kind == "csv" or not stated:
            return []
        allowed = "nothing: it is an option of `kind: csv`"
        return [(f"source.{key}", getattr(self, key), allowed) for key in sorted(stated)]

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Read the files' columns, types and labels; values are read as they are streamed."""
        from treebench.data.making.checksum import check_file
        from treebench.data.making.tables import prepare_table

        path = base / self.path
        check_file(path, card.checksum, CHANGED)
        test_path = checked_test_path(card, base)
        test = None if test_path is None else self._reader(test_path, report)
        return prepare_table(card, self._reader(path, report), test, report)

    def _reader(self, path: Path, report: Callable[[str], None]) -> Any:
        from treebench.data.making.readers import open_table

        return open_table(path, self.kind, self.header, self.delimiter, report)


class Svmlight(Source):
    """svmlight (libsvm) text: `label index:value ...`, indices ascending."""

    states_target: ClassVar[bool] = False
    kind: Literal["svmlight"]
    path: Annotated[str, Field(min_length=1)]

    def storage(self, card: Card) -> Storage:
        """Always sparse rows."""
        return "sparse-rows"

    def card_problems(self, card: Card) -> list[tuple[str, Any, str]]:
        """Columns have no names here, so none can be dropped or called categorical."""
        named = {"drop": card.drop, "features": card.features.named}
        allowed = "nothing: the columns of svmlight have no names"
        return [(key, value, allowed) for key, value in named.items() if value]

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Read labels and width; entries are read as they are streamed."""
        from treebench.data.making.checksum import check_file
        from treebench.data.making.svmlight import prepare_svmlight

        path = base / self.path
        check_file(path, card.checksum, CHANGED)
        return prepare_svmlight(card, path, checked_test_path(card, base))


def checked_test_path(card: Card, base: Path) -> Path | None:
    """The test file that the card names, compared with its checksum."""
    from treebench.data.making.checksum import check_file

    if card.split is None or card.split.test_file is None:
        return None
    path = base / card.split.test_file
    check_file(path, card.split.test_checksum, CHANGED)
    return path


CHANGED = "put the file back, or import it again with `treebench data import --force`"
