"""Every figure of a run against every axis that it varies: the values behind the page's curves.

The values stand once by figure and cell; axes name the cells of their series, so that a page of
thousands of samples stays small.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from treebench.analysis.curves.families import axes_of, siblings
from treebench.analysis.curves.measured import measured, position
from treebench.analysis.figures import FIGURES, figure_named
from treebench.analysis.statistics import median, median_interval
from treebench.report.points import select
from treebench.report.quantities import axis_title
from treebench.report.scaling_text import exponent_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from treebench.analysis.curves.curve import Curve, Segment
    from treebench.analysis.curves.families import Siblings
    from treebench.analysis.curves.growth import Growth
    from treebench.analysis.curves.measured import Measured
    from treebench.analysis.overview import Overview
    from treebench.analysis.scaling.power import Band
    from treebench.plan.cell import CellSpec

_STEPS = 24
"""Points of a drawn curve."""
_FIRST = "construct_fit_time"


_Fitted = dict[tuple[str, tuple[str, ...]], dict[str, "Curve"]]
"""By axis and cells the curves of each figure."""


def explorer(run: Overview, grown: Growth) -> dict[str, Any] | None:
    """What the page draws curves from; None where nothing numeric varies.

    `cells` number the cells in the order planned. `figures` have for each cell null or median,
    and, of several samples, the interval's ends; `axes` have series: label, data set, layout,
    whether they are `usual` (all other axes held), pairs of place and cell, and by figure the
    `curves` fitted: points of place, value and band, and the exponent in words.
    """
    axes = {
        axis: found
        for axis in axes_of(run)
        if (found := _with_two_places(run, siblings(run, axis)))
    }
    if not axes:
        return None
    fitted = _fitted(grown)
    return {
        "figures": [_figure(run, found) for found in _figures(run)],
        "axes": [_axis(run, axis, found, fitted) for axis, found in axes.items()],
    }


def _with_two_places(run: Overview, found: Sequence[Siblings]) -> list[Siblings]:
    """Without series of which fewer than two cells were measured: they have no curve to look at."""
    measured_cells = {cell.cell for cell in run.cells if cell.n_ok}
    return [one for one in found if len(measured_cells.intersection(one.cells)) > 1]


def _figures(run: Overview) -> Iterator[Measured]:
    """Those that any sample has, what libraries are compared on first."""
    names = [_FIRST, "peak_memory", *(name for name in FIGURES if name not in (_FIRST,))]
    names += [f"score:{name}" for name in _scores(run)]
    names += [f"latency:{batch}:p50" for batch in _batches(run)]
    names += [f"per_work:fit:{event}" for event in _events(run)]
    for name in dict.fromkeys(names):
        found = measured(run, figure_named(name))
        if found.values:
            yield found


def _scores(run: Overview) -> list[str]:
    return list(dict.fromkeys(name for cell in run.cells for name in cell.score))


def _batches(run: Overview) -> list[str]:
    return list(dict.fromkeys(batch for cell in run.cells for batch in cell.latency))


def _events(run: Overview) -> list[str]:
    every = (one.phases.get("fit", {}) for one in run.counters().values())
    return list(dict.fromkeys(event for events in every for event in events))


def _figure(run: Overview, found: Measured) -> dict[str, Any]:
    figure = found.figure
    return {
        "name": figure.name,
        "meaning": figure.meaning,
        "unit": figure.unit,
        "cells": [_value(found, cell.spec) for cell in run.cells],
        "at": _places(found, run),
    }


def _value(found: Measured, spec: CellSpec) -> list[float] | None:
    values = [value for _, value in found.of(spec)]
    if not values:
        return None
    interval = median_interval(values)
    ends = [] if interval is None else [interval.low, interval.high]
    return [_short(value) for value in (median(values), *ends)]


def _places(found: Measured, run: Overview) -> dict[str, list[float | None]] | None:
    """Where on an axis a cell stands by what was simulated, which is a small copy of it."""
    moved: dict[str, list[float | None]] = {}
    for number, cell in enumerate(run.cells):
        for row in found.rows.get(cell.cell, ())[:1]:
            by = (row.counters or {}).get("reduced", {}) if row.kind == "simulated" else {}
            for axis in ("rows", "n_estimators", "threads"):
                if by.get(axis) is not None:
                    places = moved.setdefault(axis, [None] * len(run.cells))
                    places[number] = float(by[axis])
    return moved or None


def _axis(run: Overview, axis: str, found: Sequence[Siblings], fitted: _Fitted) -> dict[str, Any]:
    numbers = {cell.cell: number for number, cell in enumerate(run.cells)}
    chosen = {cell.cell for cell in select(run.cells, axis).cells}
    usual = [set(family.cells) <= chosen for family in found]
    return {
        "name": axis,
        "title": axis_title(axis),
        "series": [
            _series(run, family, numbers, fitted) | {"usual": is_usual or not any(usual)}
            for family, is_usual in zip(found, usual, strict=True)
        ],
    }


def _series(
    run: Overview, family: Siblings, numbers: dict[str, int], fitted: _Fitted
) -> dict[str, Any]:
    cells = [numbers[cell] for cell in family.cells]
    return {
        "label": family.label,
        "place": family.place,
        "layout": family.spec.layout,
        "at": [[_position(run, family, number), number] for number in cells],
        "curves": {
            figure: [each for segment in curve.segments for each in _drawn(segment)]
            for figure, curve in fitted.get((family.axis, family.cells), {}).items()
        },
    }


def _position(run: Overview, family: Siblings, number: int) -> float | None:
    cell = run.cells[number]
    return position(cell.spec, family.axis, run.timed_rows.get(cell.cell, ()))


def _fitted(grown: Growth) -> _Fitted:
    fitted: _Fitted = defaultdict(dict)
    for one in grown.along:
        for curve in one.curves:
            if curve.is_fitted:
                fitted[one.axis, curve.family.cells][one.figure.name] = curve
    return fitted


def _drawn(segment: Segment) -> list[dict[str, Any]]:
    """The curve of a regime: points of place, value and, where it is known, the band."""
    fit = segment.fit
    if fit is None:
        return []
    ratio = segment.high / segment.low
    places = [segment.low * ratio ** (step / _STEPS) for step in range(_STEPS + 1)]
    bands = [segment.band_at(x) for x in places]
    return [
        {
            "exponent": exponent_text(segment),
            "points": [
                [_short(each) for each in (x, float(fit.at(x)), *_ends(band))]
                for x, band in zip(places, bands, strict=True)
            ],
        }
    ]


def _ends(band: Band | None) -> Sequence[float]:
    return () if band is None else (band.low, band.high)


def _short(value: float) -> float:
    """Six digits, which no picture shows the end of."""
    short = float(f"{value:.6g}")
    return int(short) if short == int(short) else short
