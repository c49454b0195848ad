"""What is said beside the figures: how far the run got, what failed, what is missing and why.

Plain sentences, used alike by the terminal and by the Markdown page.
"""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from treebench.analysis.layout_gaps import layout_gaps as layout_gaps_of
from treebench.analysis.scores import score_title
from treebench.analysis.summary import NO_SAMPLE
from treebench.report import units
from treebench.written.size import spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.analysis.summary import CellSummary
    from treebench.report.lines import Line

_RESTLESS_PERCENT = 50.0

_FIGURE_NAMES = {
    "construct_fit_wall_ns": "construct+fit",
    "peak_rss_bytes": "peak RSS",
    "data_bytes": "data",
    "container_retained_bytes": "container",
    "fit_growth_bytes": "fit",
}


def command(run: Overview) -> str:
    """The command that made the run, ready to be typed."""
    return shlex.join(run.facts["command"])


def progress(run: Overview) -> str | None:
    """How far a partial run got and what goes on with it; None for a complete one."""
    if run.is_complete:
        return None
    planned = run.planned_samples
    done = planned - run.missing_samples
    share = units.percent(100 * done / planned)
    return (
        f"partial run: {done:,} of {planned:,} samples have an outcome ({share}); "
        f"to go on{_widened(run)}: {command(run)}"
    )


def _widened(run: Overview) -> str:
    """Cells that the command itself leaves out are not taken by typing it again."""
    narrowed = any(word.partition("=")[0] == "--only" for word in run.facts["command"])
    return " (without --only for the cells that it leaves out)" if narrowed else ""


def memory_limits(run: Overview) -> list[str]:
    """The memory limits of the run's cells, and what held each."""
    holders: dict[int, dict[str, None]] = {}
    for cell in run.cells:
        if cell.spec.memory_limit_bytes is not None:
            of_limit = holders.setdefault(cell.spec.memory_limit_bytes, {})
            of_limit.update(dict.fromkeys(cell.limit_held_by))
    return [
        f"memory limit {spelled(limit)}, held by {' and '.join(by) or 'nothing yet'}"
        for limit, by in sorted(holders.items())
    ]


def memory_timelines(run: Overview, cell: str) -> list[str]:
    """What each sample of kind `memory` of a cell saw, and how closely it looked."""
    return [
        _timeline(row.timeline) if row.timeline else f"no reading; the sample ended as {row.status}"
        for row in run.memory_rows.get(cell, ())
    ]


def _timeline(timeline: Mapping[str, Any]) -> str:
    peak, phase = max(zip(timeline["pss_bytes"], timeline["phase"], strict=True), key=itemgetter(0))
    gap = timeline["largest_gap_ns"]
    between = "" if gap is None else f", {units.duration(gap)} apart at most"
    return (
        f"PSS of the process tree up to {units.size(peak)}, "
        f"in {phase or 'no phase'} ({timeline['ticks']} readings by {timeline['source']}{between})"
    )


def control(run: Overview) -> list[str]:
    """How steady the machine was, with a warning where it, or the cells, were not, and where more
    threads ran than the cells say."""
    return [*_steadiness(run), *_restless(run), *_crowded(run)]


def _steadiness(run: Overview) -> list[str]:
    known = run.control
    if known is None:
        return ["control cell: no sample ended well, so drift of the machine is unknown"]
    wall = known.fit_wall_ns
    if known.drift_percent is None:
        return [f"control cell: {units.duration(wall.median)}, one sample, so drift is unknown"]
    spread, drift = (
        units.percent(wall.spread_percent),
        units.percent(known.drift_percent, signed=True),
    )
    said = [
        f"control cell: {units.duration(wall.median)}, spread {spread} "
        f"({units.percent(known.low_percent, signed=True)} to "
        f"{units.percent(known.high_percent, signed=True)}), drift {drift} over the run"
    ]
    if known.unsteady:
        said.append(
            f"warning: the machine was unsteady: times of the same work lie {spread} apart, so "
            f"smaller differences in time mean nothing here"
        )
    return said


