"""What a re-run says of each suspect: a regression, nothing of the kind, or not enough to tell.

The re-run measures the suspected cells again tonight, in the last good night's environment and in
tonight's, interleaved. Where both have the same versions, it tells a machine that drifted (both
sides are alike) from an environment that was changed under its versions (they are not).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from treebench.analysis.comparing.rule import verdict
from treebench.analysis.comparing.runs import compare_runs
from treebench.analysis.figures import figure_named
from treebench.history.bounds import NIGHTLY
from treebench.history.findings import Finding
from treebench.history.reruns import changes_between, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.comparing.cells import Judged
    from treebench.analysis.comparing.rule import Bounds, Change
    from treebench.analysis.comparing.rules import Rules
    from treebench.analysis.comparing.runs import ComparedRuns
    from treebench.analysis.figures import NamedFigure
    from treebench.history.findings import State
    from treebench.history.night import Night
    from treebench.history.suspects import Suspect

Settled = Literal["regression", "dismissed", "unclear"]

ROUNDS = (10, 20)
"""Samples of each side: to begin with, and where that does not tell."""

CHANCE = 0.005
"""The chance, allowed for all tests of the re-run, that a regression must be below. Stricter than
that of `compare`, since it is asked every night, and twice where the first rounds do not tell."""


@dataclass(frozen=True)
class NotRerun:
    """Why the suspected cells could not be measured again."""

    reason: str


class Rerun(Protocol):
    """Something that measures cells again."""

    def __call__(self, cells: Sequence[str], good: Night, rounds: int) -> ComparedRuns | NotRerun:
        """So many rounds of these cells, in the environment of the night `good` and in tonight's.
        Called again with more rounds, it adds to what it took before."""


def settled(
    change: Change, figure: NamedFigure, adjusted: float, tests: int, bounds: Bounds | None = None
) -> Settled:
    """What came of a figure that was suspected, `adjusted` being the chance of its change with all
    `tests` allowed for."""
    found = verdict(change, figure, adjusted, tests, bounds or NIGHTLY.bounds_of(figure))
    if found == "worse":
        sure = change.deterministic or adjusted <= CHANCE
        return "regression" if sure else "unclear"
    return "unclear" if found == "unclear" else "dismissed"


def settle(
    suspects: Sequence[Suspect],
    nights: Mapping[str, Night],
    tonight: Night,
    rerun: Rerun,
    rules: Rules = NIGHTLY,
    rounds: Sequence[int] = ROUNDS,
) -> list[Finding]:
    """Re-run the suspects that no earlier night has confirmed, and say what came of each.

    Args:
        suspects: tonight's.
        nights: all nights by name.
        tonight: the one that is judged.
        rerun: takes the samples. Called again with more rounds, it adds to what it took before.
        rules: bands and floors.
        rounds: samples of each side, in the order tried.
    """
    found: list[Finding] = []
    for group in _by_environment(suspects, nights).values():
        found += _Group(group, nights[group[0].last_good], tonight, rules).settle(rerun, rounds)
    return found


def _by_environment(
    suspects: Sequence[Suspect], nights: Mapping[str, Night]
) -> dict[tuple[str, ...], list[Suspect]]:
    """The suspects to be run again, by the environment of their last good night: the latest night
    stands for all that had it."""
    groups: dict[tuple[str, ...], list[Suspect]] = {}
    for each in sorted(suspects, key=lambda one: one.last_good, reverse=True):
        if each.finding is None:
            night = nights[each.last_good]
            groups.setdefault((night.python, *night.requirements), []).append(each)
    return groups


@dataclass(frozen=True)
class _Group:
    """Suspects that are held against one environment, that of the night `good`."""

    suspects: Sequence[Suspect]
    good: Night
    tonight: Night
    rules: Rules

    def settle(
        self,
        rerun: Rerun,
        rounds: Sequence[int],
    ) -> list[Finding]:
        """Rounds are added for those that are still unclear."""
        found: dict[tuple[str, str], Finding] = {}
        waiting = list(self.suspects)
        for n in rounds:
            if not waiting:
                break
            compared = rerun(list(dict.fromkeys(each.cell for each in waiting)), self.good, n)
            for each in waiting:
                found[each.key] = self._of_rerun(each, compared, n)
            waiting = [each for each in waiting if found[each.key].state == "unclear"]
        return list(found.values())

    def _of_rerun(
        self, suspect: Suspect, compared: ComparedRuns | NotRerun, rounds: int
    ) -> Finding:
        judged = (
            compared
            if isinstance(compared, NotRerun)
            else _judged(self._by_own_rules(compared, suspect), suspect)
        )
        if isinstance(judged, NotRerun):
            return self._finding(suspect, "not re-run", judged.reason)
        tests, of_figure = judged
        figure = figure_named(suspect.figure)
        bounds = self.rules.bounds_of(figure)
        state = settled(of_figure.change, figure, of_figure.adjusted, tests, bounds)
        return self._finding(suspect, state, "", of_figure, rounds)

    def _by_own_rules(self, compared: ComparedRuns, suspect: Suspect) -> ComparedRuns:
        return compare_runs(
            compared.before, compared.after, rules=self.rules, more_figures=[suspect.figure]
        )

    def _finding(
        self,
        suspect: Suspect,
        state: State,
        reason: str,
        judged: Judged | None = None,
        rounds: int | None = None,
    ) -> Finding:
        changes = changes_between(self.good, self.tonight)
        change = None if judged is None else judged.change
        interval = None if change is None else change.interval
        return Finding(
            night=self.tonight.name,
            cell=suspect.cell,
            figure=suspect.figure,
            since=suspect.since,
            last_good=suspect.last_good,
            before=suspect.before,
            after=suspect.after,
            state=state,
            says=words_of(state, suspect, changes, reason, rounds),
            same_versions=not changes,
            drifted=suspect.drifted,
            ratio=None if interval is None else interval.ratio,
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            chance=None if judged is None else judged.adjusted,
            rounds=rounds,
        )


def _judged(compared: ComparedRuns, suspect: Suspect) -> tuple[int, Judged] | NotRerun:
    """The suspected figure in the re-run, and the tests beside it; or why it is not there."""
    cell = next((each for each in compared.cells if each.spec.id == suspect.cell), None)
    if cell is None:
        return NotRerun("the re-run has no sample of the cell on one of its sides")
    judged = next((e for e in cell.compared.judged if e.figure.name == suspect.figure), None)
    if judged is None:
        said = [*cell.failures, *cell.compared.reasons]
        return NotRerun(f"the re-run did not have the figure: {'; '.join(said) or 'no reason'}")
    return compared.tests, judged
