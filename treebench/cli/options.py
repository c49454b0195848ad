"""Options that several verbs share, so that they read the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

ConfigArgument = Annotated[
    str, typer.Argument(metavar="CONFIG", help="A YAML file, or the name of a shipped config.")
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's folder, or its name in results/.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change the config, as in data.rows=[1000]."),
]
OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only", metavar="EXPR", help='Some cells, as in "trainer=xgboost, rows<=80000".'
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
