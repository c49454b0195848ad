"""Taking the samples of a published comparison, searching where settings are searched for, and
reading the tables."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treebench.analysis.published.readings import ColumnCell
from treebench.analysis.sample import Missing
from treebench.cli.comparison_plans import MANY_SAMPLES, VALIDATION
from treebench.cli.taking import facts_for, keep_aside, take_here
from treebench.data.manifest import validation_rows
from treebench.report.comparison_text import condition_lines, drawn_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from treebench.analysis.published.tables import JudgedTable
    from treebench.cli.comparison_plans import ComparisonSweep, PlannedColumn, PlannedTable
    from treebench.cli.planning import Planned
    from treebench.cli.progress import SweepProgress
    from treebench.config.comparisons import PublishedTable
    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class _Ready:
    """A sweep that can be run, and the cells that are still in question."""

    sweep: ComparisonSweep
    planned: Planned

    def narrowed(self, cells: frozenset[str]) -> Planned:
        """The plan with these cells alone."""
        return replace(self.planned, chosen=cells)

    @property
    def first_look(self) -> Planned:
        """The plan with one sample of each cell: what a search looks at."""
        return replace(self.planned, plan=replace(self.planned.plan, samples=1))


def take_comparison(sweeps: Sequence[ComparisonSweep], *, fresh: bool = False) -> None:
    """Take what is missing of every sweep, with one progress over all. Where settings are searched
    for, one sample of each is taken, and the rest of those that the validation part chose.

    Raises:
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.cli.progress import progress_for

    ready = [_Ready(each, each.planned) for each in sweeps if each.planned is not None]
    if fresh:
        for each in ready:
            keep_aside(each.sweep.folder)
    with progress_for(sys.stderr) as progress:
        for each in ready:
            _foresee(progress, each)
        for each in ready:
            progress.told(f"{_names(each.sweep)}: the sweep {each.sweep.folder.name}")
            _take(each, progress)


def choose(columns: Iterable[PlannedColumn], rows: Sequence[SampleRow]) -> list[ColumnCell]:
    """The cell of each column; of a search, the one with the highest score on the validation part,
    the first drawn of equals. No test score is looked at."""
    return [_chosen(each, rows) if each.column.search else each.only for each in columns]


def judged_tables(
    sweep: ComparisonSweep, published: Mapping[str, PublishedTable]
) -> list[JudgedTable]:
    """The tables of a sweep, from the samples in its folder."""
    from treebench.analysis.published.tables import judged, untold
    from treebench.analysis.summary import cell_spec
    from treebench.store.run_folder import open_run

    if sweep.planned is None:
        why = sweep.why or "its sweep cannot be run"
        return [untold(each.preset, each.dataset, each.entry, why) for each in sweep.places]
    run = open_run(sweep.folder)
    specs = {cell["id"]: cell_spec(cell["spec"]) for cell in run.facts["plan"]["cells"]}
    return [
        judged(
            planned=choose(table.columns, run.rows),
            rows=run.rows,
            specs=specs,
            preset=table.place.preset,
            entry=table.place.entry,
            dataset=table.place.dataset,
            published=published[table.place.preset.published],
            conditions=conditions(sweep, table),
            n_rows=table.rows,
            run=str(sweep.folder),
        )
        for table in sweep.tables
    ]


def conditions(sweep: ComparisonSweep, table: PlannedTable) -> tuple[str, ...]:
    """What a reader of a table must know of how it was taken."""
    assert sweep.planned is not None  # noqa: S101 - it has tables
    place = table.place
    tried = [len(each.candidates) for each in table.columns if each.column.search]
    return tuple(
        condition_lines(
            preset=place.preset,
            stands_in=place.stands_in,
            dataset=place.dataset,
            instead_of=place.instead_of,
            shrink=sweep.shrink,
            rows=table.rows,
            samples=sweep.planned.plan.samples,
            usual_samples=MANY_SAMPLES,
            tried=max(tried, default=0),
            held_out=validation_rows(table.rows, VALIDATION) if place.preset.curve else 0,
        )
    )


def _names(sweep: ComparisonSweep) -> str:
    return ", ".join(dict.fromkeys(place.preset.preset for place in sweep.places))


def _take(ready: _Ready, progress: SweepProgress) -> None:
    facts = facts_for(ready.planned, f"the comparison, presets {_names(ready.sweep)}", None)
    folder = ready.sweep.folder
    if not ready.sweep.searches:
        take_here(ready.planned, folder, facts, retry_failed=False, progress=progress)
        return
    take_here(ready.first_look, folder, facts, retry_failed=False, progress=progress)
    best = ready.narrowed(_winners(ready.sweep))
    take_here(best, folder, facts, retry_failed=False, progress=progress)


def _winners(sweep: ComparisonSweep) -> frozenset[str]:
    from treebench.store.run_folder import open_run

    rows = open_run(sweep.folder).rows
    chosen = (each for table in sweep.tables for each in choose(table.columns, rows))
    return frozenset(each.cell for each in chosen if each.cell is not None)


def _chosen(planned: PlannedColumn, rows: Sequence[SampleRow]) -> ColumnCell:
    """By the first sample of each candidate: later ones exist of some alone."""
    looked = [_validated(each.cell, rows) for each in planned.candidates]
    scores = {n: value for n, value in enumerate(looked) if not isinstance(value, Missing)}
    if not scores:
        absent = [each.absent for each in planned.candidates if each.absent]
        reasons = [value.reason for value in looked if isinstance(value, Missing)]
        return ColumnCell(planned.column, None, next(iter(absent), f"not measured: {reasons[0]}"))
    best = planned.candidates[max(scores, key=lambda number: scores[number])]
    return ColumnCell(planned.column, best.cell, None, drawn_words(best.drawn, len(scores)))


def _validated(cell: str | None, rows: Sequence[SampleRow]) -> float | Missing:
    """The best validation score of a cell's first sample, or why there is none."""
    from treebench.analysis.figures import figure_named

    first = (row for row in rows if (row.cell, row.block, row.kind) == (cell, 0, "timed"))
    row = next(first, None)
    if row is None:
        return Missing("no sample of it was taken")
    if row.status != "ok":
        return Missing(row.error.message if row.error is not None else row.status)
    return figure_named("best_validation").of(row)


def _foresee(progress: SweepProgress, ready: _Ready) -> None:
    """Tell the progress of what is to come, so that its estimate is of the whole."""
    from treebench.runner.sweep import missing_samples
    from treebench.store.journal import latest, read_rows
    from treebench.store.run_folder import JOURNAL_NAME

    planned = ready.first_look if ready.sweep.searches else ready.planned
    rows = latest(read_rows(ready.sweep.folder / JOURNAL_NAME))
    progress.to_take(missing_samples(planned.plan, rows, planned.chosen, retry_failed=False))
