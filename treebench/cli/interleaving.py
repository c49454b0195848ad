"""Two environments measured side by side: block by block, alternating who goes first.

Noise sits between runs, so two runs on two days differ by more than two releases do. Here each
block is taken for one side and at once for the other, and the order of the sides changes from
block to block, so that a drift of the machine falls on both alike.
"""

from __future__ import annotations

import dataclasses
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from treebench.errors import NothingMeasuredError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from treebench.analysis.comparing.runs import ComparedRuns
    from treebench.cli.planning import Planned
    from treebench.cli.progress import SweepProgress
    from treebench.cli.taking import Taking
    from treebench.config.model import SweepConfig
    from treebench.environments.environment import Environment
    from treebench.measure.counters import Choice
    from treebench.plan.cell import CellSpec
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.sweep import Wanted


class Turn(NamedTuple):
    """A sample and the side it is of; `place` is its block's in the order of all blocks of all
    sides."""

    side: str
    wanted: Wanted
    place: int


def take_interleaved(
    planned: Planned,
    sides: Mapping[str, Environment | None],
    folders: Mapping[str, Path],
    rounds: int,
    matches: Callable[[CellSpec], bool] | None = None,
) -> None:
    """Take what is missing of the first `rounds` blocks of each side into a run folder for each.

    Args:
        planned: the sweep; each side's `run.json` has its plan.
        sides: the environments by name, the one to judge by first; None is treebench's own.
        folders: the run folder of each side.
        rounds: samples of each cell on each side.
        matches: leaves out cells.

    Raises:
        RunFolderError: a folder is in use, or holds another sweep or environment.
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.cli.progress import progress_for
    from treebench.cli.taking import chosen_for
    from treebench.runner.caretaker import Caretaker

    facts = {side: side_facts(planned, side, each) for side, each in sides.items()}
    first, *others = facts.values()
    choice = chosen_for(planned, first)
    for each in others:
        each["counters"] = first["counters"]
    plan = dataclasses.replace(planned.plan, samples=rounds)
    narrowed = dataclasses.replace(planned, plan=plan, chosen=_chosen(planned, matches))
    with ExitStack() as stack:
        caretaker = stack.enter_context(Caretaker())
        takings = _all_opened(stack, narrowed, sides, folders, facts, choice, caretaker)
        told = stack.enter_context(progress_for(sys.stderr))
        try:
            _take_turns(takings, told)
        except KeyboardInterrupt:
            told.interrupted(_common(folders))
            raise


def confirm(
    config: SweepConfig,
    cells: Collection[str],
    before: Environment,
    after: Environment | None,
    folder: Path,
    rounds: int,
) -> ComparedRuns:
    """Measure some cells again in two environments, interleaved, and compare.

    Args:
        config: the sweep.
        cells: the ids of the cells.
        before: the environment to judge by.
        after: the one to judge; None is treebench's own.
        folder: gets a run folder for each side, `before` and `after`.
        rounds: samples of each cell on each side.

    Raises:
        NothingMeasuredError: the sweep has none of these cells any more.
        RunFolderError: the folder holds other samples.
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.analysis.comparing.runs import compare_runs
    from treebench.analysis.comparing.sides import side_of
    from treebench.cli.planning import plan_checked
    from treebench.store.run_folder import open_run

    changed = {"name": f"{config.name}-confirm", "samples": rounds, "memory_samples": 0}
    planned = plan_checked(config.model_copy(update=changed))
    wanted = frozenset(cells) & planned.plan.cells.keys()
    if not wanted:
        raise NothingMeasuredError(
            f"{config.name}: none of the {len(cells)} cells to confirm is in the sweep any more"
        )
    planned = dataclasses.replace(planned, chosen=wanted)
    folders = {side: folder / side for side in ("before", "after")}
    take_interleaved(planned, {"before": before, "after": after}, folders, rounds)
    first, second = (side_of(open_run(each), side) for side, each in folders.items())
    return compare_runs(first, second, matches=lambda spec: spec.id in wanted)


def side_facts(planned: Planned, side: str, environment: Environment | None) -> dict[str, Any]:
    """What goes into one side's `run.json`: that of any run, with the versions of the environment
    that its workers run in, and what that environment is."""
    from treebench.cli.taking import facts_for

    facts = facts_for(planned, None, None)
    own = facts["versions"]
    facts["run"] = f"{planned.config.name}-{side}"
    if environment is None:
        here = {"name": side, "spec": "here", "python": sys.executable, "versions": own}
        return {**facts, "environment": here}
    names = [name for name in own if name not in ("python", "treebench")]
    versions = {**environment.versions_of(names), "treebench": own["treebench"]}
    return {**facts, "versions": versions, "environment": environment.to_json()}


def in_turns(missing: Mapping[str, Sequence[Wanted]]) -> Iterator[Turn]:
    """The missing samples of all sides in one order: each block of all sides back to back, with
    another side first from block to block; then what is no block of timed samples."""
    names = list(missing)
    kinds = list(dict.fromkeys(each.kind for wanted in missing.values() for each in wanted))
    for kind in kinds:
        blocks = {each.block for wanted in missing.values() for each in wanted if each.kind == kind}
        for block in sorted(blocks):
            at = block % len(names)
            for position, side in enumerate([*names[at:], *names[:at]]):
                for wanted in missing[side]:
                    if wanted.kind == kind and wanted.block == block:
                        yield Turn(side, wanted, block * len(names) + position)


def _all_opened(
    stack: ExitStack,
    planned: Planned,
    sides: Mapping[str, Environment | None],
    folders: Mapping[str, Path],
    facts: Mapping[str, dict[str, Any]],
    choice: Choice,
    caretaker: Caretaker,
) -> dict[str, Taking]:
    from treebench.cli.taking import opened
    from treebench.runner.elsewhere import Elsewhere, treebench_alone

    alone = stack.enter_context(treebench_alone(caretaker))
    takings = {}
    for side, environment in sides.items():
        elsewhere = (
            None
            if environment is None
            else Elsewhere(environment.python, alone, environment.versions_of)
        )
        side_opened = opened(
            planned, folders[side], facts[side], False, choice, caretaker, elsewhere
        )
        takings[side] = stack.enter_context(side_opened)
    return takings


def _chosen(planned: Planned, matches: Callable[[CellSpec], bool] | None) -> frozenset[str]:
    if matches is None:
        return planned.chosen
    return frozenset(each for each in planned.chosen if matches(planned.plan.cells[each].spec))


def _take_turns(takings: Mapping[str, Taking], told: SweepProgress) -> None:
    from treebench.runner.sweep import take

    turns = list(in_turns({side: taking.wanted for side, taking in takings.items()}))
    shown = [_as_shown(turn) for turn in turns]
    told.started(shown, sum(taking.n_kept for taking in takings.values()))
    for turn, as_shown in zip(turns, shown, strict=True):
        told.sample_started(as_shown, turn.side)
        side = takings[turn.side]
        told.sample_ended(as_shown, take(turn.wanted, side.executor, side.journal))


def _as_shown(turn: Turn) -> Wanted:
    """The sample under a number that no side shares with another."""
    return turn.wanted._replace(block=turn.place)


def _common(folders: Mapping[str, Path]) -> Path:
    parents = {folder.parent for folder in folders.values()}
    return parents.pop() if len(parents) == 1 else Path()
