"""`treebench ab CONFIG --env old=... --env new=...`: two environments against each other."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treebench.cli.options import (
    BandOption,
    ConfigArgument,
    EveryOption,
    FigureOption,
    FloorOption,
    JsonOption,
    JunitOption,
    MarkdownOption,
    OnlyOption,
    SetOption,
)
from treebench.cli.streams import reader_may_leave
from treebench.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treebench.analysis.comparing.rules import Rules
    from treebench.analysis.comparing.runs import ComparedRuns
    from treebench.cli.planning import Planned
    from treebench.environments.environment import Environment
    from treebench.plan.cell import CellSpec

_LEAST_ROUNDS = 5
_MOST_TIMES = 4
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def ab(
    config: ConfigArgument,
    env: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SPEC",
            help='An environment, twice; the first is judged by. SPEC is as in "lightgbm==4.5.0", '
            "a requirements file, an interpreter's path, or `here`.",
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=5000,
            help="Samples of each cell on each side.  [default: those of the config, 5 at least]",
        ),
    ] = None,
    max_rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=5000,
            help="The most for a cell that stays unclear.  [default: 4 times --rounds]",
        ),
    ] = None,
    overrides: SetOption = None,
    only: OnlyOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of both runs and the page.  [default: results/NAME-ab]"
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Keep earlier runs of those names aside; start anew.")
    ] = False,
    figure: FigureOption = None,
    band: BandOption = None,
    floor: FloorOption = None,
    every: EveryOption = False,
    markdown: MarkdownOption = None,
    junit: JunitOption = None,
    as_json: JsonOption = False,
) -> int:
    """Compare two environments, as two releases of a library.

    Both are built, unless they are there, and measured in turns, block by block. Cells that
    stay unclear get more rounds. Exit code 3 where a cell got worse, 4 where nothing could be
    compared, 1 where an environment cannot be built.
    """
    from treebench.analysis.comparing.rules import rules_of
    from treebench.cli.compare import exit_code, show_compared, write_files
    from treebench.cli.planning import refuse_empty_choice

    specs = read_environments(env or ())
    rules = rules_of(band or (), floor or ())
    planned, first_rounds = _planned(config, rounds, overrides, only)
    refuse_empty_choice(planned, config)
    most = max_rounds or _MOST_TIMES * first_rounds
    if most < first_rounds:
        raise ConfigError(f"--max-rounds is {most}, below the {first_rounds} rounds to begin with")
    folder = out or Path("results") / planned.config.name
    folders = {name: folder / name for name in specs}
    sides = _environments(specs, planned)
    if fresh:
        _keep_aside(folders)
    compared = settled(
        lambda rounds, matches: _taken(planned, sides, folders, rounds, matches),
        lambda: _compared(planned, folders, rules, figure or ()),
        first_rounds,
        most,
    )
    write_files(compared, markdown, junit)
    page = _write_page(compared, folder, sides)
    with reader_may_leave():
        show_compared(compared, every=every, as_json=as_json)
        if not as_json:
            sys.stdout.write(f"page: {page}\n")
    return exit_code(compared)


def read_environments(stated: Sequence[str]) -> dict[str, str]:
    """The two specs by name, in order.

    Raises:
        UsageError: there are not two, or a name is missing, said twice, or no name of a folder.
    """
    found: dict[str, str] = {}
    for each in stated:
        name, sign, spec = each.partition("=")
        # "lightgbm==4.5.0" has a sign too, and no name before it.
        if not sign or spec.startswith("=") or not _NAME.fullmatch(name) or not spec.strip():
            raise UsageError(f'--env {each!r}: write NAME=SPEC, as in old="lightgbm==4.5.0"')
        if name in found:
            raise UsageError(f"--env {name} is said twice; give each side a name of its own")
        found[name] = spec.strip()
    if len(found) != 2:
        raise UsageError(
            f'--env is said {len(found)} times, and two are compared: --env old="lightgbm==4.5.0" '
            f'--env new="lightgbm==4.6.0"'
        )
    return found


def settled(
    take: Callable[[int, Callable[[CellSpec], bool] | None], None],
    compare: Callable[[], ComparedRuns],
    rounds: int,
    most: int,
) -> ComparedRuns:
    """Take `rounds` rounds and compare; while cells are unclear, take as many again of them alone,
    up to `most`. Rounds double, so that there are few looks at the same samples: each look is
    another chance for a false alarm."""
    take(rounds, None)
    compared = compare()
    while (unclear := unclear_cells(compared)) and rounds < most:
        rounds = min(2 * rounds, most)
        sys.stderr.write(
            f"{len(unclear)} {'cell is' if len(unclear) == 1 else 'cells are'} unclear: going on "
            f"with {'it' if len(unclear) == 1 else 'them'} to {rounds} rounds\n"
        )
        take(rounds, lambda spec, ids=unclear: spec.id in ids)  # type: ignore[misc]
        compared = compare()
    return compared


def unclear_cells(compared: ComparedRuns) -> frozenset[str]:
    """The ids of the cells of which more samples may tell more."""
    return frozenset(cell.spec.id for cell in compared.cells if cell.verdict == "unclear")


def _planned(
    config: str, rounds: int | None, overrides: list[str] | None, only: str | None
) -> tuple[Planned, int]:
    from treebench.cli.planning import plan_checked
    from treebench.config.load import load_config
    from treebench.trainers.registry import TRAINERS

    asked = load_config(config, overrides or [], tuple(TRAINERS))
    first = rounds or max(asked.samples, _LEAST_ROUNDS)
    changed = {"name": f"{asked.name}-ab", "samples": first, "memory_samples": 0}
    return plan_checked(asked.model_copy(update=changed), only), first


def _environments(specs: Mapping[str, str], planned: Planned) -> dict[str, Environment | None]:
    """Both environments, told of on stderr; None is treebench's own."""
    from treebench.environments.cached import cache_folder
    from treebench.environments.find import HERE, environment_of

    learners = learners_of(planned)
    found: dict[str, Environment | None] = {}
    for name, spec in specs.items():
        found[name] = (
            None
            if spec == HERE
            else environment_of(name, spec, cache_folder(), learners, tell=_tell)
        )
        _tell(described(name, found[name], learners))
    return found


