"""What would make unclear figures of a comparison clear, in words."""

from __future__ import annotations

from statistics import median_high
from typing import TYPE_CHECKING

from treebench.analysis.comparing.outlook import samples_wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from treebench.analysis.comparing.cells import Judged
    from treebench.analysis.comparing.runs import ComparedRuns, PairedCell

    Unclear = Sequence[tuple[PairedCell, Judged]]

_MOST_NAMED = 3
"""Cells that are named; the table above names all of them."""


def what_would_clear(compared: ComparedRuns, judged: Judged) -> str:
    """What an unclear figure lacks, as an estimate."""
    wanted = _wanted(compared, judged)
    return _no_samples(judged) if wanted is None else _samples([judged], [wanted])


def unclear_lines(compared: ComparedRuns) -> list[str]:
    """What would make the unclear figures clear: a line for each remedy, however many cells it is
    the remedy of."""
    grouped: dict[str, list[tuple[PairedCell, Judged]]] = {}
    for cell, judged in _unclear(compared):
        without = _wanted(compared, judged) is None
        grouped.setdefault(_no_samples(judged) if without else "", []).append((cell, judged))
    return [
        f"{_whose(unclear)}: {remedy or _more_samples(compared, unclear)}"
        for remedy, unclear in grouped.items()
    ]


def _unclear(compared: ComparedRuns) -> Iterator[tuple[PairedCell, Judged]]:
    for cell in compared.cells:
        for judged in cell.compared.judged:
            if judged.verdict == "unclear":
                yield cell, judged


def _wanted(compared: ComparedRuns, judged: Judged) -> int | None:
    """How many samples of each side would tell; None where it is not a matter of samples."""
    if judged.remark is not None or judged.figure.worse == "neither":
        return None
    return samples_wanted(judged.change, compared.rules.bounds_of(judged.figure), compared.tests)


def _no_samples(judged: Judged) -> str:
    """What is to be said where no number of samples can be named."""
    if judged.remark is not None:
        return f"{judged.remark}; measure both in one go, on a quieter machine"
    if judged.figure.worse == "neither":
        return "it changed, and neither way is the wrong one"
    if judged.change.log_spread is None:
        return "the spread is not known; take three samples of each side or more"
    return "more samples will hardly tell: it lies at the edge of what counts, or varies widely"


def _more_samples(compared: ComparedRuns, unclear: Unclear) -> str:
    listed = [judged for _, judged in unclear]
    return _samples(listed, [_wanted(compared, judged) or 0 for judged in listed])


def _samples(listed: Sequence[Judged], wanted: Sequence[int]) -> str:
    """The number of samples that all of them need, and where that is more than twice as many, the
    number that is enough for half of them."""
    most, half = max(wanted), median_high(sorted(wanted))
    pairs = list(zip(listed, wanted, strict=True))
    before = max(max(0, n - judged.change.n_before) for judged, n in pairs)
    after = max(max(0, n - judged.change.n_after) for judged, n in pairs)
    for_half = f", and about {half:,} half of these" if most > 2 * half else ""
    return (
        f"about {most:,} samples of each side would tell{for_half}, by the spread seen "
        f"({before:,} more before, {after:,} more after)"
    )


def _whose(unclear: Unclear) -> str:
    """The figures, and the cells as far as they are few."""
    figures = " and ".join(dict.fromkeys(judged.figure.name for _, judged in unclear))
    places = list(dict.fromkeys(cell.place for cell, _ in unclear))
    if len(places) == 1:
        return f"{places[0]}, {figures}"
    if len(places) <= _MOST_NAMED:
        return f"{figures} of {'; '.join(places)}"
    return f"{figures} of {len(places):,} cells"
