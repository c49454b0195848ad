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
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key of the config, as in samples=3; repeatable.",
    ),
]
OnlyOption = Annotated[
    str | None,
    typer.Option(
        "--only", metavar="EXPR", help='Only some cells, as in "trainer=xgboost, rows<=80000".'
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
