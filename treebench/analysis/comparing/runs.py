"""Two runs against each other: what is comparable at all, cell by cell, and what became of it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from treebench.analysis.comparing.agreement import (
    changed_versions,
    disagreements,
    machines_of,
    sources_differ,
)
from treebench.analysis.comparing.cells import ComparedCell, compare_cells, values_of
from treebench.analysis.comparing.control import ControlChange, control_change
from treebench.analysis.comparing.guarded import guarded_figures, times_of
from treebench.analysis.comparing.in_control_time import control_times, in_control_time
from treebench.analysis.comparing.pairing import LostCell, lost_cells, pair
from treebench.analysis.comparing.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from treebench.analysis.comparing.cells import Comparison, Judged
    from treebench.analysis.comparing.pairing import Pairing
    from treebench.analysis.comparing.rule import Verdict
    from treebench.analysis.comparing.sides import Side
    from treebench.analysis.figures import NamedFigure
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

FAILED = ("error", "timeout", "oom", "killed")
NO_BLOCK = "no sample of it lies in a block with a control cell"
NO_CONTROL = "there is no control cell on both sides to hold the times of two machines against"


@dataclass(frozen=True)
class PairedCell:
    """A cell of both sides. `n_before` and `n_after` are the timed samples that ended well;
    `failures` the causes of those after that did not, with how many each has."""

    place: str
    spec: CellSpec
    compared: ComparedCell
    n_before: int
    n_after: int
    failures: Mapping[str, int] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """That of the cell."""
        return self.compared.verdict


@dataclass(frozen=True)
class ComparedRuns:
    """Two sides compared. `versions` are those that changed, before and after; `controls` the
    change of the control cell, by host (None outside a cluster); `across_machines` says that times
    are in units of the control cell's; `tests` how many changes chance could have made."""

    before: Side
    after: Side
    cells: tuple[PairedCell, ...]
    lost: tuple[LostCell, ...]
    rules: Rules
    versions: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    controls: Mapping[str | None, ControlChange]
    figures: tuple[NamedFigure, ...]
    across_machines: bool
    tests: int

    @property
    def counts(self) -> dict[Verdict, int]:
        """Cells by verdict; those on other data are not comparable."""
        found = Counter(cell.verdict for cell in self.cells)
        found["not comparable"] += sum(
            each.other_data and each.side == "before" for each in self.lost
        )
        return {verdict: n for verdict, n in found.items() if n}

    @property
    def any_compared(self) -> bool:
        """Whether there was anything to compare at all."""
        return any(cell.verdict != "not comparable" for cell in self.cells)


def compare_runs(
    before: Side,
    after: Side,
    *,
    rules: Rules | None = None,
    more_figures: Iterable[str] = (),
    across_machines: bool = False,
    matches: Callable[[CellSpec], bool] | None = None,
) -> ComparedRuns:
    """Compare what two sides have in common.

    Args:
        before: the side to judge by.
        after: the side to judge.
        rules: bounds other than the usual ones.
        more_figures: figures beside the guarded ones.
        across_machines: hold times of different machines against those of the control cell in the
            same block; nothing else of them is compared.
        matches: leaves out cells.

    Raises:
        ConfigError: `more_figures` names none.
    """
    stated = rules or Rules()
    across = across_machines and machines_of(before.rows) != machines_of(after.rows)
    by_host = not across and (before.several_hosts or after.several_hosts)
    pairing = pair(before, after, matches, by_host=by_host)
    figures = guarded_figures((*before.rows, *after.rows), more_figures)
    figures = times_of(figures) if across else figures
    work = _Work(before, after, pairing, figures, stated, across=across, by_host=by_host)
    compared = work.compared()
    return ComparedRuns(
        before,
        after,
        tuple(work.paired(key, compared) for key in pairing.both),
        tuple(lost_cells(before, after, pairing)),
        stated,
        changed_versions(before.rows, after.rows),
        work.controls,
        tuple(figures),
        across,
        compared.tests,
    )


