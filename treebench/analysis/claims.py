"""Verdicts on claims, computed from samples and never by hand.

A check holds if its whole interval lies within what was claimed, fails if none of it does, and else
cannot be told; a claim holds or fails if all its checks do. A claim whose checks differ, or of
which only a part could be told and that part holds, holds in part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treebench.analysis.axes import held_cells
from treebench.analysis.control import summarise_control
from treebench.analysis.expressions.calls import calls
from treebench.analysis.expressions.tree import FigureOf, leaves, read_term
from treebench.errors import ConfigError
from treebench.plan.cell import CONTROL_TRAINER as _CONTROL
from treebench.plan.only import matcher

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from treebench.analysis.expressions.evaluate import Calls, Samples, Value
    from treebench.config.claims import Check, Claim
    from treebench.config.shrink import Shrink
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

CheckVerdict = Literal["holds", "fails", "cannot tell here"]
Verdict = Literal["holds", "fails", "holds in part", "cannot tell here"]
_UNTOLD: CheckVerdict = "cannot tell here"
FURTHEST = 16
"""Times the largest size measured up to which a curve is followed to the size stated: it is asked
for here, and its interval is given; but of a fiftieth of the size no curve says anything."""
_BOTH_SIDES = "the interval lies on both sides of a bound"


@dataclass(frozen=True)
class Foretelling:
    """What the curves over rows say of the size at which the claim was made. `times` is how far
    beyond the largest size measured that lies."""

    rows: int
    times: float
    value: Value
    verdict: CheckVerdict


@dataclass(frozen=True)
class CheckOutcome:
    """A check's verdict. `measured` is None where nothing was, and `why` says what hindered a
    verdict; `stand_in` what was counted in the place of what the check is about."""

    check: Check
    verdict: CheckVerdict
    measured: Value | None
    why: str | None = None
    stand_in: str | None = None
    foretold: Foretelling | None = None


@dataclass(frozen=True)
class ClaimOutcome:
    """A claim's verdict, from its checks. `conditions` say how what was measured differs from what
    the claim speaks of: a smaller size, other data."""

    claim: Claim
    verdict: Verdict
    checks: tuple[CheckOutcome, ...]
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Taken:
    """What a claim is judged by: the samples of its sweep, the cells planned, why counters are
    absent (by tier), and how much smaller than written the sweep was."""

    rows: Sequence[SampleRow]
    specs: Mapping[str, CellSpec]
    absent: Mapping[str, str]
    shrink: Shrink
    replaced: Mapping[str, str]


def calls_of(claim: Claim, shrink: Shrink) -> Calls:
    """What a word of the claim's terms calls, in a sweep made smaller."""
    return lambda words: calls(shrink.conditions(claim.cells.get(words, words)))


def problems_of(
    claim: Claim, specs: Sequence[CellSpec], shrink: Shrink, *, on_this_machine: bool = False
) -> list[str]:
    """What in a claim cannot be read, or names no cell of its plan.

    With `on_this_machine` a name of the claim's own may stand for no cell: all cores are one core
    here, say. Such a check cannot be told, which is no mistake of the claim's.
    """
    called = calls_of(claim, shrink)
    excused = set(claim.cells) if on_this_machine else set()
    found = []
    for check in claim.checks:
        problems = _term_problems(check.term, called, specs, excused)
        found += [f"{check.name}: {each}" for each in problems]
    for name, conditions in claim.cells.items():
        try:
            matcher(conditions)
        except ConfigError as error:
            found += [f"cells.{name}: {each}" for each in error.problems]
    return [f"claim {claim.id}: {each}" for each in found]


def cells_needed(claim: Claim, specs: Sequence[CellSpec], shrink: Shrink) -> frozenset[str]:
    """The ids of the cells that a verdict on the claim rests on.

    At full size a figure of one cell needs no other; in a sweep made smaller it needs all sizes of
    the cell, for the curve that foretells the size stated.
    """
    called = calls_of(claim, shrink)
    found: set[str] = set()
    for leaf in [leaf for check in claim.checks for leaf in leaves(read_term(check.term))]:
        cells = [spec for spec in specs if called(leaf.cells)(spec)]
        if shrink.whole and isinstance(leaf, FigureOf):
            cells = [cells[position] for position in held_cells(cells, None)[0]]
        found.update(spec.id for spec in cells)
    return frozenset(found)


def _term_problems(
    term: str, called: Calls, specs: Sequence[CellSpec], excused: Collection[str]
) -> list[str]:
    try:
        words = [leaf.cells for leaf in leaves(read_term(term)) if leaf.cells not in excused]
        lost = [each for each in words if not any(map(called(each), specs))]
    except ConfigError as error:
        return list(error.problems)
    return [f"no cell is called {each!r}" for each in lost]


