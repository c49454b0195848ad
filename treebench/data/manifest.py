"""What a made data set holds, readable without numpy.

A made data set is a folder: `manifest.json`, `train.parquet`, `test.parquet`, one
`train-<rows>.parquet` for each subset that a sweep asked for, and where it asked for a validation
part `train-<rows>-less-<share>.parquet` and `validation-<rows>-less-<share>.parquet`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from treebench.drafts import draft_of
from treebench.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

Task = Literal["binary", "multiclass", "regression"]
Storage = Literal["wide", "sparse-rows"]
Layout = Literal["dense-c", "dense-f", "csr", "csc"]
LAYOUTS: tuple[Layout, ...] = ("dense-c", "dense-f", "csr", "csc")

FORM_VERSION = 2
"""Of the files of a made set; another form goes into another folder."""

MANIFEST_VERSION = 3
_LARGEST_SHARE = 0.5
_READABLE = (2, MANIFEST_VERSION)
"""Version 2 lacks `without_value`."""


@dataclass(frozen=True)
class Feature:
    """One column: `cardinality` is the number of codes of a categorical column, else None."""

    name: str
    cardinality: int | None = None


class Split(NamedTuple):
    """A share of so many training rows that is held out as a validation part. `rows` of None are
    all there are."""

    rows: int | None
    share: float

    def label(self, available: int) -> str:
        """How it is called in a file's name, of `available` rows in all: 20000-less-0.2, say."""
        return f"{self.rows or available}-less-{self.share!r}"

    def written(self) -> str:
        """As `split_in` reads it."""
        return f"{self.rows or 'all'}:{self.share!r}"


def split_in(text: str) -> Split:
    """The split in `20000:0.2` or `all:0.2`.

    Raises:
        DataError: it is none.
    """
    rows, _, share = text.partition(":")
    try:
        split = Split(None if rows == "all" else int(rows), float(share))
    except ValueError:
        split = Split(0, 0.0)
    if split.rows == 0 or not 0 < split.share <= _LARGEST_SHARE:
        raise DataError(
            f"{text!r} holds nothing out; write rows (or all) and a share of at most "
            f"{_LARGEST_SHARE:g}, such as 20000:0.2"
        )
    return split


def validation_rows(rows: int, share: float) -> int:
    """How many of `rows` rows are held out: their share to the nearest row, at least one."""
    return max(1, round(share * rows))


@dataclass(frozen=True)
class Manifest:
    """The facts of a made data set.

    `content_sha256` is over the values of both parts in order, so it does not change with the
    Parquet writer's version. `features` is empty for sparse rows, whose columns have no names
    of their own; `n_features` is their width. `features_with_missing` are the positions of those
    that are NaN somewhere in either part; an unseen category in the test part is.
    `without_value` are, by the number of training rows, the positions of those that are nothing
    but NaN in that many: in the whole training part, in each subset that was made, and in what a
    validation part left of either (`Split.label`).
    `file_sha256` has, by the file's name, the hash of each Parquet file as it was written; a set
    that an earlier version made has none.
    """

    version: int
    dataset: str
    title: str
    task: Task
    classes: tuple[str, ...]
    target: str
    storage: Storage
    n_features: int
    features: tuple[Feature, ...]
    train_rows: int
    test_rows: int
    train_stored_entries: int
    features_with_missing: tuple[int, ...]
    content_sha256: str
    card_sha256: str
    licence: str
    dropped: dict[str, str]
    without_value: dict[str, tuple[int, ...]] = field(default_factory=dict)
    file_sha256: dict[str, str] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(self.classes)

    @property
    def density(self) -> float:
        """Share of the training part's cells that are stored (non-zero, or missing)."""
        return self.train_stored_entries / (self.train_rows * self.n_features)

    def columns_without_value(
        self, rows: int, validation_share: float | None = None
    ) -> tuple[int, ...] | None:
        """The features that have no value in the `rows` training rows, less a validation part
        where there is one; None if it is not known, as in a set that an earlier version made."""
        unknown = None if self.features_with_missing else ()
        if validation_share is None:
            return self.without_value.get(str(rows), unknown)
        return self.without_value.get(Split(rows, validation_share).label(rows), unknown)

    def split_problem(self, split: Split) -> str | None:
        """Why a validation part cannot be held out, or None."""
        rows = split.rows or self.train_rows
        left = rows - validation_rows(rows, split.share)
        if left >= max(1, self.n_classes):
            return None
        least = f"all {self.n_classes:,} classes" if self.n_classes else "one row"
        return (
            f"{self.dataset}: a validation part of {split.share:g} leaves {left:,} of {rows:,} "
            f"rows, which cannot hold {least}; ask for more rows, or a smaller part"
        )

    @property
    def identity_sha256(self) -> str:
        """The hash of the values and of what they mean to a learner: the same 0s and 1s are another
        problem as numbers than as classes, and codes another as categories."""
        meaning = [self.task, len(self.classes), [f.cardinality for f in self.features]]
        text = f"{json.dumps(meaning)} {self.content_sha256}"
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The manifest as JSON-ready values."""
        return asdict(self)


def read_manifest(folder: Path) -> Manifest:
    """The manifest in `folder`.

    Raises:
        DataError: the file is missing, is not a manifest, or was written by another version.
    """
    path = folder / "manifest.json"
    remedy = f"delete {folder} and make the data set again"
    try:
        text = path.read_text(encoding="utf-8")
        version = json.loads(text)["version"]
        if version not in _READABLE:
            readable = " and ".join(map(str, _READABLE))
            raise DataError(
                f"{path} has version {version}, this treebench reads {readable}; {remedy}"
            )
        return _checked(text)
    except FileNotFoundError:
        raise DataError(f"no data set in {folder}; make it with `treebench data make`") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); mend its rights") from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} cannot be read ({_reason(error)}); {remedy}") from None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it into `folder`, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    text = json.dumps(manifest.to_json(), indent=1, ensure_ascii=False)
    with draft_of(folder / "manifest.json") as draft:
        draft.write_text(text + "\n", encoding="utf-8")


def _checked(text: str) -> Manifest:
    """The manifest in JSON text, every type and the counts looked at."""
    from pydantic import TypeAdapter

    manifest = TypeAdapter(Manifest).validate_json(text, strict=True)
    if min(manifest.train_rows, manifest.test_rows, manifest.n_features) < 1:
        raise ValueError("a data set has at least one row in each part, and one feature")
    if manifest.storage == "wide" and len(manifest.features) != manifest.n_features:
        raise ValueError(f"it names {len(manifest.features)} of {manifest.n_features} features")
    return manifest


def _reason(error: Exception) -> str:
    """What is wrong, in one line."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
