"""What a person should bear in mind of a picking's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from treebench.picking.proof import Attempt
    from treebench.picking.question import Question
    from treebench.picking.screen import Group

_PEAKS_REPEAT_TO = 0.01
"""As a share; docs/METHODOLOGY.md says where it was seen."""
_FEW_ROWS = 1_000
"""The standard error of a share of so many rows may be above 0.015."""
_MEBIBYTE = 1 << 20


def notes_on(
    question: Question, attempt: Attempt | None, ruled_out: Sequence[Group], *, hurried: bool
) -> tuple[str, ...]:
    """A sentence each. `attempt` is the proof that stands, None where there is none; `hurried` says
    whether the search's time was over before all was tried."""
    if attempt is None:
        return ()
    return (
        *_of_peak(question, attempt),
        *_of_bound(question, attempt),
        *_of_budget(attempt, ruled_out),
        *_of_scores(question),
        *_of_time(question, hurried),
    )


def _of_peak(question: Question, attempt: Attempt) -> Iterator[str]:
    peak, budget = attempt.tried.peak_bytes, question.budget_bytes
    if peak is not None and peak >= (1 - _PEAKS_REPEAT_TO) * budget:
        surer = -int(-peak * (1 + 2 * _PEAKS_REPEAT_TO) // _MEBIBYTE) * _MEBIBYTE
        yield (
            f"its peak was within {_PEAKS_REPEAT_TO:.0%} of the budget, and peaks repeat to about "
            f"that: another run may break it; {spelled(surer)} would be surer"
        )


def _of_bound(question: Question, attempt: Attempt) -> Iterator[str]:
    high = attempt.fit.memory.high
    if high > question.budget_bytes:
        yield (
            f"nothing was sure to keep to the budget, so what was likely to was tried: this one "
            f"was foreseen to need up to {spelled(-int(-high // _MEBIBYTE) * _MEBIBYTE)}, and "
            f"the proof alone shows that it needs less"
        )


def _of_budget(attempt: Attempt, ruled_out: Sequence[Group]) -> Iterator[str]:
    peak = attempt.tried.peak_bytes
    if peak is not None and not any(each.kind in ("memory", "killed") for each in ruled_out):
        yield (
            f"the budget kept nothing out: all that was proposed fits into it, and the pick itself "
            f"into {spelled(-(-peak // _MEBIBYTE) * _MEBIBYTE)}"
        )


def _of_scores(question: Question) -> Iterator[str]:
    rows = question.search_manifest.test_rows
    if rows < _FEW_ROWS:
        yield (
            f"the validation part has {rows:,} row{'s' * (rows != 1)}: candidates of nearly equal "
            f"score are in order by chance"
        )


def _of_time(question: Question, hurried: bool) -> Iterator[str]:
    if hurried:
        yield (
            f"the search's {question.search_time_s:g} s were over before all was tried; the same "
            f"command goes on from here, and --search-time gives it longer"
        )
