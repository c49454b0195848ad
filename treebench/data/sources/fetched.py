"""Public data sets whose files are downloaded, or given by a person who has them.

The card names the files and where they can be had; `data.fetching` gets them. Here they are read
where they lie, packed as they came. Addresses, sizes and instructions are no part of the card's
hash: a file that moved to another address is the same file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from treebench.data.card_problems import ADDRESS_PATTERN, FILE_NAME_PATTERN, SHA256_PATTERN
from treebench.data.sources.base import Options, Source
from treebench.data.sources.files import checked_delimiter
from treebench.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from treebench.data.cards import Card
    from treebench.data.making.batches import Prepared
    from treebench.data.making.packed import PackedFile
    from treebench.data.manifest import Storage

Address = Annotated[str, Field(pattern=ADDRESS_PATTERN)]
FileName = Annotated[str, Field(pattern=FILE_NAME_PATTERN)]
Bytes = Annotated[int, Field(ge=1)]


class RemoteFile(Options):
    """One file as it is given out. Without an address, it can be had by hand alone.

    `most_bytes` ends a download that grows beyond it; `about_bytes` is for people who wait.
    """

    addresses: tuple[Address, ...] = Field(default=(), exclude=True)
    checksum: Annotated[str, Field(pattern=SHA256_PATTERN)] | None = None
    most_bytes: Bytes = Field(exclude=True)
    about_bytes: Bytes | None = Field(default=None, exclude=True)


class Fetched(Source):
    """A source of files that are not on the machine from the start.

    `path`, and `split.test_file` of the card, name one of `files`, or `FILE/member` for a member
    of a zip archive.
    """

    files: dict[FileName, RemoteFile] = Field(min_length=1)
    path: Annotated[str, Field(min_length=1)]
    most_unpacked_bytes: Bytes = Field(exclude=True)
    page: Address = Field(exclude=True)
    by_hand: str | None = Field(default=None, exclude=True)

    @property
    def is_open(self) -> bool:
        """Whether all of it can be downloaded, without a login or a licence to agree to."""
        return all(file.addresses for file in self.files.values())

    def parts(self, card: Card) -> list[str]:
        """What is read of the files: the training part, and the test part if it has its own."""
        test = card.split.test_file if card.split is not None else None
        return [self.path, *([] if test is None else [test])]

    def card_problems(self, card: Card) -> list[tuple[str, Any, str]]:
        """Parts that are in no file, and checksums in the wrong place."""
        problems: list[tuple[str, Any, str]] = [
            ("source.path" if part == self.path else "split.test_file", part, self._places())
            for part in self.parts(card)
            if file_of(part) not in self.files
        ]
        stated = {"checksum": card.checksum}
        if card.split is not None:
            stated["split.test_checksum"] = card.split.test_checksum
        allowed = "nothing: each of `source.files` has a `checksum` of its own"
        problems += [(key, value, allowed) for key, value in stated.items() if value is not None]
        return problems

    def remedy(self, name: str) -> str:
        """How to come by the files."""
        given = f"`treebench data fetch {name} --data {name}={self._given()}`"
        if self.is_open:
            return (
                f"get it with `treebench data fetch {name}`, or, with the data at hand, say where "
                f"it is: {given}"
            )
        return f"{self.by_hand or f'get it from {self.page}'}; then say where it is: {given}"

    def remedy_offline(self, name: str) -> str:
        """What to do where a download failed."""
        places = [file.addresses[0] for file in self.files.values() if file.addresses]
        return (
            f"if this machine cannot reach it, get {' and '.join(places) or self.page} on another "
            f"and say where it is: `treebench data fetch {name} --data {name}={self._given()}`"
        )

    def packed(self, card: Card) -> list[PackedFile]:
        """The parts, ready to be read.

        Raises:
            DataError: a file was never fetched or given, or is gone or another one now.
        """
        from pathlib import Path

        from treebench.data.fetching.place import known_files
        from treebench.data.making.checksum import check_file

        known = known_files(card.name)
        lacking = [file for file in self.files if file not in known]
        if lacking:
            raise DataError(
                f"{card.name}: {', '.join(lacking)} is not on this machine; "
                f"{self.remedy(card.name)}"
            )
        for file in self.files:
            check_file(
                Path(known[file].path),
                known[file].sha256,
                f"put it back, or {self.remedy(card.name)}",
            )
        return [
            self.packed_part(part, Path(known[file_of(part)].path)) for part in self.parts(card)
        ]

    def packed_part(self, part: str, path: Path) -> PackedFile:
        """One part in a file, or in a folder that holds the unpacked members of the file."""
        from treebench.data.making.packed import PackedFile

        member = member_of(part)
        if path.is_dir() and member is not None:
            return PackedFile(unpacked_member(path, member), None, self.most_unpacked_bytes)
        return PackedFile(path, member, self.most_unpacked_bytes)

    def check_beginning(self, file: PackedFile) -> None:
        """Look at the first line of a part, before all of it is read.

        Raises:
            DataError: it is not what the card describes.
        """

    def _places(self) -> str:
        return f"FILE or FILE/member, with FILE one of {', '.join(self.files)}"

    def _given(self) -> str:
        return "FILE" if len(self.files) == 1 else "FOLDER"


class FetchedTable(Fetched):
    """CSV. `columns` names those of a file without a header; with one, it must say the same."""

    kind: Literal["fetched-csv"]
    header: bool = True
    delimiter: Annotated[str, AfterValidator(checked_delimiter)] = ","
    columns: tuple[str, ...] = ()

    def card_problems(self, card: Card) -> list[tuple[str, Any, str]]:
        """As for any fetched file, and a file without any names."""
        problems = super().card_problems(card)
        if not self.header and not self.columns:
            allowed = "the names of all columns, since the file has no header"
            problems.append(("source.columns", [], allowed))
        return problems

    def check_beginning(self, file: PackedFile) -> None:
        """Compare names, or the number of columns where the file has no names."""
        line = file.first_line().decode("utf-8", errors="replace").removeprefix("\ufeff")
        fields = [field.strip().strip('"') for field in line.split(self.delimiter)]
        if self.columns and len(fields) != len(self.columns):
            raise DataError(
                f"{file.label} has {len(fields):,} columns, the card says {len(self.columns):,}; "
                f"give the right file"
            )
        if self.header and self.columns and tuple(fields) != self.columns:
            first = next(i for i, name in enumerate(fields) if name != self.columns[i])
            raise DataError(
                f"{file.label}: column {first + 1} is {fields[first]!r}, the card says "
                f"{self.columns[first]!r}; give the right file"
            )

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Read columns, types and labels; values are read as they are streamed."""
        from treebench.data.making.readers.csv_file import CsvReader
        from treebench.data.making.tables import prepare_table

        names = () if self.header else self.columns
        files = self.packed(card)
        report(f"looking at {', '.join(file.label for file in files)}")
        readers = [CsvReader.of_packed(file, self.delimiter, names) for file in files]
        return prepare_table(card, readers[0], readers[1] if readers[1:] else None, report)


