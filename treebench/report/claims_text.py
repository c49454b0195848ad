"""Claims in words: what was claimed, what was measured, the verdict, and what goes with it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from treebench.report import units
from treebench.report.expected_text import number, raw_value, with_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.claims import CheckOutcome, ClaimOutcome
    from treebench.config.claims import Check

SCHEMA = 1
TITLES = ("check", "stated", "counts as holding", "measured", "verdict")
RIGHT = (False, True, False, True, False)
READING = (
    "measured: median over samples; in brackets its 90 % interval, from blocks drawn anew; that of "
    "three samples is no wider than what they span, which holds a median 75 times in 100",
    "without brackets all samples agree (scores of one seed, simulated counts), or are too few",
    "holds: the whole interval lies within what counts as holding; fails: none of it does; "
    "otherwise it cannot be told",
)


def check_row(outcome: CheckOutcome) -> list[str]:
    """A check as a line of a table; its columns are `TITLES`."""
    check = outcome.check
    stated = units.DASH if check.stated is None else number(check.stated)
    return [check.name, stated, bound(check), measured(outcome), outcome.verdict]


def bound(check: Check) -> str:
    """What counts as holding, in few words."""
    if check.at_least is not None:
        return f"at least {number(check.at_least)}"
    if check.at_most is not None:
        return f"at most {number(check.at_most)}"
    return f"{number(check.low)} to {number(check.high)}"


def measured(outcome: CheckOutcome) -> str:
    """The value with its interval; a dash where there is none."""
    return units.DASH if outcome.measured is None else with_interval(outcome.measured)


def remarks(outcome: ClaimOutcome) -> list[str]:
    """What a reader must know beside the table: why a check has no verdict, what the curves
    foretell, and under which conditions all of it was measured."""
    said = [line for each in outcome.checks for line in _check_remarks(each)]
    return list(dict.fromkeys([*said, *outcome.conditions]))


def _check_remarks(outcome: CheckOutcome) -> list[str]:
    said = []
    if outcome.why is not None and outcome.verdict == "cannot tell here":
        said.append(f"{outcome.check.name}: cannot tell, since {outcome.why}")
    told = outcome.foretold
    if told is not None:
        said.append(
            f"{outcome.check.name}: at {told.rows:,} rows ({told.times:.3g} times the largest "
            f"measured) the curves foretell {with_interval(told.value)}: {told.verdict}"
        )
    if outcome.stand_in is not None:
        said.append(outcome.stand_in)
    return said


def verdict_words(outcome: ClaimOutcome) -> str:
    """The verdict with how many checks bear it out, and whether the run was a scaled one."""
    counts = Counter(each.verdict for each in outcome.checks)
    words = [f"{n} {verdict}" for verdict, n in counts.items()] if len(counts) > 1 else []
    if any(condition.startswith("a scaled run") for condition in outcome.conditions):
        words.append("scaled")
    if any(each.stand_in for each in outcome.checks):
        words.append("simulated")
    return f"{outcome.verdict} ({', '.join(words)})" if words else outcome.verdict


def tally(outcomes: Sequence[ClaimOutcome]) -> str:
    """How many claims have which verdict."""
    counts = Counter(each.verdict for each in outcomes)
    return ", ".join(f"{n} {verdict}" for verdict, n in counts.items())


def raw_claims(
    outcomes: Sequence[ClaimOutcome], runs: Mapping[str, str], command: str
) -> dict[str, Any]:
    """`claims.json`: see docs/FORMAT.md."""
    claims = [_raw_claim(each, runs.get(each.claim.id), command) for each in outcomes]
    return {"schema": SCHEMA, "claims": claims}


def _raw_claim(outcome: ClaimOutcome, run: str | None, command: str) -> dict[str, Any]:
    claim = outcome.claim
    return {
        "id": claim.id,
        "title": claim.title,
        "claim": claim.claim,
        "source": claim.source,
        "stated": dict(claim.stated),
        "run": run,
        "command": command,
        "verdict": outcome.verdict,
        "conditions": list(outcome.conditions),
        "checks": [_raw_check(each) for each in outcome.checks],
    }


def _raw_check(outcome: CheckOutcome) -> dict[str, Any]:
    check, told = outcome.check, outcome.foretold
    return {
        "name": check.name,
        "term": check.term,
        "says": check.says,
        "stated": check.stated,
        "low": _finite(check.low),
        "high": _finite(check.high),
        "measured": raw_value(outcome.measured),
        "verdict": outcome.verdict,
        "why": outcome.why,
        "stand_in": outcome.stand_in,
        "foretold": None
        if told is None
        else {
            "rows": told.rows,
            "times_largest": told.times,
            "value": raw_value(told.value),
            "verdict": told.verdict,
        },
    }


def _finite(value: float) -> float | None:
    return None if value in (float("inf"), float("-inf")) else value
