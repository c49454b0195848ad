"""Options that several verbs share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
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
FigureOption = Annotated[
    list[str] | None,
    typer.Option(metavar="FIGURE", help="One more figure, as in load_time; repeatable."),
]
BandOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SHARE",
        help="The relative change that counts, as in time=5% or fit_time=3%; repeatable.",
    ),
]
FloorOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=AMOUNT",
        help="The absolute change that counts, as in time=50ms or memory=16MiB; repeatable.",
    ),
]
EveryOption = Annotated[bool, typer.Option("--all", help="List what is the same too.")]
MarkdownOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write Markdown, as for $GITHUB_STEP_SUMMARY.")
]
JunitOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write JUnit XML, a test for each cell.")
]
