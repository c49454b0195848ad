"""Which cell `profile` means, and what it refuses, without taking a sample."""

from __future__ import annotations

import pytest

from treebench.cli.profile_cell import Listed, cell_meant
from treebench.errors import ConfigError
from treebench.plan.cell import CellSpec


def listed(rows: int, method: str) -> Listed:
    spec = CellSpec(
        "toy", "0" * 64, rows, 2, "dense-c", "xgboost", {"method": method}, {}, threads=1
    )
    return Listed(spec, f"xgboost {method}, toy, {rows:,} rows", {})


CELLS = {
    "aa11": listed(100, "exact"),
    "aa22": listed(100, "hist"),
    "bb33": listed(2_000, "hist"),
}


@pytest.mark.parametrize(
    ("words", "cell"),
    [
        ("aa11", "aa11"),
        ("b", "bb33"),
        ("method=exact", "aa11"),
        ("method=hist, rows<1000", "aa22"),
    ],
)
def test_an_id_its_beginning_or_conditions_mean_a_cell(words: str, cell: str) -> None:
    assert cell_meant(CELLS, words, "run") is CELLS[cell]


def test_several_are_listed_with_their_names() -> None:
    with pytest.raises(ConfigError) as raised:
        cell_meant(CELLS, "aa", "run")
    head, *lines = raised.value.problems
    assert "2 cells of run" in head
    assert lines == [
        "aa11  xgboost exact, toy, 100 rows",
        "aa22  xgboost hist, toy, 100 rows",
    ]


@pytest.mark.parametrize("words", ["zz", "", "method=approx"])
def test_where_none_is_meant_all_are_listed(words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        cell_meant(CELLS, words, "run")
    assert len(raised.value.problems) == 4


def test_a_long_list_ends_with_where_the_rest_is() -> None:
    many = {f"c{number:03}": listed(number, "exact") for number in range(100)}
    with pytest.raises(ConfigError) as raised:
        cell_meant(many, "c", "my run")
    assert raised.value.problems[-1] == (
        "and 60 more: `treebench show 'my run' --json` has all ids"
    )


def test_conditions_that_cannot_be_read_are_of_the_argument() -> None:
    with pytest.raises(ConfigError, match=r"^CELL 'colour=red': 'colour' is no field"):
        cell_meant(CELLS, "colour=red", "run")
