"""Optuna's own way with a budget: train on all rows, measure the peak, and tell the sampler after
the fact whether the constraint was broken."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import optuna

from benchmarks.pick.measured import measured
from treebench.picking.cells import Cells, Size
from treebench.picking.space import Point, dimensions, holdings, learners

if TYPE_CHECKING:
    from benchmarks.pick.measured import Measured
    from treebench.picking.bench import Take
    from treebench.picking.question import Question
    from treebench.picking.space import Learner, Number


@dataclass(frozen=True)
class Rival:
    """The best that kept to the budget, how many trials there were, and how many broke it."""

    best: Measured | None
    trials: int
    broke: int


def constrained_tpe(question: Question, take: Take, seconds: float, seed: int) -> Rival:
    """The same space, the whole search set for every trial, as long as `seconds` last."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    cells = Cells(question)
    ways = [(one, held) for one in learners(question) for held in holdings(one)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = optuna.samplers.TPESampler(
            seed=seed, constraints_func=lambda trial: [trial.user_attrs.get("over", 1.0)]
        )
    study = optuna.create_study(direction="minimize", sampler=sampler)
    began, broke, trials = time.monotonic(), 0, 0
    best: tuple[float, Point, Any] | None = None
    while time.monotonic() - began < seconds:
        trial = study.ask()
        learner, holding = ways[trial.suggest_int("way", 0, len(ways) - 1)]
        point = _point(trial, learner)
        cell = cells.cell(point, holding, Size(question.search_rows))
        if isinstance(cell, str):
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            continue
        trials += 1
        left = seconds - (time.monotonic() - began)
        seen = measured(take(cell, max(5.0, left)))
        if seen is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
            continue
        over = seen.peak_bytes - question.budget_bytes
        trial.set_user_attr("over", float(over))
        study.tell(trial, seen.loss)
        broke += over > 0
        if over <= 0 and (best is None or seen.loss < best[0]):
            best = (seen.loss, point, holding)
    return Rival(_on_all_rows(cells, take, best), trials, broke)


def _on_all_rows(
    cells: Cells, take: Take, best: tuple[float, Point, Any] | None
) -> Measured | None:
    """The best of the search trained as a pick is, but without a limit: whether it would have kept
    to the budget is seen in its peak."""
    if best is None:
        return None
    cell = cells.full(best[1], best[2])
    return None if isinstance(cell, str) else measured(take(cell, 3600.0))


def _point(trial: optuna.trial.Trial, learner: Learner) -> Point:
    numbers: list[tuple[str, Number]] = []
    for each in dimensions(learner):
        key = f"{learner.trainer} {each.name}"
        value: Number
        if each.choices:
            value = each.choices[trial.suggest_int(key, 0, len(each.choices) - 1)]
        elif each.whole:
            value = trial.suggest_int(key, int(each.low), int(each.high), log=each.log)
        else:
            value = trial.suggest_float(key, each.low, each.high, log=each.log)
        numbers.append((each.name, value))
    return Point(learner, tuple(numbers))
