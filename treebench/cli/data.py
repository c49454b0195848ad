"""The verbs of `treebench data`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from treebench.cli.data_fetch import fetch
from treebench.cli.data_import import import_
from treebench.cli.options import JsonOption
from treebench.errors import ExitCode

app = typer.Typer(no_args_is_help=True, help="List, make, fetch and import data sets.")

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
    hold_out: Annotated[
        list[str] | None,
        typer.Option(
            "--hold-out",
            metavar="N:SHARE",
            help="Also a validation part, a share of N training rows (or of all); repeatable.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Make a data set, subsets of its training part, and validation parts held out of them."""
    from treebench.cli.data_text import print_json, print_made, say
    from treebench.data.listing import described
    from treebench.data.making.make import make as make_set
    from treebench.data.manifest import split_in

    make_set(name, rows or (), say, [split_in(text) for text in hold_out or ()])
    entry = described(name)
    if as_json:
        print_json(entry.to_json())
    else:
        print_made(entry)
    return ExitCode.OK


app.command("fetch")(fetch)
app.command("import")(import_)
