"""From a person's own file to a card and a made data set.

The card is written last: a file that cannot be used leaves nothing behind.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from treebench.data.card_problems import NAME_RULE, problems_of
from treebench.data.cards import (
    NAME,
    Card,
    CardFile,
    check_contradictions,
    own_cards,
)
from treebench.data.making.checksum import data_files, sha256_of
from treebench.data.making.make import make_card
from treebench.data.manifest import read_manifest
from treebench.data.sources.files import DELIMITER_RULE, is_delimiter
from treebench.drafts import write_files
from treebench.errors import DataError
from treebench.written.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.data.manifest import Task

Format = Literal["csv", "parquet", "svmlight"]
SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}
TEST_SHARE = 0.2
MOST_WHOLE_CLASSES = 20
MOST_TEXT_CLASSES = 1_000


@dataclass(frozen=True)
class Request:
    """What a person asked for; None where they left the choice to treebench."""

    path: Path
    target: str | None
    name: str | None = None
    title: str | None = None
    task: Task | None = None
    kind: Format | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    test: Path | None = None
    test_share: float | None = None
    seed: int = 0
    nonfinite: str = "error"
    datetime: str = "error"
    missing_target: str = "error"
    header: bool = True
    delimiter: str | None = None
    licence: str | None = None
    force: bool = False


def import_file(request: Request, report: Callable[[str], None]) -> CardFile:
    """Write a card for a file and make its data set.

    Raises:
        DataError: a line for each problem of the request or the file; nothing is left behind.
    """
    _check_request(request)
    kind = request.kind or kind_of_files(request.path)
    if (kind == "svmlight") != (request.target is None):
        raise DataError(
            f"{request.path}: svmlight has its label first in each row; leave out --target"
            if kind == "svmlight"
            else f"{request.path}: say which column is the label, with --target COLUMN"
        )
    name = request.name or _name_of(request.path)
    path = own_cards() / f"{name}.yaml"
    if path.exists() and not request.force:
        raise DataError(f"{path} exists; choose another --name, or replace it with --force")
    card = _card(_facts(request, name, kind, report), path)
    card_file = CardFile(card, path)
    folder = make_card(card_file, report=report)
    _write_card(card_file, folder)
    return card_file


def kind_of_files(path: Path) -> Format:
    """The format of a file or of the files in a folder, by their names.

    Raises:
        DataError: nothing there, or names that do not tell one format.
    """
    if not path.exists():
        raise DataError(f"{path} does not exist; give a file, or a folder of files")
    files = data_files(path)
    if not files:
        raise DataError(f"{path} is a folder without data files; give a folder that holds some")
    kinds = {_kind_of_name(file) for file in files}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None:
        return kind
    unknown = next((file for file in files if _kind_of_name(file) is None), None)
    if unknown is not None:
        raise DataError(
            f"{unknown}: its name does not tell a format; say --format csv, parquet or svmlight"
            + (", or move it out of the folder" if path.is_dir() else "")
        )
    raise DataError(f"{path} holds files of several formats; import one format at a time")


def guess_task(request: Request, kind: Format, report: Callable[[str], None]) -> Task:
    """The task that the labels suggest, said to the person together with the reason.

    Text and truth values are classes; so are numbers of two values, and at most 20 whole numbers.
    """
    import numpy as np

    column, values = _labels(request, kind)
    distinct = np.unique(values[~np.isnan(values)])
    few = len(distinct)
    whole = bool(np.all(distinct == np.floor(distinct)))
    what = "different texts" if column.is_text else "different values"
    if column.is_text and few > MOST_TEXT_CLASSES:
        raise DataError(
            f"{request.path}: the target {request.target!r} has {few:,} different texts; name "
            f"another column, or say `--task multiclass` if these are classes"
        )
    if few <= 2:
        task: Task = "binary"
    elif column.is_text or (whole and few <= MOST_WHOLE_CLASSES):
        task = "multiclass"
    else:
        task = "regression"
    if few > 1:
        report(f"task: {task}, since the labels have {few:,} {what}; --task says otherwise")
    return task


def _labels(request: Request, kind: Format) -> tuple[Any, Any]:
    from treebench.data.making.encode import LabelColumn
    from treebench.data.making.readers import open_table
    from treebench.data.making.table_columns import nearest

    if kind == "svmlight":
        from treebench.data.making.svmlight import read_blocks

        column = LabelColumn.of_numbers([block.y for block in read_blocks(request.path)])
        return column, column.values
    reader = open_table(request.path, kind, request.header, _delimiter(request), lambda line: None)
    target = str(request.target)
    if target not in reader.schema.names:
        raise DataError(
            f"{request.path}: the target {target!r} is no column; "
            f"{nearest(target, reader.schema.names)}"
        )
    if reader.schema.names.count(target) > 1:
        raise DataError(
            f"{request.path}: the target {target!r} is several columns; rename them in the file"
        )
    try:
        column = LabelColumn(reader.schema.field(target).type)
    except DataError as error:
        raise DataError(f"{request.path}: the target {target!r} {error}") from None
    for batch in reader.batches([target], 1 << 20):
        column.add(batch.column(target))
    return column, column.values


def _check_request(request: Request) -> None:
    problems = []
    if request.name is not None and not NAME.fullmatch(request.name):
        problems.append(f"--name is {request.name!r}; allowed: {NAME_RULE}")
    if request.test is not None and request.test_share is not None:
        problems.append("--test and --test-share are two ways to choose the test part; give one")
    if request.test is not None and not request.test.exists():
        problems.append(f"{request.test} (--test) does not exist; give a file that does")
    if not request.path.exists():
        problems.append(f"{request.path} does not exist; give a file, or a folder of files")
    if not _can_be_written(request.path):
        problems.append(f"{request.path}: {_unwritable()}")
    if request.delimiter is not None and not is_delimiter(request.delimiter):
        problems.append(f"--delimiter is {request.delimiter!r}; allowed: {DELIMITER_RULE}")
    if problems:
        raise DataError(*problems)


def _facts(
    request: Request, name: str, kind: Format, report: Callable[[str], None]
) -> dict[str, Any]:
    """The card as a person would write it: only what is stated."""
    task = request.task or guess_task(request, kind, report)
    facts: dict[str, Any] = {
        "name": name,
        "title": request.title or f"{request.path.name}, imported",
        "source": {"kind": kind, "path": _stored_path(request.path), **_csv_options(request, kind)},
        "task": task,
    }
    if request.target is not None:
        facts["target"] = {"column": request.target}
        if request.missing_target != "error":
            facts["target"]["missing"] = request.missing_target
    if request.categorical:
        facts["features"] = {"categorical": list(request.categorical)}
    if request.drop:
        facts["drop"] = dict.fromkeys(request.drop, "left out when the file was imported")
    facts["split"] = _split(request)
    facts["licence"] = request.licence or "not stated"
    facts["checksum"] = sha256_of(request.path)
    for key in ("nonfinite", "datetime"):
        if getattr(request, key) != "error":
            facts[key] = getattr(request, key)
    return facts


def _split(request: Request) -> dict[str, Any]:
    if request.test is not None:
        return {
            "test_file": _stored_path(request.test),
            "test_checksum": sha256_of(request.test),
            "seed": request.seed,
        }
    share = TEST_SHARE if request.test_share is None else request.test_share
    return {"test_share": share, "seed": request.seed}


def _csv_options(request: Request, kind: Format) -> dict[str, Any]:
    if kind != "csv":
        return {}
    options: dict[str, Any] = {} if request.header else {"header": False}
    delimiter = _delimiter(request)
    return options if delimiter == "," else {**options, "delimiter": delimiter}


def _delimiter(request: Request) -> str:
    return request.delimiter or ("\t" if ".tsv" in request.path.suffixes else ",")


def _card(facts: dict[str, Any], path: Path) -> Card:
    try:
        card = Card.model_validate(facts)
    except ValidationError as error:
        raise DataError(*problems_of(error, Card, facts, path)) from None
    check_contradictions(card, path)
    return card


def _write_card(card_file: CardFile, folder: Path) -> None:
    path = card_file.path
    facts = card_file.card.model_dump(mode="json", exclude_unset=True)
    manifest = read_manifest(folder)
    note = (
        f"# Written by `treebench data import`: {manifest.train_rows:,} training and "
        f"{manifest.test_rows:,} test rows, {manifest.n_features:,} features.\n"
    )
    content = (note + yaml_text(facts)).encode()
    remedy = "make room or fix its rights, or import in another folder"
    write_files(path.parent, {path.name: content}, DataError, remedy)


def _can_be_written(path: Path) -> bool:
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        return False
    return True


def _unwritable() -> str:
    """Why a name cannot be written as text, and what helps."""
    encoding = sys.getfilesystemencoding()
    if encoding != "utf-8":
        return f"its name is read as {encoding} here, so no card can hold it; set PYTHONUTF8=1"
    return "its name is not UTF-8, so no card can hold it; rename it"


def _stored_path(path: Path) -> str:
    """Relative to the folder that holds `datasets/` if it lies below it, so both can be moved."""
    absolute = Path(os.path.abspath(path))
    base = Path.cwd()
    return str(absolute.relative_to(base) if absolute.is_relative_to(base) else absolute)


def _kind_of_name(path: Path) -> Format | None:
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    packed = suffixes[-1:] in ([".gz"], [".bz2"])
    kind = SUFFIXES.get(suffixes[0 if packed and len(suffixes) > 1 else -1]) if suffixes else None
    return kind if kind == "csv" or not packed else None


def _name_of(path: Path) -> str:
    stem = path.absolute().name.split(".")[0].lower()
    name = re.sub(r"[^a-z0-9._-]+", "-", stem).strip("-._")
    if not name:
        raise DataError(f"{path}: give the data set a name, with --name")
    return name
