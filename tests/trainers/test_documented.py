"""docs/PARAMETERS.md says what the trainers do."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.trainers.problems import labels, planned, problem, small, table, train
from treebench.trainers.parameters import PARAMETERS, Params
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from treebench.trainers.base import Use

PAGE = (Path(__file__).parents[2] / "docs" / "PARAMETERS.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.split("## In parallel")[0].splitlines()
    if line.startswith("| ")
]
HEAD, BODY = ROWS[0], {row[0]: row for row in ROWS[1:]}
COLUMNS = HEAD[2:]

# Trainers that run another's training in parallel have no column of their own: a second table
# says whose they share, and where they depart from it.
SHARED = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.split("## In parallel")[1].split("##")[0].splitlines()
    if line.startswith("| ")
][1:]
TWINS = {name: (twin, departures) for name, twin, departures in SHARED}


def test_every_parameter_has_a_row_and_every_trainer_a_column() -> None:
    assert list(BODY) == [*PARAMETERS, "threads"]
    assert {column.split()[0] for column in COLUMNS} | set(TWINS) == set(TRAINERS)
    assert {twin for twin, _ in TWINS.values()} <= set(COLUMNS)


def test_the_defaults_written_down_are_those_of_the_code() -> None:
    for name, parameter in PARAMETERS.items():
        if isinstance(parameter.default, (int, float)):
            assert float(BODY[name][1]) == parameter.default


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", PARAMETERS)
def test_the_table_is_what_the_trainer_does(column: str, name: str) -> None:
    trainer, _, method = column.partition(" ")
    params = Params(method=method or None)
    use = TRAINERS[trainer].uses(params)[name]
    cell = BODY[name][2 + COLUMNS.index(column)]
    if cell == "-":
        assert use.how == "no meaning"
    elif cell.startswith("only "):
        assert use.how == "only"
        wanted = cell.removeprefix("only ")
        assert use.value == wanted or float(wanted) == use.value
    else:
        assert use.how == "mapped"
        native = planned(trainer, params, problem()).native
        assert set(re.findall(r"`(\w+)`", cell)) <= set(native)


@pytest.mark.parametrize("name", TWINS)
def test_a_parallel_trainer_takes_what_its_twin_takes_but_for_what_is_written(name: str) -> None:
    """A departure is written as `parameter`: what the table would say. Nothing else differs."""
    column, written = TWINS[name]
    twin, _, method = column.partition(" ")
    params = Params(method=method or None)
    own, theirs = TRAINERS[name].uses(params), TRAINERS[twin].uses(params)
    departing = {one for one in PARAMETERS if (own[one].how, own[one].value) != _of(theirs[one])}
    assert departing == set(re.findall(r"`(\w+)`:", written))


def _of(use: Use) -> tuple[str, Any]:
    return use.how, use.value


@pytest.mark.parametrize("name", TRAINERS)
def test_the_meaning_of_an_absent_entry_is_written_down(name: str) -> None:
    section = PAGE.split("## What an absent entry")[1].split("##")[0]
    told = TWINS[name][0].split()[0] if name in TWINS else name
    (row,) = [line for line in section.splitlines() if re.search(rf"^\|.*\b{told}\b.*\|", line)]
    meaning = TRAINERS[name].sparse_meaning
    assert f"**{meaning.removeprefix('an absent entry is ')}**" in row or not meaning


UNUSUAL: dict[str, Any] = {
    "n_estimators": 3,
    "learning_rate": 0.37,
    "max_bin": 7,
    "min_samples_leaf": 150,
    "min_child_weight": 170.0,
    "reg_lambda": 900.0,
    "subsample": 0.3,
    "colsample": 0.3,
    "seed": 11,
}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", UNUSUAL)
def test_a_stated_value_reaches_the_library_and_changes_the_model(column: str, name: str) -> None:
    """GIVEN a value far from the default THEN it stands under the name of the table, and
    the model is another one (a seed alone changes nothing where nothing is drawn)."""
    trainer, _, method = column.partition(" ")
    spellings = re.findall(r"`(\w+)`", BODY[name][2 + COLUMNS.index(column)])
    if not spellings:
        return
    usual = small(method=method or None, max_depth=5)
    unusual = dataclasses.replace(usual, **{name: UNUSUAL[name]})
    X = table()
    y = labels(X, "regression")
    first, second = (train(trainer, params, X, y, "regression") for params in (usual, unusual))
    # CatBoost counts the borders between bins.
    one_less = (column, name) == ("catboost", "max_bin")
    assert second.native[spellings[0]] == UNUSUAL[name] - one_less
    if name != "seed":
        assert not np.allclose(first.predict(), second.predict(), rtol=1e-4)
