"""`treebench data import FILE`: a card for a file of one's own, and its made data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from treebench.cli.options import JsonOption
from treebench.errors import ExitCode

if TYPE_CHECKING:
    from treebench.data.importing import Request

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, Parquet (file or folder) or svmlight.")
]
TargetOption = Annotated[
    str | None,
    typer.Option("--target", metavar="COLUMN", help="The label; svmlight has its own."),
]
NameOption = Annotated[
    str | None, typer.Option("--name", help="The data set's name; the file's if not given.")
]
TaskOption = Annotated[
    Literal["binary", "multiclass", "regression"] | None,
    typer.Option("--task", help="What is learnt; guessed from the labels if not given."),
]
FormatOption = Annotated[
    Literal["csv", "parquet", "svmlight"] | None,
    typer.Option("--format", help="For files whose names do not tell it."),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COLUMN", help="Leave a column out; repeatable."),
]
CategoricalOption = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical", metavar="COLUMN", help="Numbers that are categories; repeatable."
    ),
]
TestOption = Annotated[
    Path | None, typer.Option("--test", metavar="FILE", help="A file that is the test part.")
]
TestShareOption = Annotated[
    float | None,
    typer.Option("--test-share", help="The share held out for testing.  [default: 0.2]"),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The seed of the split.")]
NonfiniteOption = Annotated[
    Literal["error", "nan"],
    typer.Option("--nonfinite", help="What becomes of infinities and numbers beyond float32."),
]
DatetimeOption = Annotated[
    Literal["error", "epoch", "drop"],
    typer.Option("--datetime", help="What becomes of times."),
]
MissingTargetOption = Annotated[
    Literal["error", "drop"],
    typer.Option("--missing-target", help="What becomes of rows without a label."),
]
HeaderOption = Annotated[
    bool,
    typer.Option("--header/--no-header", help="Whether a CSV's first line names the columns."),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option("--delimiter", help="What separates a CSV's fields.  [default: ,]"),
]
TitleOption = Annotated[
    str | None, typer.Option("--title", help="What the data set is, in a line.")
]
LicenceOption = Annotated[
    str | None, typer.Option("--licence", help="Under which terms it may be used.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a card of that name.")]


def import_(
    file: FileArgument,
    target: TargetOption = None,
    name: NameOption = None,
    task: TaskOption = None,
    kind: FormatOption = None,
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    test: TestOption = None,
    test_share: TestShareOption = None,
    seed: SeedOption = 0,
    nonfinite: NonfiniteOption = "error",
    datetime: DatetimeOption = "error",
    missing_target: MissingTargetOption = "error",
    header: HeaderOption = True,
    delimiter: DelimiterOption = None,
    title: TitleOption = None,
    licence: LicenceOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Write a card for a file of your own, and make its data set."""
    from treebench.data.importing import Request

    request = Request(
        path=file,
        target=target,
        name=name,
        title=title,
        task=task,
        kind=kind,
        drop=tuple(drop or ()),
        categorical=tuple(categorical or ()),
        test=test,
        test_share=test_share,
        seed=seed,
        nonfinite=nonfinite,
        datetime=datetime,
        missing_target=missing_target,
        header=header,
        delimiter=delimiter,
        licence=licence,
        force=force,
    )
    return _imported(request, as_json=as_json)


def _imported(request: Request, *, as_json: bool) -> int:
    from treebench.cli.data_text import print_imported, print_json, say
    from treebench.data.importing import import_file
    from treebench.data.listing import described

    card_file = import_file(request, say)
    entry = described(card_file.card.name)
    if as_json:
        print_json(entry.to_json())
    else:
        print_imported(entry)
    return ExitCode.OK
