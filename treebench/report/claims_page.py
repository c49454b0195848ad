"""Claims as a Markdown page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import claims_text
from treebench.report.markdown_table import bullets, escaped, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.claims import ClaimOutcome

CAPTION = "What was measured against what was stated, for each check with a stated value"


def claims_page(
    outcomes: Sequence[ClaimOutcome], runs: Mapping[str, str], command: str, picture: str
) -> str:
    """The page: all verdicts in a table, then each claim with its checks. `picture` is the stem of
    the picture's file beside it."""
    rows = [[each.claim.id, each.claim.title, claims_text.verdict_words(each)] for each in outcomes]
    parts = [
        "# Claims, and what this machine says of them",
        f"Made by `{command}`: {escaped(claims_text.tally(outcomes))}.",
        table(("claim", "about", "verdict"), rows, (False, False, False)),
        *_picture(outcomes, picture),
        *(block for each in outcomes for block in _claim(each, runs)),
        "## How to read this",
        *bullets(claims_text.READING),
    ]
    return "\n\n".join(parts) + "\n"


def _picture(outcomes: Sequence[ClaimOutcome], stem: str) -> list[str]:
    from treebench.report.claims_chart import comparable

    return [f"![{CAPTION}]({stem}.png)", f"*{CAPTION}.*"] if comparable(outcomes) else []


def _claim(outcome: ClaimOutcome, runs: Mapping[str, str]) -> list[str]:
    claim = outcome.claim
    rows = [claims_text.check_row(each) for each in outcome.checks]
    meanings = [f"{each.check.name}: {each.check.says}" for each in outcome.checks]
    run = runs.get(claim.id)
    return [
        f"## {claim.id}: {escaped(claim.title)}",
        f"**{escaped(claims_text.verdict_words(outcome))}**",
        f"> {escaped(claim.claim)}",
        escaped(f"{claim.source}. Samples: {run}") if run else escaped(claim.source),
        table(claims_text.TITLES, rows, claims_text.RIGHT),
        *bullets([*meanings, *claims_text.remarks(outcome)]),
    ]
