"""Trees in parallel on the report's page: table, comparison at equal trees and at equal score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import equal_score_text, jobs_text
from treebench.report.markdown_table import bullets, escaped, table

if TYPE_CHECKING:
    from treebench.analysis.overview import Overview
    from treebench.report.equal_score_text import LabelledScore


def jobs_blocks(run: Overview) -> list[str]:
    """Nothing where jobs do not vary."""
    datasets = jobs_text.datasets_with_jobs(run)
    blocks = []
    for name in datasets:
        rows = jobs_text.jobs_rows(run, name)
        titles = jobs_text.jobs_titles()
        blocks += [
            f"### {escaped(name)}, against jobs",
            table(titles, rows, [False, *([True] * (len(titles) - 1))]),
            *bullets(jobs_text.jobs_words(run, name)),
        ]
    return [*blocks, *bullets(jobs_text.jobs_reading(run))] if blocks else []


def equal_score_blocks(run: Overview) -> list[str]:
    """Nothing where the number of trees does not vary."""
    compared = equal_score_text.labelled_scores(run)
    blocks = [block for one in compared for block in _of_one(one)]
    return [*blocks, *bullets(equal_score_text.reading(compared))] if blocks else []


def _of_one(compared: LabelledScore) -> list[str]:
    titles = equal_score_text.titles(compared)
    right = [False, *([True] * (len(titles) - 1))]
    return [
        f"### {escaped(equal_score_text.heading(compared.known))}",
        table(titles, equal_score_text.rows(compared), right),
        *bullets(equal_score_text.sentences(compared)),
    ]
