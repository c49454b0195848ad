"""Optuna's own way with a budget: train on all rows, measure the peak, and tell the sampler after
the fact whether the constraint was broken."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import optuna

from benchmarks.pick.measured import measured
from treebench.picking.cells import Cells, Size
from treebench.picking.proposals import STARTUP_PROPOSALS, drawn_number, key_of
from treebench.picking.space import Holding, Learner, Point, dimensions, holdings, learners

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.pick.measured import Measured
    from treebench.picking.bench import Take
    from treebench.picking.question import Question
    from treebench.picking.space import Number


@dataclass(frozen=True)
class Rival:
    """The best that kept to the budget, how many trials there were, and how many broke it."""

    best: Measured | None
    trials: int
    broke: int


def constrained_tpe(
    question: Question,
    take: Take,
    seconds: float,
    seed: int,
    clock: Callable[[], float] = time.monotonic,
) -> Rival:
    """The same space, the whole search set for every trial, as long as `seconds` last."""
    study, cells = _study(seed), Cells(question)
    ways = {f"{one}, {held}": (one, held) for one in learners(question) for held in holdings(one)}
    began, broke, trials = clock(), 0, 0
    best: tuple[float, Point, Holding] | None = None
    while (left := seconds - (clock() - began)) > 0:
        trial, point, holding = _asked(study, ways)
        cell = cells.cell(point, holding, Size(question.search_rows))
        trials += not isinstance(cell, str)
        seen = None if isinstance(cell, str) else measured(take(cell, max(5.0, left)))
        if seen is None:
            # As pick tells it: worse than all that ran. FAIL would be forgotten.
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            continue
        over = seen.peak_bytes - question.budget_bytes
        trial.set_user_attr("over", float(over))
        study.tell(trial, seen.loss)
        broke += over > 0
        if over <= 0 and (best is None or seen.loss < best[0]):
            best = (seen.loss, point, holding)
    return Rival(_on_all_rows(cells, take, best), trials, broke)


def _study(seed: int) -> optuna.Study:
    """With the settings of pick's own sampler. What could not be run broke the budget by more than
    all that ran: the sampler learns from those that break it least where few keep to it."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # all three are called experimental
        sampler = optuna.samplers.TPESampler(
            seed=seed,
            multivariate=True,
            group=True,
            n_startup_trials=STARTUP_PROPOSALS,
            constraints_func=lambda trial: [trial.user_attrs.get("over", float("inf"))],
        )
    return optuna.create_study(direction="minimize", sampler=sampler)


def _asked(
    study: optuna.Study, ways: Mapping[str, tuple[Learner, Holding]]
) -> tuple[optuna.Trial, Point, Holding]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial = study.ask()
        learner, holding = ways[trial.suggest_categorical("way", list(ways))]
        return trial, _point(trial, learner), holding


def _on_all_rows(
    cells: Cells, take: Take, best: tuple[float, Point, Holding] | None
) -> Measured | None:
    """The best of the search trained as a pick is, but without a limit: whether it would have kept
    to the budget is seen in its peak."""
    if best is None:
        return None
    cell = cells.full(best[1], best[2])
    return None if isinstance(cell, str) else measured(take(cell, 3600.0))


def _point(trial: optuna.Trial, learner: Learner) -> Point:
    """Its numbers drawn and named as pick's own are, so that boosters share them."""
    numbers: list[tuple[str, Number]] = []
    for each in dimensions(learner):
        drawn = drawn_number(trial, key_of(learner, each), each)
        numbers.append((each.name, each.choices[int(drawn)] if each.choices else drawn))
    return Point(learner, tuple(numbers))
