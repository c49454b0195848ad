"""Claims as a page: all verdicts in one table, then each claim with its checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import claims_text
from treebench.report.blocks import Code, Section, Words, items, table
from treebench.report.charts import Picture
from treebench.report.claims_chart import claims_chart
from treebench.report.claims_page import CAPTION
from treebench.report.html.document import plain_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.claims import ClaimOutcome

_TITLE = "Claims, and what this machine says of them"


def claims_document(outcomes: Sequence[ClaimOutcome], runs: Mapping[str, str], command: str) -> str:
    """The page as HTML; `runs` are the folders of the samples by the claims' ids."""
    chart = claims_chart(outcomes)
    pictures = [] if chart is None else [Picture("claims", CAPTION, chart)]
    parts = [
        _verdicts(outcomes, command),
        *(_claim(each, runs.get(each.claim.id)) for each in outcomes),
        Section("reading", "How to read this", tuple(items(claims_text.READING))),
    ]
    return plain_document(_TITLE, parts, pictures, "")


def _verdicts(outcomes: Sequence[ClaimOutcome], command: str) -> Section:
    rows = [[each.claim.id, each.claim.title, claims_text.verdict_words(each)] for each in outcomes]
    shown = table(("claim", "about", "verdict"), rows, (False, False, False))
    said = Words("", claims_text.tally(outcomes), ". To try them again:")
    return Section("verdicts", "Verdicts", (said, Code(command), shown))


def _claim(outcome: ClaimOutcome, run: str | None) -> Section:
    claim = outcome.claim
    rows = [claims_text.check_row(each) for each in outcome.checks]
    meanings = [f"{each.check.name}: {each.check.says}" for each in outcome.checks]
    source = f"{claim.source}. Samples: {run}" if run else claim.source
    blocks = (
        Words("", claims_text.verdict_words(outcome), f": {claim.claim}"),
        table(claims_text.TITLES, rows, claims_text.RIGHT),
        *items([*meanings, *claims_text.remarks(outcome), source]),
    )
    return Section(claim.id, f"{claim.id}: {claim.title}", blocks)