def _restless(run: Overview) -> list[str]:
    """A warning where cells spread so far that their medians say little.

    The control cell has one thread, so it may stay steady while other work on the machine holds
    up fits of several threads, which wait for their slowest at every split.
    """
    spreads = [
        known.spread_percent
        for cell in run.cells
        if (known := cell.construct_fit_wall_ns.estimate) and known.spread_percent is not None
    ]
    restless = [spread for spread in spreads if spread > _RESTLESS_PERCENT]
    if not restless:
        return []
    return [
        f"warning: construct+fit spreads over more than {_RESTLESS_PERCENT:.0f} % of its median "
        f"in {len(restless):,} of {counted(len(spreads), 'cell')} (at most "
        f"{units.percent(max(restless))}), so these medians say little; other work on the machine "
        f"is the usual cause: run again when it is quiet, or take more samples"
    ]


def _crowded(run: Overview) -> list[str]:
    """A warning for each trainer whose thread pools were larger than asked for."""
    crowded = defaultdict(list)
    for cell in run.cells:
        if cell.pools_above:
            crowded[cell.spec.trainer].append(cell)
    return [
        f"warning: in {counted(len(cells), 'cell')} of {trainer}, OpenMP had more threads than "
        f"asked for ({', '.join(_larger_pools(cells))}), so these times are not of the threads "
        f"that the table says; look for a thread count in `extra`"
        for trainer, cells in crowded.items()
    ]


def _larger_pools(cells: Sequence[CellSummary]) -> list[str]:
    said = [
        f"{pool} {threads} for {cell.spec.threads}"
        for cell in cells
        for pool, threads in cell.pools_above.items()
    ]
    return list(dict.fromkeys(said))


def layout_gaps(run: Overview, listed: Sequence[Line]) -> list[str]:
    """Which series score otherwise in another layout, and what their trainers make of a gap."""
    lines = {line.cell.cell: line for line in listed}
    notes = {cell["id"]: cell.get("notes", []) for cell in run.facts["plan"]["cells"]}
    said = []
    for gap in layout_gaps_of(line.cell for line in listed):
        first = lines[gap.cells[0].cell]
        scores = ", ".join(
            f"{cell.spec.layout} {units.score(gap.scores[cell.cell])}" for cell in gap.cells
        )
        meanings = [
            note
            for cell in gap.cells
            for note in notes.get(cell.cell, [])
            if "absent entry" in note
        ]
        meaning = f"; {meanings[0]}" if meanings else ""
        spec = first.cell.spec
        said.append(
            f"{spec.dataset}, {spec.rows:,} rows, {first.label}: "
            f"{score_title(gap.score)} {scores}{meaning}"
        )
    # Gaps at several thread counts read alike.
    return list(dict.fromkeys(said))


def levels(run: Overview) -> str | None:
    """The levels of the intervals shown; None where no cell has one."""
    found: dict[float, int] = {}
    for cell in run.cells:
        known = cell.construct_fit_wall_ns.estimate
        if known is not None and known.interval is not None:
            found[known.interval.level] = known.n
    if not found:
        return None
    said = [f"{units.level(level)} with {n} samples" for level, n in sorted(found.items())]
    return f"interval: for the median, free of assumptions, at a level of {' and '.join(said)}"


def reading(listed: Sequence[Line]) -> list[str]:
    """What the columns of these lines mean."""
    return [
        "construct+fit: median wall time over the samples; scikit-learn has no construct phase "
        "of its own, so libraries compare on the sum",
        "spread: largest minus smallest sample, in percent of the median",
        "peak RSS: the process's largest resident memory up to the end of fit, interpreter and "
        "libraries included",
        *_tree_peak(listed),
        "data | container | fit: bytes of the matrix itself, resident memory that construct left "
        "behind (freed heap that fit uses again included), and fit's peak above its own start",
    ]


