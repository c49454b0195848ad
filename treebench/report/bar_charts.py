"""Bars: one quantity where nothing numeric varies, and stacked ones for phases and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from treebench.report import frame, scales, units
from treebench.report.palette import INK, PART_COLOURS, PHASE_COLOURS
from treebench.report.points import Point, Selection, point, rows_text
from treebench.store.row import PHASES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from treebench.analysis.summary import CellSummary
    from treebench.report.palette import Look
    from treebench.report.quantities import Quantity
    from treebench.report.scales import Ticks

_BAR = 24


def quantity_bars(
    selection: Selection, quantity: Quantity, look: Look, subtitle: Sequence[str]
) -> frame.Framed | None:
    """A bar for each cell with its interval; None if no cell has the quantity."""
    colour = frame.series_colour(look.only(selection.labels), None)
    facets = {}
    for name in selection.datasets:
        bars = []
        for cell, label in selection.of(name):
            made = point(cell, label, quantity.pick(cell), quantity.text)
            if made is not None:
                text = quantity.text(made["value"])
                bars.append(made | {"name": selection.row_name(cell, label), "text": text})
        facets[name] = bars
    drawn = {name: bars for name, bars in facets.items() if bars}
    if not drawn:
        return None
    ticks = quantity.linear_ticks([bar["high"] for bars in drawn.values() for bar in bars])
    charts = [
        _facet(
            selection,
            name,
            [
                _bars(bars, ticks, quantity.title, colour),
                _whiskers(bars, ticks),
                _texts(bars),
            ],
        )
        for name, bars in drawn.items()
    ]
    return frame.framed(charts, quantity.title, subtitle, columns=1)


def phase_bars(selection: Selection, subtitle: Sequence[str]) -> frame.Framed | None:
    """The time of each phase, stacked to the whole of a sample."""
    return _stacked(
        selection,
        _phases,
        PHASE_COLOURS,
        ("Time of each phase", "wall time"),
        subtitle,
        scales.duration_linear,
        units.duration,
    )


def memory_bars(selection: Selection, subtitle: Sequence[str]) -> frame.Framed | None:
    """The data, what construct left behind and what fit added, stacked."""
    return _stacked(
        selection,
        _parts,
        PART_COLOURS,
        ("Memory: the data, the container, and what fit added", "resident memory"),
        subtitle,
        scales.size_linear,
        units.size,
    )


def _stacked(
    selection: Selection,
    parts_of: Callable[[CellSummary], dict[str, float] | None],
    colours: dict[str, str],
    titles: tuple[str, str],
    subtitle: Sequence[str],
    ticks_of: Callable[[Sequence[float]], Ticks],
    text: Callable[[float | None], str],
) -> frame.Framed | None:
    facets: dict[str, tuple[list[Point], list[Point]]] = {}
    used: set[str] = set()
    for name in selection.datasets:
        stacks: list[Point] = []
        ends: list[Point] = []
        for cell, label in selection.of(name):
            parts = parts_of(cell)
            if parts is not None:
                used |= parts.keys()
                row = selection.row_name(cell, label)
                stacks += _stack(row, parts, text)
                total = sum(parts.values())
                ends.append({"name": row, "high": total, "text": text(total)})
        if stacks:
            facets[name] = (stacks, ends)
    if not facets:
        return None
    ticks = ticks_of([end["high"] for _, ends in facets.values() for end in ends])
    colour = _part_colour({part: colours[part] for part in colours if part in used})
    charts = [
        _facet(selection, name, [_bars(stacks, ticks, titles[1], colour), _texts(ends)])
        for name, (stacks, ends) in facets.items()
    ]
    return frame.framed(charts, titles[0], subtitle, columns=1)


def _stack(row: str, parts: dict[str, float], text: Callable[[float | None], str]) -> list[Point]:
    """Stacked by hand: the order of parts is theirs, and their ends are raw values."""
    stacked, start = [], 0.0
    for part, value in parts.items():
        said = f"{row}, {part}: {text(value)}"
        ends = {"low": start, "value": start + value}
        stacked.append({"name": row, "part": part, **ends, "said": said})
        start += value
    return stacked


def _phases(cell: CellSummary) -> dict[str, float] | None:
    medians = {name: cell.wall_ns[name].median for name in PHASES if name in cell.wall_ns}
    known = {name: value for name, value in medians.items() if value is not None}
    return known if known and len(known) == len(medians) else None


def _parts(cell: CellSummary) -> dict[str, float] | None:
    data, container = cell.data_bytes.median, cell.container_retained_bytes.median
    fit = cell.fit_growth_bytes.median
    if data is None or container is None or fit is None:
        return None
    # A container that gave memory back has no length to draw; the table has its figure.
    return {"data": data, "container": max(0, container), "fit": fit}


def _part_colour(colours: dict[str, str]) -> alt.Color:
    return alt.Color(
        "part:N",
        scale=alt.Scale(domain=list(colours), range=list(colours.values())),
        legend=alt.Legend(title=None, orient="top", direction="horizontal", symbolType="square"),
    )


def _bars(bars: Sequence[Point], ticks: Ticks, title: str, colour: alt.Color) -> alt.Chart:
    stacked = "part" in bars[0]
    x = alt.X("value:Q", scale=frame.scale(ticks), axis=frame.axis(ticks, title))
    encoded = (
        alt.Chart(frame.records(bars))
        .mark_bar(height=_BAR * 0.62)
        .encode(x=x, y=_y(), color=colour)
    )
    return encoded.encode(x2="low:Q") if stacked else encoded.encode(x2=alt.datum(0))


def _whiskers(bars: Sequence[Point], ticks: Ticks) -> alt.Chart:
    return (
        alt.Chart(frame.records(bars))
        .mark_rule(strokeWidth=2, color=INK)
        .encode(x=alt.X("low:Q", scale=frame.scale(ticks)), x2="high:Q", y=_y())
    )


def _texts(ends: Sequence[Point]) -> alt.LayerChart:
    base = alt.Chart(frame.records(ends)).encode(x="high:Q", y=_y(), text="text:N")
    return frame.haloed(base, INK, align="left", dx=6)


def _y() -> alt.Y:
    return alt.Y(
        "name:N", sort=None, axis=alt.Axis(title=None, labelLimit=320, ticks=False, domain=False)
    )


def _facet(
    selection: Selection, name: str, layers: Sequence[alt.Chart | alt.LayerChart]
) -> alt.LayerChart:
    cells = [cell for cell, _ in selection.of(name)]
    return alt.layer(*layers).properties(
        width=frame.ONE_WIDTH - 40,
        height=alt.Step(_BAR),
        title=frame.facet_title(f"{name}, {rows_text(cells)}"),
    )
