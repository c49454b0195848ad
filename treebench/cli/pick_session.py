"""One call of `pick` on this machine: its folder locked, its samples journalled, its state kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from treebench.cli.pick_take import PASSING, JournalTake, usable_rows

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.cli.pick_data import PickData
    from treebench.picking.bench import Told
    from treebench.picking.cells import Cells
    from treebench.picking.modelled import ModelForesight
    from treebench.picking.outcome import Pick
    from treebench.picking.question import Question
    from treebench.picking.state import State
    from treebench.runner.caretaker import Caretaker
    from treebench.runner.local import LocalExecutor
    from treebench.store.row import SampleRow


def picked(data: PickData, question: Question, folder: Path) -> Pick:
    """Pick, or go on picking.

    Raises:
        RunFolderError: the folder is in use, is of other data, or cannot be written.
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.cli.pick_progress import PickProgress
    from treebench.cli.progress import display_for
    from treebench.picking.cells import Cells
    from treebench.picking.pick import pick
    from treebench.runner.caretaker import Caretaker
    from treebench.store.journal import Journal
    from treebench.store.run_folder import JOURNAL_NAME, locked

    cells, train = Cells(question), data.folder / "train.parquet"
    facts = _facts(cells)
    with locked(folder), Caretaker() as caretaker, display_for(sys.stderr) as display:
        told = PickProgress(display)
        rows, state = _known(folder, question, facts, told)
        foresight = _foresight(cells, train, state, rows)
        executor = _executor(data, folder, facts, caretaker)
        with Journal(folder / JOURNAL_NAME) as journal:
            take = JournalTake(executor, folder, journal, facts, rows)
            try:
                return pick(question, take, foresight, told, train, state)
            except KeyboardInterrupt:
                told.said(_INTERRUPTED.format(count=len(state.tried), folder=folder))
                raise


_INTERRUPTED = (
    "interrupted: {count} samples are kept in {folder}; the same command goes on from here, and "
    "one with another budget uses them"
)


def _known(
    folder: Path, question: Question, facts: dict[str, Any], told: Told
) -> tuple[dict[str, SampleRow], State]:
    """What earlier calls left that can stand beside new samples; its cells go into the facts."""
    from treebench.picking.state import FILE_NAME, read_state
    from treebench.store.journal import latest, read_rows
    from treebench.store.run_folder import JOURNAL_NAME

    earlier = latest(read_rows(folder / JOURNAL_NAME))
    rows = usable_rows(earlier, facts)
    state = read_state(folder / FILE_NAME, question.manifest.identity_sha256)
    _leave_out(state, rows)
    _tell_what_is_there(told, earlier, rows)
    facts["plan"]["cells"] = _cells_of(folder, rows)
    return rows, state


def _foresight(
    cells: Cells, train: Path, state: State, rows: dict[str, SampleRow]
) -> ModelForesight:
    """The memory model, having seen what earlier calls took."""
    from treebench.picking.modelled import ModelForesight

    foresight = ModelForesight(cells.manifests, train)
    for tried in state.tried:
        cell = cells.cell(tried.point, tried.holding, tried.size)
        if not isinstance(cell, str) and cell.id == tried.cell:
            foresight.saw(cell, rows[tried.cell])
    return foresight


def _executor(
    data: PickData, folder: Path, facts: dict[str, Any], caretaker: Caretaker
) -> LocalExecutor:
    from treebench.runner.local import LocalExecutor

    made = {data.manifest.dataset: data.folder, data.search_manifest.dataset: data.search_folder}
    return LocalExecutor(
        run=folder.name,
        folders=made,
        deadline_s=0.0,
        machine=facts["machine"],
        code=facts["code"],
        caretaker=caretaker,
    )


def _facts(cells: Cells) -> dict[str, Any]:
    """What goes into `run.json`: the machine, the versions, and the cells as they come."""
    from treebench.picking.cells import Size
    from treebench.picking.space import holdings, learners, starting_point
    from treebench.runner.start import facts_of

    question = cells.question
    learner = learners(question)[0]
    first = (starting_point(learner), holdings(learner)[0])
    size = Size(question.rows, search=False)
    plan = cells.plan(*first, size)
    plan.cells, plan.unsupported, plan.samples = {}, [], 1
    facts = facts_of(
        cells.config(*first, size), plan, ["treebench", *sys.argv[1:]], note=None, expect=None
    )
    return {**facts, "run": f"pick-{question.dataset}"}


def _cells_of(folder: Path, rows: dict[str, SampleRow]) -> list[dict[str, Any]]:
    """The cells of an earlier `run.json`, so that its samples stay known."""
    from treebench.store.run_folder import FACTS_NAME, read_facts

    if not (folder / FACTS_NAME).exists():
        return []
    return [each for each in read_facts(folder)["plan"]["cells"] if each["id"] in rows]


def _leave_out(state: State, rows: dict[str, SampleRow]) -> None:
    """What was tried with other software, elsewhere, or in too little time, is not what it would be
    now."""
    state.tried = [each for each in state.tried if each.cell in rows]


def _tell_what_is_there(told: Told, earlier: list[SampleRow], rows: dict[str, SampleRow]) -> None:
    if rows:
        told.said(f"going on: {len(rows)} samples are there")
    ended = sum(row.status not in PASSING for row in earlier)
    if ended > len(rows):
        told.said(
            f"{ended - len(rows)} earlier samples were taken with other software or on another "
            f"machine, and are not used"
        )