def learners_of(planned: Planned) -> list[str]:
    """The distributions that the chosen cells train with."""
    from treebench.trainers.registry import TRAINERS

    cells = (planned.plan.cells[each] for each in planned.plan.cells if each in planned.chosen)
    trainers = {cell.spec.trainer: TRAINERS[cell.spec.trainer] for cell in cells}
    return list(
        dict.fromkeys(
            name
            for one in trainers.values()
            for name in (one.distribution, *one.more_distributions)
        )
    )


def described(name: str, environment: Environment | None, learners: Sequence[str]) -> str:
    """A side in one line: its learners' versions, and its interpreter."""
    from treebench.measure.environment import versions

    found = versions(tuple(learners)) if environment is None else environment.versions_of(learners)
    listed = [f"{each} {version}" for each, version in found.items() if version is not None]
    python = sys.executable if environment is None else environment.python
    return f"{name}: {', '.join(listed)} ({python})"


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _keep_aside(folders: Mapping[str, Path]) -> None:
    from treebench.cli.taking import keep_aside

    for folder in folders.values():
        keep_aside(folder)


def _taken(
    planned: Planned,
    sides: Mapping[str, Environment | None],
    folders: Mapping[str, Path],
    rounds: int,
    matches: Callable[[CellSpec], bool] | None,
) -> None:
    from treebench.cli import interleaving

    interleaving.take_interleaved(planned, sides, folders, rounds, matches)


def _compared(
    planned: Planned, folders: Mapping[str, Path], rules: Rules, figures: Sequence[str]
) -> ComparedRuns:
    from treebench.analysis.comparing.runs import compare_runs
    from treebench.analysis.comparing.sides import side_of
    from treebench.store.run_folder import open_run

    before, after = (side_of(open_run(folder), str(folder)) for folder in folders.values())
    chosen = planned.chosen
    return compare_runs(
        before,
        after,
        rules=rules,
        more_figures=figures,
        matches=lambda spec: spec.id in chosen,
    )


def _write_page(
    compared: ComparedRuns, folder: Path, sides: Mapping[str, Environment | None]
) -> Path:
    from treebench.report.compare_page import PAGE_NAME, compare_page
    from treebench.report.whole_file import write_whole

    page = folder / PAGE_NAME
    said = [
        f"{name}: {'the environment of treebench itself' if each is None else each.spec}"
        for name, each in sides.items()
    ]
    command = shlex.join(["treebench", *sys.argv[1:]])
    text = compare_page(compared, folder.name, said, command)
    write_whole(page, text.encode(errors="replace"), "--out")
    return page
