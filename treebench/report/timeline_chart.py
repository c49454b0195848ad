"""Memory over time: sampled PSS with phases shaded, and the kernel's peaks as lines above it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import altair as alt

from treebench.analysis.timelines import Timeline, timeline_of
from treebench.report import frame, scales, units
from treebench.report.palette import FAINT, INK, PHASE_COLOURS
from treebench.report.points import Point, Selection, rows_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.analysis.summary import CellSummary
    from treebench.analysis.timelines import KernelPeak
    from treebench.report.scales import Ticks

READING = (
    "line: PSS of the worker and all its children, a dot for each reading; import, which comes "
    "before, is left out",
    "rules: the largest peak that the kernel itself kept over these phases, median of the timed "
    "samples",
    "growth: largest above the start of load; where the kernel's is clearly larger, sampling "
    "missed a peak",
)
CAPTION = "Memory over time: sampled PSS of the process tree, and the kernel's own peaks"
_MOST_FACETS = 12
_MOST_POINTS = 800
_DOTS_UP_TO = 150
_NAMED_FROM = 0.14
_HEIGHT = 190
_COLOURS = {**PHASE_COLOURS, "load_test": "#D0C8B0", "latency": "#009E73"}
_ORDER = ("load", "convert", "construct", "fit", "load_test", "predict", "save", "latency")
_RULES = {"VmHWM, the worker alone": [6, 3], "cgroup, the whole tree": [1, 0]}
_RULE_COLOUR = "#D55E00"


def timeline_chart(
    run: Overview, selection: Selection, subtitle: Sequence[str]
) -> frame.Framed | None:
    """A facet for each cell with a timeline; None if no cell has one."""
    found = [
        (cell, label, timeline)
        for dataset in selection.datasets
        for cell, label in selection.of(dataset)
        if (timeline := _timeline(run, cell)) is not None
    ]
    if not found:
        return None
    drawn = found[:_MOST_FACETS]
    left_out = len(found) - len(drawn)
    more = [f"{units.count(left_out)} more cells are not drawn"] if left_out else []
    tops = [size for _, _, timeline in drawn for size in _heights(timeline)]
    used = {span.phase for _, _, timeline in drawn for span in timeline.spans}
    phase = _phase_colour([name for name in _ORDER if name in used])
    dash = _rule_dash({_kept_by(peak) for _, _, each in drawn for peak in each.kernel_peaks})
    facets = [
        _facet(timeline, scales.size_linear(tops), phase, dash).properties(
            width=frame.HALF_WIDTH, height=_HEIGHT, title=_title(selection, cell, label, timeline)
        )
        for cell, label, timeline in drawn
    ]
    return frame.framed(facets, "Memory over time", [*subtitle, *READING, *more], columns=2)


def _timeline(run: Overview, cell: CellSummary) -> Timeline | None:
    return timeline_of(run.memory_rows.get(cell.cell, ()), run.timed_rows.get(cell.cell, ()))


def _heights(timeline: Timeline) -> list[float]:
    return [max(timeline.pss_bytes), *(peak.n_bytes for peak in timeline.kernel_peaks)]


def _title(
    selection: Selection, cell: CellSummary, label: str, timeline: Timeline
) -> alt.TitleParams:
    """The cell, how closely it was looked at, and the peaks in figures."""
    gap = units.duration(timeline.largest_gap_ns)
    peaks: list[tuple[str, float, float | None]] = [
        ("PSS", max(timeline.pss_bytes), timeline.growth_bytes)
    ]
    peaks += [(each.source, each.n_bytes, each.growth_bytes) for each in timeline.kernel_peaks]
    largest = ", ".join(f"{source} {units.size(size)}" for source, size, _ in peaks)
    growth = ", ".join(f"{source} {units.size(grown)}" for source, _, grown in peaks)
    rows = rows_text([other for other, _ in selection.of(cell.spec.dataset)])
    name = selection.row_name(cell, label)
    return alt.TitleParams(
        name,
        subtitle=[
            f"{cell.spec.dataset}, {rows}",
            f"{units.count(timeline.ticks)} readings, at most {gap} apart",
            f"largest: {largest}",
            f"growth: {growth}",
        ],
        anchor="start",
        frame="group",
        fontSize=14,
        subtitleFontSize=11,
        subtitleColor=FAINT,
        offset=6,
    )


def _facet(
    timeline: Timeline, y_ticks: Ticks, phase: alt.Color, dash: alt.StrokeDash
) -> alt.LayerChart:
    x_ticks = _x_ticks(timeline)
    x_scale = frame.scale(x_ticks)
    y = alt.Y("value:Q", scale=frame.scale(y_ticks), axis=frame.axis(y_ticks, "memory"))
    x = alt.X("x:Q", scale=x_scale, axis=frame.axis(x_ticks, "time since import ended", grid=False))
    spans = alt.Chart(frame.records(_spans(timeline)))
    points = alt.Chart(frame.records(_points(timeline))).encode(x=x, y=y)
    layers: list[alt.Chart | alt.LayerChart] = [
        spans.mark_rect(opacity=0.3).encode(
            x=alt.X("start:Q", scale=x_scale), x2="end:Q", color=phase
        ),
        points.mark_line(strokeWidth=1.8, color=INK),
    ]
    if timeline.ticks <= _DOTS_UP_TO:
        layers.append(points.mark_circle(size=14, color=INK, opacity=1))
    return alt.layer(*layers, *_rules(timeline, y, dash), *_names(timeline, x_scale))


def _x_ticks(timeline: Timeline) -> Ticks:
    end = max(timeline.t_ns[-1], 1)
    ticks = scales.duration_linear([end])
    kept = [(at, text) for at, text in zip(ticks.values, ticks.texts, strict=True) if at <= end]
    values, texts = zip(*kept, strict=True)
    return replace(ticks, high=end, values=values, texts=texts)


def _points(timeline: Timeline) -> list[Point]:
    """Every reading, or of a long timeline the largest in each of several hundred parts."""
    readings = list(zip(timeline.t_ns, timeline.pss_bytes, strict=True))
    size = -(-len(readings) // _MOST_POINTS)
    parts = [readings[start : start + size] for start in range(0, len(readings), size)]
    largest = [max(part, key=lambda reading: reading[1]) for part in parts]
    return [
        {
            "x": time,
            "value": pss,
            "said": f"PSS {units.size(pss)} at {units.duration(time)}",
        }
        for time, pss in largest
    ]


def _spans(timeline: Timeline) -> list[Point]:
    return [
        {
            "phase": span.phase,
            "start": span.start_ns,
            "end": span.end_ns,
            "said": f"{span.phase}: {units.duration(span.end_ns - span.start_ns)}",
        }
        for span in timeline.spans
    ]


def _rules(timeline: Timeline, y: alt.Y, dash: alt.StrokeDash) -> list[alt.Chart]:
    values = [
        {
            "value": peak.n_bytes,
            "kept by": _kept_by(peak),
            "said": f"{peak.source}: {units.size(peak.n_bytes)}",
        }
        for peak in timeline.kernel_peaks
    ]
    if not values:
        return []
    base = alt.Chart(frame.records(values))
    return [base.mark_rule(strokeWidth=1.6, color=_RULE_COLOUR).encode(y=y, strokeDash=dash)]


def _kept_by(peak: KernelPeak) -> str:
    return next(name for name in _RULES if name.startswith(peak.source.split()[0]))


def _rule_dash(kinds: Collection[str]) -> alt.StrokeDash:
    used = {name: dash for name, dash in _RULES.items() if name in kinds}
    return alt.StrokeDash(
        "kept by:N",
        scale=alt.Scale(domain=list(used), range=list(used.values())),
        legend=alt.Legend(
            title="the kernel's peak", orient="top", symbolType="stroke", symbolSize=400
        ),
    )


def _names(timeline: Timeline, x_scale: alt.Scale) -> list[alt.LayerChart]:
    """The phases that are wide enough, by name, at the lower edge of the facet."""
    whole = max(timeline.t_ns[-1], 1)
    wide: list[Mapping[str, object]] = [
        {"middle": (span.start_ns + span.end_ns) / 2, "text": span.phase}
        for span in timeline.spans
        if (span.end_ns - span.start_ns) / whole >= _NAMED_FROM
    ]
    if not wide:
        return []
    base = alt.Chart(frame.records(wide)).encode(
        x=alt.X("middle:Q", scale=x_scale), y=alt.value(_HEIGHT - 8), text="text:N"
    )
    return [frame.haloed(base, INK)]


def _phase_colour(phases: Sequence[str]) -> alt.Color:
    return alt.Color(
        "phase:N",
        scale=alt.Scale(domain=list(phases), range=[_COLOURS[name] for name in phases]),
        legend=alt.Legend(title="phase", orient="top", direction="horizontal", symbolType="square"),
    )
