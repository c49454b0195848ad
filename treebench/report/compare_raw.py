"""A comparison as raw values, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.analysis.comparing.outlook import samples_wanted

if TYPE_CHECKING:
    from treebench.analysis.comparing.cells import Judged
    from treebench.analysis.comparing.pairing import LostCell
    from treebench.analysis.comparing.runs import ComparedRuns, PairedCell


def raw_comparison(compared: ComparedRuns) -> dict[str, Any]:
    """JSON-ready: sides, what set the verdicts, and every figure of every cell."""
    return {
        "before": compared.before.name,
        "after": compared.after.name,
        "counts": dict(compared.counts),
        "across_machines": compared.across_machines,
        "tests": compared.tests,
        "versions": {
            name: {"before": list(before), "after": list(after)}
            for name, (before, after) in compared.versions.items()
        },
        "control": [
            {
                "host": host,
                "before_ns": control.change.before,
                "after_ns": control.change.after,
                "moved": control.moved,
            }
            for host, control in compared.controls.items()
        ],
        "set": {"band": dict(compared.rules.bands), "floor": dict(compared.rules.floors)},
        "bounds": {
            figure.name: {"band": bounds.band, "floor": bounds.floor, "unit": figure.unit}
            for figure in compared.figures
            for bounds in [compared.rules.bounds_of(figure)]
        },
        "cells": [_cell(compared, cell) for cell in compared.cells],
        "lost": [_lost(each) for each in compared.lost],
    }


def _cell(compared: ComparedRuns, cell: PairedCell) -> dict[str, Any]:
    return {
        "cell": cell.compared.cell,
        "place": cell.place,
        "spec": cell.spec.to_json(),
        "verdict": cell.verdict,
        "samples_before": cell.n_before,
        "samples_after": cell.n_after,
        "new_failures": cell.compared.new_failures,
        "failures": dict(cell.failures),
        "reasons": list(cell.compared.reasons),
        "figures": [_figure(compared, each) for each in cell.compared.judged],
    }


def _figure(compared: ComparedRuns, judged: Judged) -> dict[str, Any]:
    change, interval = judged.change, judged.change.interval
    unclear = judged.verdict == "unclear"
    bounds = compared.rules.bounds_of(judged.figure)
    return {
        "figure": judged.figure.name,
        "unit": judged.figure.unit,
        "verdict": judged.verdict,
        "before": change.before,
        "after": change.after,
        "ratio": None if interval is None else interval.ratio,
        "ratio_low": None if interval is None else interval.low,
        "ratio_high": None if interval is None else interval.high,
        "level": None if interval is None else interval.level,
        "chance": change.chance,
        "chance_adjusted": judged.adjusted,
        "repeats_exactly": change.deterministic,
        "samples_before": change.n_before,
        "samples_after": change.n_after,
        "samples_wanted": samples_wanted(change, bounds, compared.tests) if unclear else None,
        "remark": judged.remark,
    }


def _lost(lost: LostCell) -> dict[str, Any]:
    return {
        "cell": lost.cell,
        "place": lost.place,
        "spec": lost.spec.to_json(),
        "in": lost.side,
        "why": lost.why,
    }