def _tree_peak(listed: Sequence[Line]) -> list[str]:
    if all(line.cell.tree_peak_bytes.estimate is None for line in listed) or all(
        line.cell.summed_rss_peak_bytes.estimate is None for line in listed
    ):
        return []
    return [
        "tree peak: memory of the process and its children together, a shared page once; by "
        "cgroup, pages that were in memory before, such as the libraries', are not in it, so it "
        "may lie below peak RSS"
    ]


def failures(listed: Sequence[Line]) -> list[tuple[Line, str]]:
    """For each cell in which samples ended badly: how many, how, where and why."""
    return [(line, _causes(line.cell)) for line in listed if line.cell.n_failed]


def failures_aside(run: Overview, listed: Sequence[Line]) -> list[str]:
    """The samples of other kinds than `timed` that ended badly: which, how and why. No figure of
    the tables misses them, so that nobody would."""
    kinds = {"memory": run.memory_rows, "simulated": run.simulated_rows}
    return [
        f"{line.place}: {kind} sample, {row.status}: {row.error.message} [{row.cell}]"
        for line in listed
        for kind, rows in kinds.items()
        for row in rows.get(line.cell.cell, ())
        if row.error is not None and row.status not in {"ok", "unsupported", "interrupted"}
    ]


def unsupported(run: Overview) -> list[str]:
    """The points of the sweep that a library cannot do, counted by trainer and reason."""
    grouped: dict[tuple[str, str], list[str]] = defaultdict(list)
    for refused in run.unsupported:
        spec = refused.spec
        place = " ".join(str(spec[key]) for key in ("dataset", "layout") if key in spec)
        grouped[spec["trainer"], refused.reason].append(place)
    return [
        f"{counted(len(places), 'cell')} ({', '.join(dict.fromkeys(places))}): "
        f"{said_of(trainer, reason)}"
        for (trainer, reason), places in grouped.items()
    ]


def collapsed(run: Overview) -> list[str]:
    """The points of the sweep that another cell stands for, counted by reason."""
    counts = Counter((point.spec["trainer"], point.reason) for point in run.collapsed)
    return [
        f"{counted(n, 'cell')}: {said_of(trainer, reason)}"
        for (trainer, reason), n in counts.items()
    ]


def missing(listed: Sequence[Line]) -> list[str]:
    """Why figures of cells that were measured are missing, counted by figure and reason."""
    counts: Counter[tuple[str, str]] = Counter()
    for line in listed:
        figures = line.cell.figures()
        reasons = {
            (name, reason)
            for name in _FIGURE_NAMES
            for reason in figures[name].missing
            if reason != NO_SAMPLE
        }
        counts.update(reasons)
    return [
        f"{_FIGURE_NAMES[name]} of {counted(n, 'cell')}: {why}" for (name, why), n in counts.items()
    ]


def phase_notes(run: Overview) -> list[str]:
    """What a phase's time includes that a reader would not expect, by trainer."""
    noted = {
        (cell.spec.trainer, phase, note): None
        for cell in run.cells
        for phase, note in cell.phase_notes.items()
    }
    return [f"{trainer}, {phase}: {note}" for trainer, phase, note in noted]


def _causes(cell: CellSummary) -> str:
    counts: Counter[str] = Counter()
    for failure in cell.failures:
        if failure.status != "interrupted":
            error = failure.error
            where = f" in {error.phase}" if error is not None and error.phase else ""
            why = f": {error.message}" if error is not None else ""
            counts[f"{failure.status}{where}{why}"] += 1
    done = cell.n_ok + cell.n_failed
    return "; ".join(f"{n} of {done} {cause}" for cause, n in counts.items())


def said_of(trainer: str, reason: str) -> str:
    """A reason with the trainer it is about, which many reasons name themselves."""
    return reason if trainer in reason.split(":")[0] else f"{trainer}: {reason}"


def counted(n: int, what: str) -> str:
    """A number of things, in the singular for one."""
    return f"{n:,} {what}" + "s" * (n != 1)
