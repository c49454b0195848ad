"""From the samples of a cell to what is known of the cell.

Only samples that ended well enter a figure; the others are counted, with their causes. A figure
that a sample lacks is left out of the estimate and its reason kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from treebench.analysis.cell_curve import CellCurve, cell_curve
from treebench.analysis.sample import (
    NO_REASON,
    Missing,
    added,
    construct_fit_growth,
    container_retained,
    data_bytes,
    growth,
    phase_value,
    score_named,
    training_peak,
)
from treebench.analysis.statistics import Estimate, estimate
from treebench.analysis.thread_pools import pools_above
from treebench.plan.cell import CellSpec
from treebench.store.row import PHASES, TRAINING_PHASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from treebench.store.row import ModelFigures, SampleError, SampleRow, Status

NO_SAMPLE = "no sample ended well"


@dataclass(frozen=True)
class Figure:
    """One figure of a cell: its estimate if any sample has it, and why others have not."""

    estimate: Estimate | None
    missing: tuple[str, ...] = ()

    @property
    def median(self) -> float | None:
        """The median over the samples that have the figure, else None."""
        return None if self.estimate is None else self.estimate.median


@dataclass(frozen=True)
class Failure:
    """One sample that did not end well."""

    block: int
    status: Status
    error: SampleError | None


@dataclass(frozen=True)
class BatchLatency:
    """How long a prediction of `rows` rows at once takes: quantiles over the calls of a sample,
    and how many `rows_per_s` that makes; `repeats` are the calls."""

    rows: int
    p50_ns: Figure
    p90_ns: Figure
    p99_ns: Figure
    rows_per_s: Figure
    repeats: Figure


LATENCY_FIGURES = tuple(each.name for each in fields(BatchLatency) if each.name != "rows")


@dataclass(frozen=True)
class CellSummary:
    """What is known of one cell. Times are in nanoseconds, memory in bytes.

    `construct_fit_*` is what libraries are compared on: scikit-learn bins inside fit, so that
    neither phase alone compares; `construct_fit_growth_bytes` is the memory of the same two, the
    higher of their peaks above the baseline of the first. `total_wall_ns` is the sum over all
    judged phases.

    Memory: `data_bytes` is the matrix itself; `container_retained_bytes` the RSS that construct
    left behind (end minus baseline; negative if it gave memory back), which holds, beside the
    container, heap that construct freed and the C library kept for fit to use again; and
    `container_peak_growth_bytes` its peak above its baseline; `fit_growth_bytes` and
    `predict_growth_bytes` the peaks above their own baselines; `peak_rss_bytes` the largest
    peak up to the end of fit, reached in `peak_phase`: in predict the test part is in memory too,
    which is as large at every row count.
    Of the worker and all its children, up to the end of fit as well: `tree_peak_bytes` with shared
    pages once, had from `tree_peak_sources`; `summed_rss_peak_bytes` with each page once for
    every process; `shared_files_peak_bytes` what the sample's own folder for shared files held.
    The last two are sampled, and only where training is in several jobs.
    `limit_held_by` says what held the memory limit, where there is one. `pools_above` are the
    OpenMP pools that had more threads than the cell asked for, by library file.
    """

    cell: str
    spec: CellSpec
    counts: dict[Status, int]
    failures: tuple[Failure, ...]
    wall_ns: dict[str, Figure]
    cpu_ns: dict[str, Figure]
    phase_peak_rss_bytes: dict[str, Figure]
    construct_fit_wall_ns: Figure
    construct_fit_cpu_ns: Figure
    total_wall_ns: Figure
    data_bytes: Figure
    container_retained_bytes: Figure
    container_peak_growth_bytes: Figure
    fit_growth_bytes: Figure
    construct_fit_growth_bytes: Figure
    predict_growth_bytes: Figure
    peak_rss_bytes: Figure
    tree_peak_bytes: Figure
    summed_rss_peak_bytes: Figure
    shared_files_peak_bytes: Figure
    peak_phase: str | None
    score: dict[str, Figure]
    model: ModelFigures | None
    phase_notes: dict[str, str]
    limit_held_by: tuple[str, ...] = ()
    pools_above: dict[str, int] = field(default_factory=dict)
    tree_peak_sources: tuple[str, ...] = ()
    latency: dict[str, BatchLatency] = field(default_factory=dict)
    curve: CellCurve | None = None

    @property
    def n_ok(self) -> int:
        """Number of samples that ended well."""
        return self.counts.get("ok", 0)

    @property
    def n_failed(self) -> int:
        """Samples that ended badly; an interrupted one has not ended, and is measured again."""
        return sum(n for status, n in self.counts.items() if status not in ("ok", "interrupted"))

    def figures(self) -> dict[str, Figure]:
        """Every single figure by name, without the per-phase ones."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, Figure)}


