"""The figures of a run as JSON, raw, with units in their names; for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from treebench.analysis.memory_bound import fit_bound, thread_scaling
from treebench.analysis.summary import LATENCY_FIGURES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.counters import CellCounters
    from treebench.analysis.memory_bound import ThreadScaling
    from treebench.analysis.overview import Overview
    from treebench.analysis.statistics import Estimate
    from treebench.analysis.summary import BatchLatency, Figure
    from treebench.report.lines import Line


def raw(run: Overview, listed: Sequence[Line]) -> dict[str, Any]:
    """Everything the tables show and more, unrounded. An unknown figure is null, and
    `missing` says why."""
    counted, scaling = run.counters(), thread_scaling(run.cells)
    return {
        "run": run.name,
        "samples_finished": run.finished_samples,
        "samples_planned": run.planned_samples,
        "control": _control(run),
        "copy_bandwidth": run.facts.get("copy_bandwidth"),
        "cells": [
            _cell(line)
            | {
                "counters": _counters(run, line, counted.get(line.cell.cell)),
                "thread_scaling": _or_null(scaling.get(line.cell.cell)),
            }
            for line in listed
        ],
        "unsupported": [asdict(refused) for refused in run.unsupported],
        "collapsed": [asdict(point) for point in run.collapsed],
    }


def _control(run: Overview) -> dict[str, Any] | None:
    known = run.control
    if known is None:
        return None
    return {"fit_wall_ns": _estimate(known.fit_wall_ns), "drift_percent": known.drift_percent}


def _cell(line: Line) -> dict[str, Any]:
    cell = line.cell
    singles = cell.figures()
    return {
        "cell": cell.cell,
        "series": line.label,
        "spec": cell.spec.to_json(),
        "samples": dict(cell.counts),
        **{name: _estimate(figure.estimate) for name, figure in singles.items()},
        "phases": {
            phase: {
                "wall_ns": _estimate(wall.estimate),
                "cpu_ns": _estimate(cell.cpu_ns[phase].estimate),
                "peak_rss_bytes": _estimate(cell.phase_peak_rss_bytes[phase].estimate),
            }
            for phase, wall in cell.wall_ns.items()
        },
        "peak_phase": cell.peak_phase,
        "score": {name: _estimate(figure.estimate) for name, figure in cell.score.items()},
        "model": None if cell.model is None else asdict(cell.model),
        "latency": {batch: _latency(known) for batch, known in cell.latency.items()},
        "curve": None if cell.curve is None else asdict(cell.curve),
        "pools_above": cell.pools_above,
        "missing": _missing(singles),
        "failures": [asdict(failure) for failure in cell.failures],
    }


def _counters(run: Overview, line: Line, known: CellCounters | None) -> dict[str, Any] | None:
    """Medians by phase and event, in one tier; `bound` is of hardware counters alone."""
    if known is None:
        return None
    bound = fit_bound(line.cell, known, run.facts.get("copy_bandwidth"))
    share = None if bound is None else bound.share_of_copy
    return {
        **asdict(known),
        "bound": None if bound is None else {**asdict(bound), "share_of_copy": share},
    }


def _or_null(known: ThreadScaling | None) -> dict[str, Any] | None:
    return None if known is None else asdict(known)


def _latency(known: BatchLatency) -> dict[str, Any]:
    figures = {name: getattr(known, name) for name in LATENCY_FIGURES}
    return {
        "rows": known.rows,
        **{name: _estimate(figure.estimate) for name, figure in figures.items()},
        "missing": _missing(figures),
    }


def _estimate(known: Estimate | None) -> dict[str, Any] | None:
    if known is None:
        return None
    interval = known.interval
    return {
        "median": known.median,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "level": None if interval is None else interval.level,
        "mad": known.mad,
        "spread_percent": known.spread_percent,
        "samples": list(known.values),
    }


def _missing(figures: Mapping[str, Figure]) -> dict[str, list[str]]:
    return {name: list(figure.missing) for name, figure in figures.items() if figure.missing}
