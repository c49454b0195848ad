"""Trees in parallel in a report: table, comparison at equal trees and at equal score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import equal_score_text, jobs_text
from treebench.report.blocks import Heading, items, table

if TYPE_CHECKING:
    from treebench.analysis.overview import Overview
    from treebench.report.blocks import Block
    from treebench.report.equal_score_text import LabelledScore


def jobs_blocks(run: Overview) -> list[Block]:
    """Nothing where jobs do not vary."""
    datasets = jobs_text.datasets_with_jobs(run)
    blocks: list[Block] = []
    for name in datasets:
        rows = jobs_text.jobs_rows(run, name)
        titles = jobs_text.jobs_titles()
        blocks += [
            Heading(f"{name}, against jobs"),
            table(titles, rows, [False, *([True] * (len(titles) - 1))], "jobs", name),
            *items(jobs_text.jobs_words(run, name)),
        ]
    return [*blocks, *items(jobs_text.jobs_reading(run))] if blocks else []


def equal_score_blocks(run: Overview) -> list[Block]:
    """Nothing where the number of trees does not vary."""
    compared = equal_score_text.labelled_scores(run)
    blocks = [block for one in compared for block in _of_one(one)]
    return [*blocks, *items(equal_score_text.reading(compared))] if blocks else []


def _of_one(compared: LabelledScore) -> list[Block]:
    titles = equal_score_text.titles(compared)
    right = [False, *([True] * (len(titles) - 1))]
    place = compared.known.series[0].cells[0].spec.dataset
    return [
        Heading(equal_score_text.heading(compared.known)),
        table(titles, equal_score_text.rows(compared), right, "equal-score", place),
        *items(equal_score_text.sentences(compared)),
    ]