class FetchedSvmlight(Fetched):
    """svmlight whose rows hold all, or nearly all, of `features` columns: stored as a wide table.

    A `qid:` is left out: what is learnt here is the label of a row.
    """

    states_target: ClassVar[bool] = False
    kind: Literal["fetched-svmlight"]
    features: Annotated[int, Field(ge=1, le=100_000)]

    def card_problems(self, card: Card) -> list[tuple[str, Any, str]]:
        """As for any fetched file; and columns have no names to be dropped by."""
        named = {"drop": card.drop, "features": card.features.named}
        allowed = "nothing: the columns of svmlight have no names"
        unnamed = [(key, value, allowed) for key, value in named.items() if value]
        return super().card_problems(card) + unnamed

    def check_beginning(self, file: PackedFile) -> None:
        """Whether the first row is a label and pairs, none beyond the last column."""
        words = file.first_line().split(b"#")[0].split()
        try:
            float(words[0])
            indices = [int(word.split(b":")[0]) for word in words[1:] if word[:4] != b"qid:"]
            whole = all(word.count(b":") == 1 for word in words[1:])
        except (ValueError, IndexError):
            whole, indices = False, []
        if not whole or max(indices, default=0) > self.features:
            raise DataError(
                f"{file.label}: its first row is not a label and `index:value` pairs of at most "
                f"{self.features:,} columns; give the right file"
            )

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Read the labels; values are read as they are streamed."""
        from treebench.data.making.svmlight_wide import prepare_svmlight_wide

        files = self.packed(card)
        report(f"looking at {', '.join(file.label for file in files)}")
        return prepare_svmlight_wide(card, files, self.features)


class FetchedNewsgroups(Fetched):
    """The 20 newsgroups, by date: a tar archive of one text per file, its words counted."""

    states_target: ClassVar[bool] = False
    states_split: ClassVar[bool] = False
    kind: Literal["fetched-newsgroups"]

    def storage(self, card: Card) -> Storage:
        """Always sparse rows."""
        return "sparse-rows"

    def prepare(self, card: Card, base: Path, report: Callable[[str], None]) -> Prepared:
        """Read all texts and count their words."""
        from treebench.data.making.newsgroups import prepare_newsgroups

        (file,) = self.packed(card)
        report(f"counting words in {file.label}")
        return prepare_newsgroups(file)


def file_of(part: str) -> str:
    """The file of a part written as FILE or FILE/member."""
    return part.split("/", 1)[0]


def member_of(part: str) -> str | None:
    """The member of a part written as FILE/member, None for FILE."""
    return part.split("/", 1)[1] if "/" in part else None


def unpacked_member(folder: Path, member: str) -> Path:
    """Where a member lies in a folder that someone unpacked: under its own path, or flat."""
    whole = folder / member
    return whole if whole.is_file() else folder / whole.name
