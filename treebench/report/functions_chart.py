"""Where the misses are: the functions that lead, for each cell that was simulated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import altair as alt

from treebench.report import frame, units
from treebench.report.counters_text import reduced_size
from treebench.report.palette import FAINT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.counters import CellCounters
    from treebench.analysis.summary import CellSummary
    from treebench.report.points import Point, Selection

    Functions = Sequence[Mapping[str, Any]]

CAPTION = "Where the misses are: functions by share of fit's simulated D1 misses and instructions"
_SHARES = {
    "read_misses": ("D1 read misses", "#0072B2"),
    "write_misses": ("D1 write misses", "#E69F00"),
    "instructions": ("instructions", "#999999"),
}
_TOTALS = {
    "D1-read-misses": "read misses",
    "D1-write-misses": "write misses",
    "instructions": "instructions",
}
_MOST_FACETS = 12
_MOST_FUNCTIONS = 6
_LONGEST_NAME = 42
_REST = "all other functions"
_WIDTH, _BAR = 200, 9
_ZEROS = re.compile(r"\+0x0+")
"""A function without a name is known by its place in the library."""


def functions_chart(
    selection: Selection, counted: Mapping[str, CellCounters], subtitle: Sequence[str]
) -> frame.Framed | None:
    """A facet for each cell whose functions are known; None if no cell's are."""
    found = [
        (cell, label, functions)
        for dataset in selection.datasets
        for cell, label in selection.of(dataset)
        if cell.cell in counted and (functions := counted[cell.cell].functions.get("fit"))
    ]
    if not found:
        return None
    drawn = found[:_MOST_FACETS]
    left_out = len(found) - len(drawn)
    more = [f"{units.count(left_out)} more cells are not drawn"] if left_out else []
    facets = [
        _facet(_bars(functions), _title(selection, cell, label, counted[cell.cell]))
        for cell, label, functions in drawn
    ]
    said = f"tier: simulated, by {counted[drawn[0][0].cell].by['by']}; not of this machine"
    return frame.framed(
        facets, "Where the misses of fit are, by function", [*subtitle, said, *more], columns=2
    )


def _bars(functions: Functions) -> list[Point]:
    """Three bars for each function that leads in any of the three, and for the rest."""
    leading = sorted(functions, key=_largest_share, reverse=True)[:_MOST_FUNCTIONS]
    leading.sort(key=lambda one: -(one["read_misses"] or 0))
    names = short_names([one["function"] for one in leading])
    bars = [
        _bar(name, one[key], words, one["function"])
        for name, one in zip(names, leading, strict=True)
        for key, (words, _) in _SHARES.items()
        if one[key] is not None
    ]
    return bars + [
        _bar(_REST, max(0.0, 1 - sum(shares)), words, _REST)
        for key, (words, _) in _SHARES.items()
        if None not in (shares := [one[key] for one in leading])
    ]


def _bar(name: str, share: float, of: str, whole_name: str) -> Point:
    said = f"{whole_name}: {100 * share:.1f} % of fit's own {of}"
    return {"function": name, "share": share, "of": of, "said": said}


def _largest_share(one: Mapping[str, Any]) -> float:
    return max(one[key] or 0.0 for key in _SHARES)


def short_names(names: Sequence[str]) -> list[str]:
    """Names that fit beside a bar: without their outer scopes, then cut; two that would read
    alike are left as they are."""
    short = [_short_name(name) for name in names]
    return [
        brief if short.count(brief) == 1 else name for name, brief in zip(names, short, strict=True)
    ]


def _short_name(name: str) -> str:
    name = _ZEROS.sub("+0x", name)
    while len(name) > _LONGEST_NAME and "::" in name:
        name = name.partition("::")[2]
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}\u2026"


def _title(
    selection: Selection, cell: CellSummary, label: str, counters: CellCounters
) -> alt.TitleParams:
    return alt.TitleParams(
        selection.row_name(cell, label),
        subtitle=[
            f"{cell.spec.dataset}, {units.count(cell.spec.features)} features",
            f"simulated: {reduced_size(counters.by['reduced'])}",
            _totals(counters),
        ],
        anchor="start",
        frame="group",
        fontSize=14,
        subtitleFontSize=11,
        subtitleColor=FAINT,
        offset=6,
    )


def _totals(counters: CellCounters) -> str:
    """What the shares are of."""
    said = [
        f"{units.scaled_count(counters.value('fit', event))} {words}"
        for event, words in _TOTALS.items()
    ]
    return f"fit: {', '.join(said)}"


def _facet(bars: Sequence[Point], title: alt.TitleParams) -> alt.LayerChart:
    names = list(dict.fromkeys(bar["function"] for bar in bars))
    kinds = [words for words, _ in _SHARES.values()]
    base = alt.Chart(frame.records(bars)).encode(
        y=alt.Y(
            "function:N",
            sort=names,
            scale=alt.Scale(paddingInner=0.3, paddingOuter=0.1),
            axis=alt.Axis(title=None, labelLimit=300, ticks=False, domain=False, labelPadding=6),
        ),
        yOffset=alt.YOffset("of:N", sort=kinds, scale=alt.Scale(domain=kinds)),
    )
    x = alt.X(
        "share:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(title="share of fit's own", format=".0%", values=[0, 0.25, 0.5, 0.75, 1]),
    )
    colour = alt.Color(
        "of:N",
        scale=alt.Scale(domain=kinds, range=[colour for _, colour in _SHARES.values()]),
        legend=alt.Legend(title=None, orient="top", direction="horizontal", symbolType="square"),
    )
    return alt.layer(base.mark_bar().encode(x=x, color=colour)).properties(
        width=_WIDTH, height=len(names) * (3 * _BAR + 8), title=title
    )