def summarise(cell: str, spec: Mapping[str, Any], rows: Sequence[SampleRow]) -> CellSummary:
    """The summary of one cell from its timed samples (none is fine)."""
    ok = [row for row in rows if row.status == "ok"]
    peak = _figure(training_peak(row, "peak_rss_bytes") for row in ok)
    return CellSummary(
        cell=cell,
        spec=cell_spec(spec),
        counts=dict(Counter(row.status for row in rows)),
        failures=tuple(
            Failure(row.block, row.status, row.error) for row in rows if row.status != "ok"
        ),
        wall_ns=_by_phase(ok, "wall_ns"),
        cpu_ns=_by_phase(ok, "cpu_ns"),
        phase_peak_rss_bytes=_by_phase(ok, "peak_rss_bytes"),
        construct_fit_wall_ns=_figure(added(row, ("construct", "fit"), "wall_ns") for row in ok),
        construct_fit_cpu_ns=_figure(added(row, ("construct", "fit"), "cpu_ns") for row in ok),
        total_wall_ns=_figure(added(row, PHASES, "wall_ns") for row in ok),
        data_bytes=_figure(map(data_bytes, ok)),
        container_retained_bytes=_figure(map(container_retained, ok)),
        container_peak_growth_bytes=_figure(growth(row, "construct") for row in ok),
        fit_growth_bytes=_figure(growth(row, "fit") for row in ok),
        construct_fit_growth_bytes=_figure(map(construct_fit_growth, ok)),
        predict_growth_bytes=_figure(growth(row, "predict") for row in ok),
        peak_rss_bytes=peak,
        tree_peak_bytes=_figure(training_peak(row, "tree_peak_bytes") for row in ok),
        summed_rss_peak_bytes=_figure(training_peak(row, "summed_rss_peak_bytes") for row in ok),
        shared_files_peak_bytes=_figure(
            training_peak(row, "shared_files_peak_bytes") for row in ok
        ),
        peak_phase=_peak_phase(ok) if peak.estimate else None,
        score=_scores(ok),
        model=next((row.model for row in ok if row.model is not None), None),
        phase_notes={
            phase: figures.note
            for row in ok
            for phase, figures in row.phases.items()
            if figures.note
        },
        latency=_latency(ok),
        curve=cell_curve(ok),
        limit_held_by=tuple(dict.fromkeys(held for row in rows if (held := _limit_held_by(row)))),
        pools_above=pools_above(rows, spec["threads"]),
        tree_peak_sources=_tree_peak_sources(ok),
    )


def cell_spec(spec: Mapping[str, Any]) -> CellSpec:
    """The spec of a row or of a plan; keys that a later version added are passed over."""
    stated = {field.name: spec[field.name] for field in fields(CellSpec) if field.name in spec}
    return CellSpec(**stated)


def _figure(values: Iterable[float | Missing]) -> Figure:
    known: list[float] = []
    reasons: dict[str, None] = {}
    for value in values:
        if isinstance(value, Missing):
            reasons[value.reason] = None
        else:
            known.append(value)
    if not known and not reasons:
        reasons[NO_SAMPLE] = None
    return Figure(estimate(known) if known else None, tuple(reasons))


def _by_phase(rows: Sequence[SampleRow], name: str) -> dict[str, Figure]:
    return {
        phase: _figure(phase_value(row, phase, name) for row in rows if phase in row.phases)
        for phase in PHASES
        if any(phase in row.phases for row in rows)
    }


def _tree_peak_sources(rows: Sequence[SampleRow]) -> tuple[str, ...]:
    every = (figures.tree_peak_source for row in rows for figures in row.phases.values())
    return tuple(dict.fromkeys(source for source in every if source is not None))


def _peak_phase(rows: Sequence[SampleRow]) -> str:
    """The phase of training that most often holds the peak."""
    holders: Counter[str] = Counter()
    for row in rows:
        known = {
            phase: peak
            for phase in TRAINING_PHASES
            if phase in row.phases and (peak := row.phases[phase].peak_rss_bytes) is not None
        }
        if known:
            holders[max(known, key=known.__getitem__)] += 1
    return holders.most_common(1)[0][0]


def _limit_held_by(row: SampleRow) -> str | None:
    limit = row.must_match.get("memory_limit")
    return None if limit is None else str(limit["by"])


def _scores(rows: Sequence[SampleRow]) -> dict[str, Figure]:
    names = dict.fromkeys(name for row in rows for name in row.score or {})
    return {name: _figure(score_named(row, name) for row in rows) for name in names}


def _latency(rows: Sequence[SampleRow]) -> dict[str, BatchLatency]:
    """By batch; empty where no sample measured it."""
    measured = [row.latency for row in rows if row.latency is not None]
    batches = dict.fromkeys(batch for each in measured for batch in each)
    return {batch: _batch([each[batch] for each in measured if batch in each]) for batch in batches}


def _batch(samples: Sequence[Mapping[str, Any]]) -> BatchLatency:
    figures = {
        name: _figure(_latency_value(sample, name) for sample in samples)
        for name in LATENCY_FIGURES
    }
    return BatchLatency(rows=samples[0]["rows"], **figures)


def _latency_value(sample: Mapping[str, Any], name: str) -> float | Missing:
    value: float | None = sample[name]
    return Missing(sample["missing"].get(name, NO_REASON)) if value is None else value
