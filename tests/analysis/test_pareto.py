"""The front on cells of known standing, and against the definition itself."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from tests.analysis.rows import HIST, MIB, facts, row, sample, spec
from treebench.analysis.overview import overview
from treebench.analysis.pareto import Front, fronts
from treebench.plan.cell import CellSpec
from treebench.store.row import SampleRow


def taken(cell: CellSpec, auc: float, ms: float, mib: int, wobble: float = 0.0) -> list[SampleRow]:
    """Three samples of known score, time and memory; times within `wobble` of the middle one."""
    made = []
    for block, factor in enumerate((1 - wobble, 1.0, 1 + wobble)):
        one = sample(cell, block)
        phases = {
            name: replace(figures, wall_ns=0, peak_rss_bytes=mib * MIB, baseline_rss_bytes=MIB)
            for name, figures in one.phases.items()
        }
        phases["fit"] = replace(phases["fit"], wall_ns=int(ms * 1e6 * factor))
        made.append(replace(one, phases=phases, score={"auc": auc}))
    return made


def cells(n: int) -> list[CellSpec]:
    return [spec("xgboost", HIST | {"max_leaves": leaves + 2}) for leaves in range(n)]


def front_of(figures: list[tuple[Any, ...]]) -> tuple[Front, dict[str, str]]:
    listed = cells(len(figures))
    rows = [one for cell, known in zip(listed, figures, strict=True) for one in taken(cell, *known)]
    (front,) = fronts(overview(facts(listed), rows).cells)
    standing = {one.cell.cell: one.standing for one in front.placed}
    return front, {str(i): standing[cell.id] for i, cell in enumerate(listed)}


def test_each_of_the_three_figures_can_put_a_cell_on_the_front() -> None:
    _, standing = front_of(
        [(0.9, 500, 300), (0.8, 100, 300), (0.8, 500, 100), (0.79, 501, 301), (0.8, 100, 300)]
    )
    # The last is equal to the second: neither betters the other.
    assert list(standing.values()) == ["front", "front", "front", "dominated", "front"]


def test_who_betters_a_cell_is_on_the_front_and_is_the_fastest_that_does() -> None:
    front, _ = front_of([(0.9, 100, 100), (0.9, 150, 100), (0.95, 120, 90), (0.8, 900, 900)])
    by = {one.cell.spec.params["max_leaves"]: one.by for one in front.placed}
    assert by[2] is None
    assert by[3] is not None
    assert by[5] is not None
    assert by[5].spec.params["max_leaves"] == 2


def test_what_intervals_cannot_tell_apart_is_near_the_front() -> None:
    _, standing = front_of([(0.9, 100, 100, 0.1), (0.9, 105, 100, 0.1), (0.9, 180, 100, 0.1)])
    assert list(standing.values()) == ["front", "near", "dominated"]


def test_the_front_is_that_of_the_definition() -> None:
    draw = random.Random(7)  # noqa: S311
    figures = [
        (draw.randint(70, 79) / 100, draw.randint(1, 9) * 100, draw.randint(1, 9) * 50)
        for _ in range(60)
    ]
    _, standing = front_of(list(figures))

    def bettered(one: tuple[float, int, int]) -> bool:
        return any(
            other != one and other[0] >= one[0] and other[1] <= one[1] and other[2] <= one[2]
            for other in figures
        )

    assert [known == "front" for known in standing.values()] == [not bettered(f) for f in figures]


def test_only_cells_of_one_question_are_compared_and_gaps_are_counted() -> None:
    small, large = spec(rows=20_000), spec(rows=80_000)
    other = spec("xgboost", HIST | {"max_leaves": 5}, rows=80_000)
    broken = spec("xgboost", HIST | {"max_leaves": 6}, rows=80_000)
    rows = [*taken(small, 0.99, 1, 1), *taken(large, 0.8, 10, 10), *taken(other, 0.7, 20, 20)]
    rows.append(row(broken, 0, "oom"))
    (front,) = fronts(overview(facts([small, large, other, broken]), rows).cells)
    assert (front.rows, len(front.placed), front.left_out) == (80_000, 2, 1)


def test_a_single_cell_has_no_front() -> None:
    assert fronts(overview(facts([spec()]), taken(spec(), 0.8, 1, 1)).cells) == []
