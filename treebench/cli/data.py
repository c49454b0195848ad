"""The verbs of `treebench data`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from treebench.cli.options import JsonOption
from treebench.errors import ExitCode

app = typer.Typer(no_args_is_help=True, help="List, make and import data sets.")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A data set, as listed.")]


@app.command("list")
def list_cards(as_json: JsonOption = False) -> int:
    """List the data sets, and which are made."""
    from treebench.cli.data_text import print_json, print_list
    from treebench.data.listing import all_listed

    listed, problems = all_listed()
    if as_json:
        print_json([entry.to_json() for entry in listed])
    else:
        print_list(listed)
    for problem in problems:
        sys.stderr.write(f"treebench: {problem}\n")
    return ExitCode.USAGE if problems else ExitCode.OK


@app.command("info")
def info(name: NameArgument, as_json: JsonOption = False) -> int:
    """Show what a data set is, and what was made of it."""
    from treebench.cli.data_text import print_info, print_json
    from treebench.data.listing import described

    entry = described(name)
    if as_json:
        print_json(entry.to_json())
    else:
        print_info(entry)
    return ExitCode.OK


@app.command("make")
def make(
    name: NameArgument,
    rows: Annotated[
        list[int] | None,
        typer.Option("--rows", metavar="N", help="Also a subset of N training rows; repeatable."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Make a data set, and subsets of its training part."""
    from treebench.cli.data_text import print_json, print_made
    from treebench.data.listing import described
    from treebench.data.making.make import make as make_set

    make_set(name, rows or (), _progress)
    entry = described(name)
    if as_json:
        print_json(entry.to_json())
    else:
        print_made(entry)
    return ExitCode.OK


@app.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, Parquet (file or folder) or svmlight.")
    ],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The label; svmlight has its own.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The data set's name; the file's if not given.")
    ] = None,
    task: Annotated[
        Literal["binary", "multiclass", "regression"] | None,
        typer.Option(help="What is learnt; guessed from the labels if not given."),
    ] = None,
    kind: Annotated[
        Literal["csv", "parquet", "svmlight"] | None,
        typer.Option("--format", help="For files whose names do not tell it."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; repeatable.")
    ] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Numbers that are categories; repeatable."),
    ] = None,
    test: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file that is the test part.")
    ] = None,
    test_share: Annotated[
        float | None, typer.Option(help="The share held out for testing.  [default: 0.2]")
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the split.")] = 0,
    nonfinite: Annotated[
        Literal["error", "nan"],
        typer.Option(help="What becomes of infinities and numbers beyond float32."),
    ] = "error",
    datetime: Annotated[
        Literal["error", "epoch", "drop"], typer.Option(help="What becomes of times.")
    ] = "error",
    missing_target: Annotated[
        Literal["error", "drop"], typer.Option(help="What becomes of rows without a label.")
    ] = "error",
    header: Annotated[
        bool, typer.Option(help="Whether a CSV's first line names the columns.")
    ] = True,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates a CSV's fields.  [default: ,]")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What the data set is, in a line.")] = None,
    licence: Annotated[str | None, typer.Option(help="Under which terms it may be used.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a card of that name.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write a card for a file of your own, and make its data set."""
    from treebench.cli.data_text import print_imported, print_json
    from treebench.data.importing import Request, import_file
    from treebench.data.listing import described

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
    card_file = import_file(request, _progress)
    entry = described(card_file.card.name)
    if as_json:
        print_json(entry.to_json())
    else:
        print_imported(entry)
    return ExitCode.OK


def _progress(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
