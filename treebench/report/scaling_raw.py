"""Curves as JSON-ready values, unrounded; cells by their ids."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treebench.analysis.curves.curve import Curve, Segment
    from treebench.analysis.curves.growth import Growth
    from treebench.analysis.curves.several import Together
    from treebench.analysis.figures import NamedFigure


def raw_growth(grown: Growth) -> dict[str, Any]:
    """The curves along each axis, and the fits over several axes."""
    return {
        "curves": [
            {"axis": one.axis, **_figure(one.figure), **_curve(curve)}
            for one in grown.along
            for curve in one.curves
        ],
        "together": [
            {**_figure(figure), **_together(each)}
            for figure, every in grown.together
            for each in every
        ],
    }


def _figure(figure: NamedFigure) -> dict[str, Any]:
    return {"figure": figure.name, "unit": figure.unit}


def _curve(curve: Curve) -> dict[str, Any]:
    family, held = curve.family, curve.held_out
    return {
        "series": family.label,
        "place": family.place,
        "cells": family.cells,
        "samples": sorted(family.samples),
        "problem": curve.problem,
        "left_out": family.left_out,
        "cautions": curve.cautions,
        "segments": [_segment(each) for each in curve.segments],
        "shapes": [asdict(each) for each in curve.shapes],
        "held_out": None
        if held is None
        else asdict(held) | {"relative_error": held.relative_error, "inside": held.inside},
        "change": None if curve.change is None else asdict(curve.change),
        "known_step": None if curve.step is None else asdict(curve.step),
        "suspect": curve.suspect,
        "expected": None
        if curve.expected is None
        else asdict(curve.expected) | {"exponents": curve.expected_exponents},
        "verdict": curve.verdict,
    }


def _segment(segment: Segment) -> dict[str, Any]:
    band, fit = segment.band, segment.fit
    return {
        "low": segment.low,
        "high": segment.high,
        "sizes": segment.series.sizes.tolist(),
        "exponent": segment.exponent,
        "exponent_band": None if band is None else asdict(band),
        "a": None if fit is None else fit.a,
        "b": None if fit is None else fit.b,
        "noise": None if fit is None else fit.noise,
    }


def _together(each: Together) -> dict[str, Any]:
    return {
        "series": each.label,
        "place": each.place,
        "axes": each.axes,
        "points": each.points,
        "problem": each.problem,
        "fit": None if each.fit is None else asdict(each.fit),
    }
