"""The memory of planned cells beforehand, for people: how much, how sure, and where it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.report import units
from treebench.report.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from treebench.memory_model.estimates import Estimate
    from treebench.memory_model.predict import Prediction
    from treebench.plan.build import PlannedCell

_MIB = 1 << 20
_LEAST_SHOWN_BYTES = _MIB // 2
_MOST_NAMED = 3

_BASES = {
    "calibrated": "by samples of this run",
    "reference": "by the coefficients shipped with treebench",
    "structure": "by the library's structures alone, which nobody has measured",
}


def peaks(cells: Sequence[PlannedCell], estimates: Mapping[str, Estimate]) -> str:
    """The predicted peaks of a series: least to most."""
    known = [one.memory for cell in cells if (one := estimates[cell.id]).memory is not None]
    if not known:
        return "not modelled"
    least = units.size(min(one.mid_bytes for one in known))
    most = units.size(max(one.mid_bytes for one in known))
    return least if least == most else f"{least} to {most}"


def explained(label: str, cell: PlannedCell, estimate: Estimate) -> Iterator[str]:
    """Where a cell's memory goes: a line for what is said of it, one for each term at the moment
    of its peak, largest first, and one for its time."""
    spec = cell.spec
    yield f"{spec.dataset}, {counted(spec.rows, 'row')}, {spec.layout}, {label} ({cell.id})"
    if estimate.memory is None:
        yield f"  the memory of {spec.trainer} is not modelled"
    else:
        yield from _held(estimate.memory)
    yield f"  {time_of(estimate)}"


def _held(said: Prediction) -> Iterator[str]:
    bounds = f"{units.size(said.low_bytes)} to {units.size(said.high_bytes)}"
    yield (f"  peak {units.size(said.mid_bytes)} in {said.phase}, {bounds}, {_BASES[said.basis]}")
    ordered = sorted(said.terms.items(), key=lambda term: -term[1])
    for name, size in ordered:
        if size >= _LEAST_SHOWN_BYTES:
            yield f"  {size / _MIB:>10,.1f} MiB  {name}"
    small = sum(size for _, size in ordered if size < _LEAST_SHOWN_BYTES)
    if small >= 0.05 * _MIB:  # else it would read 0.0
        yield f"  {small / _MIB:>10,.1f} MiB  all else"


def time_of(estimate: Estimate) -> str:
    """Its time, or why nothing can be said."""
    if estimate.seconds is None:
        return "time: not known, since no sample of its kind was taken here"
    least, mid, most = (units.duration(round(second * 1e9)) for second in estimate.seconds)
    return f"time of construct and fit: about {mid}, {least} to {most}"


def sum_of_times(
    cells: Collection[PlannedCell], estimates: Mapping[str, Estimate], samples: int
) -> Iterator[str]:
    """How long construct and fit of all samples will take, or why that is not known."""
    known = [one.seconds for cell in cells if (one := estimates[cell.id]).seconds is not None]
    if not known:
        yield (
            "time: not known before this run has samples of these trainers; peaks are "
            "estimates, and --explain says where they come from"
        )
        return
    least, mid, most = (samples * sum(each) for each in zip(*known, strict=True))
    texts = [units.duration(round(second * 1e9)) for second in (mid, least, most)]
    of = "" if len(known) == len(cells) else f" of {len(known):,} of {counted(len(cells), 'cell')}"
    yield f"time: about {texts[0]} of construct and fit{of}, {texts[1]} to {texts[2]}"


def memory_warnings(
    cells: Collection[PlannedCell], estimates: Mapping[str, Estimate], available: int | None
) -> Iterator[str]:
    """A line for the cells whose upper bound is above what the machine has left, and one for those
    whose own limit is below it."""
    bounds = _bounds(cells, estimates)
    beyond = {name: most for name, (most, _) in bounds.items() if available and most > available}
    if beyond:
        yield (
            f"warning: {_named(beyond)} may not fit the {units.size(available or 0)} of memory "
            f"there is; `treebench plan --explain` says where it goes"
        )
    limited = {name: most for name, (most, limit) in bounds.items() if limit and most > limit}
    if limited:
        yield (
            f"warning: {_named(limited)} may not fit their memory_limit, and end as oom; "
            f"`treebench plan --explain` says where it goes"
        )


def _bounds(
    cells: Collection[PlannedCell], estimates: Mapping[str, Estimate]
) -> dict[str, tuple[int, int | None]]:
    """Upper bound and limit by cell id, of the cells of which anything is known."""
    found = {}
    for cell in cells:
        estimate = estimates.get(cell.id)
        if estimate is not None and estimate.memory is not None:
            found[cell.id] = (estimate.memory.high_bytes, cell.spec.memory_limit_bytes)
    return found


def _named(beyond: Mapping[str, int]) -> str:
    names = ", ".join(list(beyond)[:_MOST_NAMED])
    most = units.size(max(beyond.values()))
    return f"{counted(len(beyond), 'cell')} ({names}; up to {most})"