class _Work:
    """What several steps of one comparison share."""

    def __init__(
        self,
        before: Side,
        after: Side,
        pairing: Pairing,
        figures: Sequence[NamedFigure],
        rules: Rules,
        *,
        across: bool,
        by_host: bool,
    ) -> None:
        self.pairing, self.figures, self.rules = pairing, figures, rules
        self.across, self.by_host = across, by_host
        self.control_before = control_times(before.rows)
        self.control_after = control_times(after.rows)
        self.unlike = {key: self._why_unlike(key) for key in pairing.both}
        self.controls = {} if across else self._controls()

    def compared(self) -> Comparison:
        """The comparable cells, judged; where the control cell moved, as it allows."""
        keys = [key for key in self.pairing.both if not self.unlike[key]]
        if self.across:
            return self._compare(*self._in_control_time(keys), self.figures)
        first = {key: self.pairing.before[key] for key in keys}
        second = {key: self.pairing.after[key] for key in keys}
        plain = self._compare(first, second, self.figures)
        moved = [key for key in keys if self._moved(key)]
        if not moved:
            return plain
        steadied = self._compare(*self._in_control_time(moved), times_of(self.figures))
        return _as_both_allow(plain, steadied)

    def paired(self, key: str, compared: Comparison) -> PairedCell:
        """A cell with its verdicts and all that is to be said of it."""
        before, after = self.pairing.before[key], self.pairing.after[key]
        judged = next((each for each in compared.cells if each.cell == key), None)
        found = judged or ComparedCell(key, ())
        reasons = self.unlike[key] or self._remarks(before, after)
        if found.verdict == "not comparable" and not reasons:
            reasons = [self._why_nothing(before, after)]
        return PairedCell(
            self.pairing.places[key],
            self.pairing.specs[key],
            dataclasses.replace(found, reasons=tuple(reasons)),
            _n_ok(before),
            _n_ok(after),
            Counter(_cause(row) for row in after if row.status in FAILED),
        )

    def _why_unlike(self, key: str) -> list[str]:
        before, after = self.pairing.before[key], self.pairing.after[key]
        if self.across and not (self.control_before and self.control_after):
            return [NO_CONTROL]
        return disagreements(before, after, across_machines=self.across)

    def _compare(
        self,
        before: Mapping[str, Sequence[SampleRow]],
        after: Mapping[str, Sequence[SampleRow]],
        figures: Sequence[NamedFigure],
    ) -> Comparison:
        return compare_cells(
            before,
            after,
            figures,
            self.rules.bounds_of,
            lambda key, figure: sources_differ(before[key], after[key], figure) is None,
        )

    def _in_control_time(
        self, keys: Iterable[str]
    ) -> tuple[dict[str, list[SampleRow]], dict[str, list[SampleRow]]]:
        """Both sides in units of the first one's control cell."""
        first: dict[str, list[SampleRow]] = {}
        second: dict[str, list[SampleRow]] = {}
        for key in keys:
            reference = self._reference(self._host(key))
            before, after = self.pairing.before[key], self.pairing.after[key]
            first[key] = in_control_time(before, self.control_before, reference)
            second[key] = in_control_time(after, self.control_after, reference)
        return first, second

    def _reference(self, host: str | None) -> float:
        """The median of the first side's control cell, in ns; asked for only where it has one."""
        return median(ns for block, ns in self.control_before.items() if self._is_of(block, host))

    def _is_of(self, block: tuple[str | None, int], host: str | None) -> bool:
        return not self.by_host or block[0] == host

    def _host(self, key: str) -> str | None:
        host: str | None = self.pairing.before[key][0].must_match.get("host")
        return host if self.by_host else None

    def _controls(self) -> dict[str | None, ControlChange]:
        found = {}
        alike = (key for key in self.pairing.both if not self.unlike[key])
        for host in dict.fromkeys(map(self._host, alike)):
            times = [
                [ns for block, ns in side.items() if self._is_of(block, host)]
                for side in (self.control_before, self.control_after)
            ]
            change = control_change(times[0], times[1], self.rules)
            if change is not None:
                found[host] = change
        return found

    def _moved(self, key: str) -> bool:
        control = self.controls.get(self._host(key))
        return control is not None and control.moved

    def _why_nothing(self, before: Sequence[SampleRow], after: Sequence[SampleRow]) -> str:
        """Why no figure of a cell could be compared, though the cell could."""
        if not _n_ok(before) and not _n_ok(after):
            return "no sample ended well on either side"
        return NO_BLOCK if self.across else "no figure is known on both sides"

    def _remarks(self, before: Sequence[SampleRow], after: Sequence[SampleRow]) -> list[str]:
        """What of a comparable cell is unlike: numbers of samples, figures of one side alone."""
        n_before, n_after = _n_ok(before), _n_ok(after)
        said = []
        if n_before != n_after:
            said.append(f"{_samples(n_before)} before, {n_after} after")
        if n_before and n_after:
            said += [text for each in self.figures if (text := _one_sided(before, after, each))]
        return said


def _one_sided(
    before: Sequence[SampleRow], after: Sequence[SampleRow], figure: NamedFigure
) -> str | None:
    """Why a figure could not be compared; None where it could, or where neither side has it."""
    first, second = bool(values_of(before, figure)), bool(values_of(after, figure))
    if first and second:
        return sources_differ(before, after, figure)
    if first or second:
        return f"{figure.name} is known {'before' if first else 'after'} only"
    return None


def _as_both_allow(plain: Comparison, steadied: Comparison) -> Comparison:
    """A time's verdict stands where it is the same in units of the control cell; else what moved
    the control cell may have moved it."""
    second = {
        (cell.cell, each.figure.name): each.verdict
        for cell in steadied.cells
        for each in cell.judged
    }
    cells = tuple(
        dataclasses.replace(
            cell,
            judged=tuple(
                _allowed(each, second.get((cell.cell, each.figure.name))) for each in cell.judged
            ),
        )
        for cell in plain.cells
    )
    return dataclasses.replace(plain, cells=cells)


def _allowed(judged: Judged, by_control: Verdict | None) -> Judged:
    if by_control is None or judged.verdict in (by_control, "unclear"):
        return judged
    remark = f"{judged.verdict} as it stands, {by_control} beside the control cell, which moved"
    return dataclasses.replace(judged, verdict="unclear", remark=remark)


def _n_ok(rows: Iterable[SampleRow]) -> int:
    return sum(row.status == "ok" and row.kind == "timed" for row in rows)


def _samples(n: int) -> str:
    return f"{n} sample{'s' * (n != 1)}"


def _cause(row: SampleRow) -> str:
    if row.error is None:
        return row.status
    where = f" in {row.error.phase}" if row.error.phase else ""
    return f"{row.status}{where}: {row.error.message}"