def judge_claim(claim: Claim, taken: Taken) -> ClaimOutcome:
    """The verdict on a claim.

    Raises:
        ConfigError: a term cannot be read.
    """
    from treebench.analysis.expressions.evaluate import Samples

    called = calls_of(claim, taken.shrink)
    samples = Samples(taken.rows, taken.specs, called)
    checks = tuple(_judged(check, claim, taken, samples) for check in claim.checks)
    verdict = whole_verdict([each.verdict for each in checks])
    return ClaimOutcome(claim, verdict, checks, tuple(_conditions(claim, taken)))


def whole_verdict(verdicts: Sequence[CheckVerdict]) -> Verdict:
    """The verdict on a claim from those on its checks."""
    held, failed = verdicts.count("holds"), verdicts.count("fails")
    if held == len(verdicts):
        return "holds"
    if held:
        return "holds in part"
    return "fails" if failed else _UNTOLD


def verdict_of(value: Value, low: float, high: float) -> CheckVerdict:
    """Whether an interval lies within `low` to `high`, outside it, or partly both."""
    if value.low is None or value.high is None:
        return _UNTOLD
    if low <= value.low and value.high <= high:
        return "holds"
    return "fails" if value.high < low or value.low > high else _UNTOLD


def _judged(check: Check, claim: Claim, taken: Taken, samples: Samples) -> CheckOutcome:
    from treebench.analysis.expressions.evaluate import UnknownError

    term = read_term(check.term)
    stand_in = _stand_in(check, taken)
    try:
        value = samples.value(term)
    except UnknownError as error:
        absent = taken.absent.get(check.tier) if check.tier else None
        reason = f"no {check.tier} counters: {absent}" if absent else str(error)
        return CheckOutcome(check, _UNTOLD, None, reason, stand_in)
    verdict, why = _verdict_and_why(check, value)
    return CheckOutcome(check, verdict, value, why, stand_in, _foretold(check, claim, taken))


def _verdict_and_why(check: Check, value: Value) -> tuple[CheckVerdict, str | None]:
    verdict = verdict_of(value, check.low, check.high)
    if value.low is None:
        return verdict, value.why_no_interval
    if check.doubtful_below is not None and value.low < check.doubtful_below:
        return _UNTOLD, f"below {check.doubtful_below:g} it speaks of other work on the machine"
    return verdict, _BOTH_SIDES if verdict == _UNTOLD else None


def _foretold(check: Check, claim: Claim, taken: Taken) -> Foretelling | None:
    """What the curves say of the size stated; None where it was measured, or no curve is there."""
    from treebench.analysis.expressions.evaluate import UnknownError
    from treebench.analysis.expressions.foretell import Foretold

    wanted, largest = claim.stated.get("rows"), _largest(taken)
    if wanted is None or not largest < wanted <= FURTHEST * largest:
        return None
    try:
        value = Foretold(taken.rows, taken.specs, calls_of(claim, taken.shrink), wanted).value(
            read_term(check.term)
        )
    except UnknownError:
        return None
    return Foretelling(wanted, wanted / largest, value, verdict_of(value, check.low, check.high))


def _stand_in(check: Check, taken: Taken) -> str | None:
    """What counted in the hardware's stead."""
    if check.tier is None:
        return None
    tiers = {row.counters["tier"] for row in taken.rows if row.counters is not None}
    if "simulated" not in tiers or "hardware" in tiers:
        return None
    return "counted on a simulated cache, which stands in for the CPU's own counters"


def _conditions(claim: Claim, taken: Taken) -> list[str]:
    said = []
    if not taken.shrink.whole:
        said.append(_scaled(taken))
    stated, largest = claim.stated.get("rows", 0), _largest(taken)
    if stated > FURTHEST * largest > 0:
        said.append(
            f"the size stated, {stated:,} rows, is {stated / largest:.3g} times the largest "
            f"measured: too far for a curve to foretell it; a larger --scale brings it nearer"
        )
    if claim.stands_in:
        said.append(claim.stands_in)
    control = summarise_control([row for row in taken.rows if row.spec["trainer"] == _CONTROL])
    if control is not None and control.unsteady:
        said.append(
            f"the machine was not steady: the control cell's samples lie {control.low_percent:.0f} "
            f"to {control.high_percent:+.0f} % from their median; measure again when it is idle"
        )
    said += [f"{new} was put in the place of {old}" for old, new in taken.replaced.items()]
    return said


def _largest(taken: Taken) -> int:
    return max((spec.rows for spec in taken.specs.values()), default=0)


def _scaled(taken: Taken) -> str:
    rows = _largest(taken)
    size = f"{rows:,} rows at most, for {round(rows / taken.shrink.rows):,} at full size"
    grown = (spec.params.get("n_estimators") for spec in taken.specs.values())
    trees = [each for each in grown if each is not None]
    if not trees or taken.shrink.trees == 1:
        return f"a scaled run: {size}"
    most = max(trees)
    return f"a scaled run: {size}; {most} trees at most, for {round(most / taken.shrink.trees)}"


def untold(claim: Claim, why: str) -> ClaimOutcome:
    """A claim whose sweep could not be run at all."""
    checks = tuple(CheckOutcome(check, _UNTOLD, None, why) for check in claim.checks)
    return ClaimOutcome(claim, _UNTOLD, checks)
