"""The Pareto front as tables: what is worth choosing, and what betters the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treebench.analysis.pareto import fronts, memory_of
from treebench.analysis.scores import score_title
from treebench.report import units
from treebench.report.blocks import Heading, Table, items
from treebench.report.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.analysis.pareto import Front, Placed
    from treebench.report.blocks import Block, Value
    from treebench.report.lines import Line

TITLE = "Score, time and memory: the Pareto front"
CAPTION = "Score against time and memory; no cell betters those on the front in all three"
_MOST_DOMINATED = 40
STANDINGS = {"front": "on the front", "near": "near the front", "dominated": "dominated"}


def pareto_blocks(
    run: Overview, listed: Sequence[Line], cost_per_hour: float | None = None
) -> list[Block]:
    """A table for each data set; nothing where there are no two cells to compare."""
    found = fronts(run.cells)
    names = {line.cell.cell: _name(line) for line in listed}
    blocks: list[Block] = []
    for front in found:
        blocks += [
            Heading(
                f"{front.dataset}, {units.count(front.rows)} rows, "
                f"{units.count(front.features)} features"
            ),
            _table(front, names, cost_per_hour),
            *items(_left_out(front)),
        ]
    return [*blocks, *items(_READING)] if blocks else []


_READING = (
    "on the front: no other cell of the table has a score at least as good, in no more time and "
    "no more memory, and is better in one of them",
    "near the front: dominated by medians, but by none whose intervals in any of the three figures "
    "lie apart from the cell's own, so that more samples may bring it back",
    "memory: peak RSS up to the end of fit; with several processes, the peak of all of them with "
    "shared pages once",
)


def _table(front: Front, names: Mapping[str, str], cost_per_hour: float | None) -> Table:
    costed = cost_per_hour is not None
    titles = ["series", "standing", score_title(front.score), "construct+fit"]
    titles += [*(["cost"] if costed else []), "memory", "bettered by"]
    every = [_values(one, front, names, cost_per_hour) for one in _shown(front)]
    raw_titles = ["series", "standing", front.score, "construct_fit_wall_ns"]
    raw_titles += [*(["cost"] if costed else []), "memory_bytes", "bettered_by"]
    raw = tuple(tuple(value for value, _ in row) for row in every)
    return Table(
        tuple(titles),
        tuple(tuple(text for _, text in row) for row in every),
        (False, False, *[True] * (len(titles) - 3), False),
        "pareto",
        front.dataset,
        tuple(raw_titles),
        raw,
        raw,
    )


def _values(
    one: Placed, front: Front, names: Mapping[str, str], cost_per_hour: float | None
) -> list[tuple[Value, str]]:
    """Each column's raw value and text."""
    cell = one.cell
    time, memory = cell.construct_fit_wall_ns.median, memory_of(cell).median
    score = cell.score[front.score].median
    cost = None if time is None or cost_per_hour is None else units.hours(time) * cost_per_hour
    by = None if one.by is None else names[one.by.cell]
    return [
        (names[cell.cell], names[cell.cell]),
        (one.standing, STANDINGS[one.standing]),
        (score, units.score(score)),
        (time, units.duration(time)),
        *([(cost, units.cost(cost))] if cost_per_hour is not None else []),
        (memory, units.size(memory)),
        (by, by or units.DASH),
    ]


def _shown(front: Front) -> list[Placed]:
    """The front first, each part by time; of many that are dominated, the fastest."""
    worth = [one for one in front.placed if one.standing != "dominated"]
    rest = [one for one in front.placed if one.standing == "dominated"]
    worth.sort(key=lambda one: one.standing != "front")
    return [*worth, *rest[:_MOST_DOMINATED]]


def _left_out(front: Front) -> list[str]:
    dominated = sum(one.standing == "dominated" for one in front.placed)
    said = []
    if dominated > _MOST_DOMINATED:
        more = counted(dominated - _MOST_DOMINATED, "cell")
        said.append(f"left out: {more}, dominated and slower than those shown")
    if front.left_out:
        said.append(f"left out: {counted(front.left_out, 'cell')}, of which a figure is not known")
    return said


def _name(line: Line) -> str:
    spec = line.cell.spec
    return f"{line.label}, {spec.layout}, {spec.threads} thread{'s' * (spec.threads != 1)}"
