"""The verbs of `treebench data`."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="List, make and import data sets.")


@app.command("list")
def list_cards() -> None:
    """List the data sets there are cards for."""
