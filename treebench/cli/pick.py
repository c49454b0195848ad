"""`treebench pick DATASET --memory 2GiB`: a configuration that keeps to a budget, and its proof."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treebench.cli.options import JsonOption
from treebench.cli.streams import reader_may_leave
from treebench.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from treebench.cli.pick_data import PickData
    from treebench.picking.outcome import Pick
    from treebench.picking.question import Question


def pick(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="A data set's name, or a file of your own.")
    ],
    memory: Annotated[
        str, typer.Option("--memory", metavar="SIZE", help="What training may use: 600MiB, 2GiB.")
    ],
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="How long the pick may train: 45s, 10m."),
    ] = None,
    search_time: Annotated[
        str, typer.Option("--search-time", metavar="TIME", help="How long to search.")
    ] = "5m",
    threads: Annotated[
        str,
        typer.Option("--threads", metavar="N", help="A number, physical or all."),
    ] = "physical",
    trainers: Annotated[
        str | None,
        typer.Option("--trainers", metavar="NAMES", help="Only these, as in xgboost,lightgbm."),
    ] = None,
    minimise: Annotated[
        Literal["score", "time"],
        typer.Option(
            "--minimise",
            help="score: the best model. time: the fastest of those as good as the best.",
        ),
    ] = "score",
    target: Annotated[
        str | None,
        typer.Option("--target", metavar="COLUMN", help="The label, for a file of your own."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder of the run.  [default: results/pick-NAME]"
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the search.")] = 0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew; what is there is kept aside.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Pick trainer and parameters that fit a memory budget.

    Small samples teach what this data costs; only what may keep to the budget is tried; the pick is
    trained on all rows under an enforced limit. After Ctrl-C, or with another budget, the next call
    goes on from what was learnt.
    """
    from treebench.cli.pick_data import pick_data
    from treebench.picking.proposals import check_installed
    from treebench.plan.threads import resolve_threads

    check_installed()
    asked = {
        "budget_bytes": _size(memory),
        "time_budget_s": None if time is None else _seconds("--time", time),
        "search_time_s": _seconds("--search-time", search_time),
        "threads": resolve_threads(_threads(threads), oversubscribe=False),
        "trainers": _trainers(trainers),
        "minimise": minimise,
        "seed": seed,
    }
    data = pick_data(dataset, target)
    folder = out or Path("results") / f"pick-{data.name}"
    outcome = _picked(data, _question(data, asked), folder, fresh=fresh)
    with reader_may_leave():
        _show(outcome, folder, as_json=as_json)
    return ExitCode.OK if outcome.attempt is not None else ExitCode.NOTHING_MEASURED


def _question(data: PickData, asked: dict[str, Any]) -> Question:
    from treebench.picking.question import Question

    return Question(data.name, data.manifest, data.search_manifest, **asked)


def _picked(data: PickData, question: Question, folder: Path, *, fresh: bool) -> Pick:
    from treebench.cli.pick_session import picked
    from treebench.cli.taking import keep_aside

    if fresh:
        keep_aside(folder)
    return picked(data, question, folder)


def _show(outcome: Pick, folder: Path, *, as_json: bool) -> None:
    from treebench.report.pick_folder import write_pick
    from treebench.report.pick_screen import pick_screen
    from treebench.report.terminal import screen_of

    raw = outcome.to_json()
    files = write_pick(folder, raw)
    if as_json:
        json.dump({**raw, "files": files}, sys.stdout, indent=1, allow_nan=False)
        sys.stdout.write("\n")
        return
    sys.stdout.write(pick_screen(raw, files, screen_of(sys.stdout)))


def _size(text: str) -> int:
    from treebench.written.size import size_bytes

    try:
        return size_bytes(text)
    except ValueError as error:
        raise UsageError(f"--memory is {text!r}; {error}") from None


def _seconds(option: str, text: str) -> float:
    from treebench.config.duration import seconds

    try:
        return seconds(text)
    except ValueError as error:
        raise UsageError(f"{option} is {text!r}; {error}") from None


def _threads(text: str) -> int | str:
    if text in ("physical", "all"):
        return text
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise UsageError(f"--threads is {text!r}; allowed: physical, all, or a whole number from 1")


def _trainers(text: str | None) -> tuple[str, ...]:
    from treebench.memory_model.terms import MODELLED
    from treebench.picking.space import DEFAULT_TRAINERS

    if text is None:
        return DEFAULT_TRAINERS
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in MODELLED]
    if unknown or not names:
        raise UsageError(
            f"--trainers has {', '.join(unknown) or 'no name'}; those whose memory can be foreseen "
            f"are {', '.join(MODELLED)}"
        )
    return names
