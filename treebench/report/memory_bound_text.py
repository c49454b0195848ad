"""Does a fit compute, or wait for memory: in words and columns, or why it cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from treebench.analysis.memory_bound import FitBound, ThreadScaling, fit_bound, thread_scaling
from treebench.report import units
from treebench.report.columns import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.report.lines import Line

_T = TypeVar("_T")

BOUND_TITLE = "Compute- or memory-bound"
_HOW_TO_TELL = (
    "near 100 % of copy, fit waits for memory's bandwidth; far below it with an IPC below about "
    "1, it mostly waits for something else, of which single reads of memory one after the other "
    "are the usual; far below it with a high IPC, it computes"
)
_LOWER_BOUND = (
    "read rate: LLC-load-misses x 64 B / wall time of fit. It is a lower bound of what fit moves: "
    "stores, and lines that a prefetcher fetched in time, are no load misses"
)
_SIMULATED_COLUMNS = (("D1 read misses", "D1-read-misses"), ("LL read misses", "LL-read-misses"))


def bound_lines(run: Overview, listed: Sequence[Line]) -> list[Line]:
    """The lines of which a table has anything to say."""
    known = _bounds(run, listed).keys() | _scaling(run).keys()
    return [line for line in listed if line.cell.cell in known]


def bound_columns(run: Overview, listed: Sequence[Line]) -> list[Column]:
    """IPC and bandwidth where the hardware counted, else misses beside the scaling over threads;
    none where the misses alone, which have a table of their own, are all there is."""
    bounds = _bounds(run, listed)
    scaling = _scaling_columns(_scaling(run), listed)
    if bounds:
        return [*_bandwidth_columns(bounds), *scaling]
    return [*_miss_columns(run, listed), *scaling] if scaling else []


def bound_words(run: Overview, listed: Sequence[Line]) -> list[str]:
    """How to read the columns; without hardware counters, that it cannot be told, and why."""
    if not _bounds(run, listed):
        return _cannot_tell(run, listed)
    copied = run.facts.get("copy_bandwidth")
    return [_HOW_TO_TELL, _LOWER_BOUND, _copied_words(copied), *_scaling_words(run, listed)]


def copy_words(copied: Mapping[str, Any]) -> str:
    """A measured copy bandwidth: "9.50 GB/s on 1 thread, 21.0 GB/s on 4 threads"."""
    rates = copied["bytes_per_s"].items()
    return ", ".join(f"{units.rate(rate)} on {n} thread{'s' * (int(n) != 1)}" for n, rate in rates)


def _copied_words(copied: Mapping[str, Any] | None) -> str:
    if copied is None:
        return "of copy: unknown, since the copy bandwidth of this machine was not measured"
    if copied.get("reason") is not None:
        return f"of copy: unknown, since copying could not be measured: {copied['reason']}"
    caution = "" if copied["past_cache"] else "; these may fit into a cache, so take it with care"
    return (
        f"of copy: the read rate against what this machine copied at the start of the run: "
        f"{copy_words(copied)} (best of several copies between two arrays of "
        f"{units.size(copied['array_bytes'])}, bytes read and bytes written counted{caution}); for "
        f"a cell, that on its own number of threads or the next measured"
    )


def _cannot_tell(run: Overview, listed: Sequence[Line]) -> list[str]:
    scaling = _scaling_words(run, listed)
    if not scaling and not run.counters():
        return []
    hints = ["misses per cell"] if _miss_columns(run, listed) else []
    hints += ["thread scaling"] if scaling else []
    hint = f"; {' and '.join(hints)} only hint at it" if hints else ""
    return [
        f"not known: it needs hardware counters (instructions per cycle, and misses of the last "
        f"cache against copy bandwidth), and {_why_no_hardware(run)}{hint}",
        *scaling,
    ]


def _why_no_hardware(run: Overview) -> str:
    counted = run.counters().values()
    reasons = dict.fromkeys(one.absent["hardware"] for one in counted if "hardware" in one.absent)
    if reasons:
        return f"there are none: {'; '.join(reasons)}"
    tiers = dict.fromkeys(one.tier for one in counted if one.tier is not None)
    asked = f"only {', '.join(tiers)} ones were asked for" if tiers else "none were asked for"
    return f"{asked} (`counters: auto` takes the best there is)"


def _scaling_words(run: Overview, listed: Sequence[Line]) -> list[str]:
    known = _scaling(run)
    if not any(line.cell.cell in known for line in listed):
        return []
    return [
        "speed-up: time of construct + fit on the fewest threads of the sweep, over that on the "
        "cell's own; one that stops growing while cores are left may wait for memory, or for what "
        "is done on one thread, and the two cannot be told apart by it"
    ]


def _bandwidth_columns(bounds: Mapping[str, FitBound]) -> list[Column]:
    def column(title: str, text: Callable[[FitBound], str]) -> Column:
        return Column(title, lambda line: _known(bounds.get(line.cell.cell), text))

    return [
        column("IPC", lambda one: units.rounded_count(one.instructions_per_cycle)),
        column("read rate", lambda one: units.rate(one.read_bytes_per_s)),
        column("of copy", lambda one: units.percent(_hundredfold(one.share_of_copy))),
    ]


def _miss_columns(run: Overview, listed: Sequence[Line]) -> list[Column]:
    counted = run.counters()
    simulated = {cell: one for cell, one in counted.items() if one.tier == "simulated"}
    if not any(line.cell.cell in simulated for line in listed):
        return []

    def column(title: str, event: str) -> Column:
        return Column(
            f"{title} (simulated)",
            lambda line: _known(
                simulated.get(line.cell.cell),
                lambda one: units.rounded_count(one.per_cell_and_tree("fit", event)),
            ),
        )

    return [column(title, event) for title, event in _SIMULATED_COLUMNS]


def _scaling_columns(known: Mapping[str, ThreadScaling], listed: Sequence[Line]) -> list[Column]:
    own = [known[line.cell.cell] for line in listed if line.cell.cell in known]
    if not own:
        return []
    fewest = " or ".join(str(n) for n in sorted({one.fewest_threads for one in own}))
    title = f"speed-up over {fewest} thread{'s' * (fewest != '1')}"
    return [
        Column(
            title,
            lambda line: _known(known.get(line.cell.cell), lambda one: units.ratio(one.speedup)),
        )
    ]


def _known(one: _T | None, text: Callable[[_T], str]) -> str:
    return units.DASH if one is None else text(one)


def _bounds(run: Overview, listed: Sequence[Line]) -> dict[str, FitBound]:
    counted, copied = run.counters(), run.facts.get("copy_bandwidth")
    found = {
        line.cell.cell: fit_bound(line.cell, counted[line.cell.cell], copied)
        for line in listed
        if line.cell.cell in counted
    }
    return {cell: one for cell, one in found.items() if one is not None}


def _scaling(run: Overview) -> dict[str, ThreadScaling]:
    return thread_scaling(run.cells)


def _hundredfold(share: float | None) -> float | None:
    return None if share is None else 100 * share
