"""`nightly --acknowledge`: a shift is accepted, in a file that can be reviewed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from treebench.errors import ExitCode, NothingMeasuredError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.history.acknowledged import Acknowledged
    from treebench.history.findings import Finding


def acknowledge_shift(history: Path, shift: str | None, reason: str | None) -> int:
    """Accept what a figure has become on every machine where a night found it worse.

    Raises:
        UsageError: the cell and figure, or the reason, are not given.
        NothingMeasuredError: no night found that figure worse.
    """
    from treebench.history.acknowledged import acknowledge

    cell, _, figure = (shift or "").partition(":")
    if not cell or not figure:
        raise UsageError("--acknowledge: write CELL:FIGURE, as in 3f2a90c1d4e5:fit_time")
    if not reason or not reason.strip():
        raise UsageError("--acknowledge needs --reason TEXT, for whoever reviews it later")
    entries = _entries(history, cell, figure, reason.strip())
    for each in entries:
        path = acknowledge(history, each)
        sys.stdout.write(
            f"acknowledged {each.figure} of {each.place or each.cell} since {each.since[:10]} "
            f"on {each.machine}, in {path}\n"
        )
    return ExitCode.OK


def _entries(history: Path, cell: str, figure: str, reason: str) -> list[Acknowledged]:
    from treebench.history.acknowledged import Acknowledged

    entries, known = [], []
    for machine in sorted(path.parent for path in history.glob("*/verdicts")):
        found = _open_findings(machine)
        known += [f"{each.cell}:{each.figure}" for each in found]
        for each in (each for each in found if (each.cell, each.figure) == (cell, figure)):
            night, place = _last_night(machine, cell)
            entries.append(
                Acknowledged(machine.name, cell, figure, each.since, night, reason, place)
            )
    if not entries:
        listed = ", ".join(dict.fromkeys(known)) or "none"
        raise NothingMeasuredError(
            f"no night in {history} found {cell}:{figure} worse; what was found: {listed}"
        )
    return entries


def _open_findings(machine: Path) -> list[Finding]:
    """The latest finding of each figure of each cell, of those that were not dismissed."""
    from treebench.history.findings import read_findings

    latest = {(each.cell, each.figure): each for each in read_findings(machine)[0]}
    return [each for each in latest.values() if each.state != "dismissed"]


def _last_night(machine: Path, cell: str) -> tuple[str, str | None]:
    """The name of the last night, and where in its sweep the cell is."""
    from treebench.history.morning import words_by_cell
    from treebench.history.parts import read_last_night

    night = read_last_night(machine)
    return night.name, words_by_cell(night.specs()).get(cell)
