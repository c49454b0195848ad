"""A night as it looks in the morning: what got worse, what crashed, what is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from treebench.analysis.comparing.pairing import places_of, refusal
from treebench.history.reruns import changes_between
from treebench.plan.cell import CONTROL_TRAINER
from treebench.store.row import FAILED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.history.acknowledged import Acknowledged
    from treebench.history.findings import Finding
    from treebench.history.night import Night
    from treebench.history.parts import History
    from treebench.history.suspects import Judgement, Suspect
    from treebench.plan.cell import CellSpec


@dataclass(frozen=True)
class FailedCell:
    """A cell of which samples failed tonight: `causes` with how many each has, `n_ok` those that
    ended well; since which night in a row, and the last night in which all ended well, with what
    has changed since then."""

    cell: str
    causes: Mapping[str, int]
    n_ok: int
    since: str
    last_good: str | None
    changes: Sequence[str] = ()


@dataclass(frozen=True)
class MissingCell:
    """A cell that the night before had and tonight does not, and why."""

    cell: str
    why: str


@dataclass(frozen=True)
class Morning:
    """All there is to say of a night. `found` are tonight's findings, `standing` the regressions
    that earlier nights confirmed and that are still there."""

    history: History
    judgement: Judgement
    found: Sequence[Finding]
    failures: Sequence[FailedCell]
    missing: Sequence[MissingCell]
    specs: Mapping[str, CellSpec]
    places: Mapping[str, str]
    earlier: Sequence[Finding] = ()
    acknowledged: Sequence[Acknowledged] = ()
    skipped: Sequence[str] = field(default_factory=tuple)

    @property
    def night(self) -> Night:
        """Tonight."""
        return self.history.nights[-1]

    @property
    def standing(self) -> list[Suspect]:
        """Regressions of earlier nights that are still there."""
        return [each for each in self.judgement.suspects if each.finding is not None]

    @property
    def regressions(self) -> list[Finding]:
        """All regressions that are there tonight, those found tonight first."""
        new = [each for each in self.found if each.state == "regression"]
        return [*new, *(each.finding for each in self.standing if each.finding is not None)]

    @property
    def measured(self) -> list[str]:
        """The cells that have a sample that ended well tonight, the control cell left out."""
        tonight = self.history.samples[self.history.samples["night"] == _last(self.history)]
        ended = tonight[tonight["status"] == "ok"]["cell"].astype(str).unique()
        return [cell for cell in ended if not self.specs[cell].is_control]

    def of_cell(self, cell: str) -> list[Finding]:
        """What is said of a cell tonight, old regressions too."""
        return [
            each
            for each in (*self.regressions, *self.found)
            if each.cell == cell and (each.state != "regression" or each in self.regressions)
        ]


def known_cells(history: History) -> dict[str, CellSpec]:
    """The definitions of all cells of the last two nights that have any, the latest first."""
    specs: dict[str, CellSpec] = {}
    for night in reversed(history.nights[-2:]):
        specs = {**night.specs(), **specs}
    return specs


def words_by_cell(specs: Mapping[str, CellSpec]) -> dict[str, str]:
    """Where in the sweep each cell is, in words; the control cell is called so."""
    measured = {cell: spec for cell, spec in specs.items() if not spec.is_control}
    return {**places_of(measured), **{c: "control" for c in specs if c not in measured}}


def failures_of(history: History) -> list[FailedCell]:
    """The cells of which a sample failed in the last night."""
    last, frame = _last(history), history.samples
    failed = frame[frame["status"].isin(list(FAILED))]
    tonight = failed[failed["night"] == last]
    found = []
    for cell in tonight["cell"].astype(str).unique():
        of_cell = frame[frame["cell"] == cell]
        bad = set(failed[failed["cell"] == cell]["night"])
        nights = [int(each) for each in sorted(of_cell["night"].unique())]
        row = _in_a_row(nights, bad)
        good = [each for each in nights if each < row]
        last_good = history.nights[good[-1]] if good else None
        ok = (of_cell["night"] == last) & (of_cell["status"] == "ok")
        found.append(
            FailedCell(
                cell,
                Counter(tonight[tonight["cell"] == cell]["error"].fillna("no reason was kept")),
                int(ok.sum()),
                history.nights[row].name,
                None if last_good is None else last_good.name,
                () if last_good is None else changes_between(last_good, history.nights[-1]),
            )
        )
    return found


def missing_of(history: History) -> list[MissingCell]:
    """The cells that the last night lacks and that were planned for it, or that the night before
    it had: of the same sweep."""
    tonight = history.nights[-1]
    frame = history.samples
    here = set(frame[frame["night"] == _last(history)]["cell"].astype(str))
    earlier = [at for at, each in enumerate(history.nights[:-1]) if each.run == tonight.run]
    before = set(frame[frame["night"] == earlier[-1]]["cell"].astype(str)) if earlier else set()
    specs = known_cells(history)
    return [
        MissingCell(cell, _why(cell, tonight, specs.get(cell)))
        for cell in sorted((before | set(tonight.planned)) - here)
        if cell not in specs or specs[cell].trainer != CONTROL_TRAINER
    ]


def _why(cell: str, tonight: Night, spec: CellSpec | None) -> str:
    if cell in tonight.planned:
        return "planned, but no sample of it was taken"
    refused = None if spec is None else refusal(spec, tonight.unsupported)
    return f"unsupported: {refused}" if refused else "not planned any more"


def _in_a_row(nights: Sequence[int], bad: set[int]) -> int:
    """The first of the nights at the end that are all bad."""
    first = nights[-1]
    for night in reversed(nights):
        if night not in bad:
            break
        first = night
    return first


def _last(history: History) -> int:
    return len(history.nights) - 1
