"""The table of which data each trainer takes: what `plan` and the page make of it.

That it is true of the libraries is shown by test_support_is_true.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from treebench.data.manifest import LAYOUTS, Layout
from treebench.trainers.data_support import (
    KIND,
    KINDS,
    METHODS,
    SPARSE,
    TABLE,
    TWINS,
    Kind,
    layouts_of,
    no,
    why_not,
)
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import Planned, Unsupported, filled, resolve
from treebench.trainers.support_page import Way, arises, example, page, ways

PAGE = Path(__file__).parents[2] / "docs" / "SUPPORT.md"
POINTS = [
    pytest.param(way, kind, layout, id=f"{way.title}-{kind.key}-{layout}")
    for way in ways()
    for kind in KINDS
    if arises(kind, way.trainer)
    for layout in kind.layouts
    if kind.group == "Layouts" or layout in layouts_of(way.trainer)
]


def test_every_line_of_the_table_is_of_a_kind_and_a_trainer_that_there_are() -> None:
    assert set(TABLE) <= set(KIND)
    named = {way for refused in TABLE.values() for way in refused}
    assert named <= {way.title for way in ways()} | set(TRAINERS)
    assert set(METHODS) | set(TWINS) | set(TWINS.values()) <= set(TRAINERS)


@pytest.mark.parametrize(("way", "kind", "layout"), POINTS)
def test_plan_says_what_the_table_says(way: Way, kind: Kind, layout: Layout) -> None:
    stated, problem = example(kind, layout)
    found = resolve(TRAINERS[way.trainer], Params(method=way.method, **stated), problem)
    refused = no(kind.key, way.trainer, way.method)
    if refused is None:
        assert isinstance(found, Planned), found
    else:
        assert isinstance(found, Unsupported)
        if kind.container is None:
            params = filled(TRAINERS[way.trainer], Params(method=way.method, **stated))
            assert found.reason == why_not(way.trainer, params, problem)
        else:
            # The parameter table, which comes first, takes its reason from this one.
            assert f"container={kind.container}" in found.reason or kind.key == "sequence-sparse"


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.title)
def test_a_kind_that_a_way_cannot_have_is_refused_for_nothing_else(way: Way) -> None:
    """GIVEN usual data THEN no line of the table is about it."""
    for layout in layouts_of(way.trainer):
        _, usual = example(KIND["negative"], layout)
        found = resolve(TRAINERS[way.trainer], Params(method=way.method), usual)
        assert isinstance(found, Planned), found


def test_the_page_is_what_the_code_writes() -> None:
    told = "run: python -m treebench.trainers.support_page > docs/SUPPORT.md"
    assert PAGE.read_text(encoding="utf-8") == page(), told


@pytest.mark.parametrize("name", TRAINERS)
def test_layouts_are_those_of_the_table(name: str) -> None:
    refused = {layout for layout in LAYOUTS if no(layout, name)}
    assert set(TRAINERS[name].layouts) == set(LAYOUTS) - refused
    assert refused == (set(SPARSE) if name == "sklearn-hist-gbdt" else set())


def test_stored_entries_are_judged_where_a_32_bit_index_ends() -> None:
    _, problem = example(KIND["wide-csr"], "csr")
    most = dataclasses.replace(problem, stored_entries=2**31 - 1)
    over = dataclasses.replace(problem, stored_entries=2**31)
    forest = TRAINERS["sklearn-forest"]
    assert isinstance(resolve(forest, Params(), most), Planned)
    found = resolve(forest, Params(), over)
    assert isinstance(found, Unsupported)
    assert "some 2,147,483,648 stored entries, more than 2^31" in found.reason
