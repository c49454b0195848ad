"""The verb `scaling`: how a run's figures grow along its axes, beside what theory says."""

from __future__ import annotations

import json
import shlex
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treebench.cli.hosts import each_host, part_called
from treebench.cli.options import JsonOption, RunArgument
from treebench.errors import ConfigError, ExitCode, NothingMeasuredError

if TYPE_CHECKING:
    from pathlib import Path

    from treebench.analysis.curves.curve import Curve
    from treebench.analysis.curves.growth import AxisCurves, Growth
    from treebench.analysis.overview import Overview


def scaling(
    run: RunArgument,
    axis: Annotated[
        list[str] | None,
        typer.Option(metavar="AXIS", help="As in rows; repeatable.  [default: all that vary]"),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIGURE",
            help="As in fit_time or score:auc; repeatable.  "
            "[default: construct_fit_time and construct_fit_growth]",
        ),
    ] = None,
    at: Annotated[
        float | None, typer.Option(metavar="X", help="Predict the figure where the axis is X.")
    ] = None,
    far: Annotated[
        bool, typer.Option("--far", help="Predict beyond 4 times the largest size too.")
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(metavar="EXPR", help='Only some cells, as in "trainer=xgboost".'),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only one host of a run on a cluster."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show how cost grows: exponents beside theory, predictions.

    The curves are drawn into the folder `report` of the run. A run on several hosts is shown host
    by host.
    """
    from treebench.analysis.hosts import by_host
    from treebench.analysis.overview import overview
    from treebench.report.hosts_text import stems
    from treebench.store.run_folder import find_run, open_run

    opened = open_run(find_run(run))
    parts = by_host(opened)
    if host is None and len(parts) > 1:
        one = partial(scaling, run, axis, figure, at, far, only)
        return each_host(opened, list(parts), one, as_json=as_json)
    prefix = "" if len(parts) < 2 or host is None else f"{stems(list(parts))[host]}-"
    folder = opened.folder
    opened = part_called(host, parts, run) if host is not None else opened
    known = overview(opened.facts, opened.rows)
    grown = _grown(known, run, axis, figure, only)
    predictions = _predictions(grown, at, run, far=far)
    paths = _draw(grown, folder, prefix)
    if as_json:
        said = _raw(known, grown, predictions, paths)
        sys.stdout.write(json.dumps(said, indent=1) + "\n")
    else:
        _tell(known, grown, predictions, paths, shlex.quote(run))
    return ExitCode.OK if grown.any_fitted else ExitCode.NOTHING_MEASURED


def _grown(
    known: Overview, run: str, axes: list[str] | None, figures: list[str] | None, only: str | None
) -> Growth:
    """The curves that were asked for.

    Raises:
        ConfigError: an axis that does not vary, or a figure or expression that there is not.
        NothingMeasuredError: nothing varies in what is left.
    """
    from treebench.analysis.curves.families import axes_of
    from treebench.analysis.curves.growth import USUAL_FIGURES, growth
    from treebench.analysis.figures import figure_named
    from treebench.plan.only import matcher

    named = [figure_named(name) for name in figures or USUAL_FIGURES]
    matches = None if only is None else matcher(only)
    varied = axes_of(known, matches)
    if not varied:
        raise NothingMeasuredError(
            f"no number varies within a series of {run}, so nothing can be seen to grow; "
            f"run a sweep with several values, as in --set data.rows=[20000, 40000, 80000]"
        )
    unknown = [name for name in axes or () if name not in varied]
    if unknown:
        raise ConfigError(
            f"--axis is {unknown[0]!r}, which does not vary in {run}; use: {', '.join(varied)}"
        )
    return growth(known, axes or varied, named, matches)


def _predictions(
    grown: Growth, at: float | None, run: str, *, far: bool
) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """What each curve says of X, by axis and figure; empty where nothing was asked.

    Raises:
        ConfigError: X is no size, or the run has several axes.
        TooFarError: X is too far beyond the sizes of every series.
    """
    if at is None:
        return {}
    _check_at(grown, at, run)
    if not far:
        _refuse_too_far(grown, at)
    return {
        (one.axis, one.figure.name): [_prediction(curve, at, far=far) for curve in one.curves]
        for one in grown.along
    }


def _check_at(grown: Growth, at: float, run: str) -> None:
    axes = list(dict.fromkeys(one.axis for one in grown.along))
    if len(axes) > 1:
        raise ConfigError(
            f"--at {at:g} could lie on {len(axes)} axes of {run}; add --axis with one of: "
            f"{', '.join(axes)}"
        )
    if not 0 < at < float("inf"):
        raise ConfigError(f"--at is {at:g}; it must be a number above 0")


def _refuse_too_far(grown: Growth, at: float) -> None:
    from treebench.analysis.curves.curve import foretold, is_too_far

    fitted = [curve for one in grown.along for curve in one.curves if curve.is_fitted]
    if fitted and all(is_too_far(curve, at) for curve in fitted):
        foretold(max(fitted, key=lambda curve: curve.last.high), at)


def _prediction(curve: Curve, at: float, *, far: bool) -> dict[str, Any]:
    from treebench.analysis.curves.curve import foretold
    from treebench.analysis.scaling.extrapolation import TooFarError

    said: dict[str, Any] = {"series": curve.family.label, "place": curve.family.place, "x": at}
    try:
        value, band = foretold(curve, at, far=far)
    except TooFarError as refused:
        return said | {"value": None, "low": None, "high": None, "refused": str(refused)}
    return said | {"value": value, "low": band.low, "high": band.high, "refused": None}


def _draw(grown: Growth, folder: Path, prefix: str) -> list[str]:
    from treebench.report.folder import add_to_report
    from treebench.report.render import png, svg
    from treebench.report.scaling_chart import scaling_pictures

    files: dict[str, bytes] = {}
    for picture in scaling_pictures(grown):
        files[f"{prefix}{picture.name}.png"] = png(picture.chart)
        files[f"{prefix}{picture.name}.svg"] = svg(picture.chart).encode()
    return [str(path) for path in add_to_report(folder, files)] if files else []


def _raw(
    known: Overview,
    grown: Growth,
    predictions: dict[tuple[str, str], list[dict[str, Any]]],
    paths: list[str],
) -> dict[str, Any]:
    from treebench.report.scaling_raw import raw_growth

    listed = [
        {"axis": axis, "figure": figure, **each}
        for (axis, figure), every in predictions.items()
        for each in every
    ]
    return {"run": known.name, **raw_growth(grown), "predictions": listed, "files": paths}


def _tell(
    known: Overview,
    grown: Growth,
    predictions: dict[tuple[str, str], list[dict[str, Any]]],
    paths: list[str],
    typed: str,
) -> None:
    from treebench.report.scaling_screen import Told, scaling_screen
    from treebench.report.terminal import screen_of

    words = {
        (one.axis, one.figure.name): _prediction_words(
            one, predictions.get((one.axis, one.figure.name), [])
        )
        for one in grown.along
    }
    told = Told(words, _next_step(known, grown, paths, typed))
    sys.stdout.write(scaling_screen(known, grown, told, screen_of(sys.stdout)))


def _prediction_words(one: AxisCurves, listed: list[dict[str, Any]]) -> list[str]:
    from treebench.analysis.scaling.power import Band
    from treebench.report.scaling_text import prediction_text

    return [
        f"{each['place']}, {each['series']}: "
        + (
            each["refused"]
            or prediction_text(one.figure, each["value"], Band(each["low"], each["high"]))
        )
        for each in listed
    ]


def _next_step(known: Overview, grown: Growth, paths: list[str], typed: str) -> str:
    from treebench.analysis.curves.curve import LEAST_CURVE
    from treebench.report.sentences import command

    if not grown.any_fitted:
        if any(len(c.family.cells) >= LEAST_CURVE for one in grown.along for c in one.curves):
            return f"treebench show {typed}"
        return f"{command(known)}, with three or more values of an axis"
    pictures = [path for path in paths if path.endswith(".png")]
    look = f"look at {shlex.quote(pictures[0])}, or: " if pictures else ""
    return f"{look}treebench report {typed}"
