"""Optuna's proposals: a tree-structured Parzen estimator over learners and their numbers.

J. Bergstra, R. Bardenet, Y. Bengio and B. Kegl, Algorithms for Hyper-Parameter Optimization (2011);
numbers that only some learners have are modelled apart (`group`).
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from treebench.errors import UsageError
from treebench.extras import install_command
from treebench.picking.space import Learner, Point, dimensions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from optuna.trial import Trial

    from treebench.picking.space import Dimension, Number

STARTUP_PROPOSALS = 8
"""Proposals at random before the estimator has enough to go by, beside the starting points."""


class Proposals:
    """Asks Optuna for points and tells it what became of them. Nothing is ever asked of a clock or
    of a global random number, so that equal answers bring equal proposals."""

    def __init__(self, learners: Sequence[Learner], seed: int) -> None:
        optuna = _optuna()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `group` is called experimental
            sampler = optuna.samplers.TPESampler(
                seed=seed, multivariate=True, group=True, n_startup_trials=STARTUP_PROPOSALS
            )
        self._study = optuna.create_study(direction="minimize", sampler=sampler)
        self._learners = {str(number): learner for number, learner in enumerate(learners)}
        self._names = {learner: name for name, learner in self._learners.items()}

    def ask(self) -> tuple[Trial, Point]:
        """A trial and its point."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial = self._study.ask()
            return trial, self._suggested(trial)

    def tell(self, trial: Trial, loss: float | None) -> None:
        """What came of a proposal; None where it could not be run, which the estimator takes for
        worse than all that ran."""
        if loss is None:
            self._study.tell(trial, state=_optuna().trial.TrialState.PRUNED)
        else:
            self._study.tell(trial, loss)

    def learn(self, point: Point, loss: float) -> None:
        """A point that Optuna did not propose; one of a learner that is not searched is passed
        over."""
        optuna = _optuna()
        name = self._names.get(point.learner)
        if name is None:
            return
        names = list(self._learners)
        params: dict[str, Any] = {"learner": name}
        laws: dict[str, Any] = {"learner": optuna.distributions.CategoricalDistribution(names)}
        for each in dimensions(point.learner):
            value = _bounded(each, point.values[each.name])
            params[key_of(point.learner, each)] = value
            laws[key_of(point.learner, each)] = _law(each)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._study.add_trial(
                optuna.trial.create_trial(params=params, distributions=laws, value=loss)
            )

    def _suggested(self, trial: Trial) -> Point:
        learner = self._learners[trial.suggest_categorical("learner", list(self._learners))]
        numbers: list[tuple[str, Number]] = []
        for each in dimensions(learner):
            drawn = drawn_number(trial, key_of(learner, each), each)
            numbers.append((each.name, each.choices[int(drawn)] if each.choices else drawn))
        return Point(learner, tuple(numbers))


def drawn_number(trial: Trial, key: str, dimension: Dimension) -> Number:
    """What a trial proposes for one number: of a choice its place."""
    if dimension.choices:
        return trial.suggest_int(key, 0, len(dimension.choices) - 1)
    low, high = dimension.low, dimension.high
    if dimension.whole:
        return trial.suggest_int(key, int(low), int(high), log=dimension.log)
    return float(f"{trial.suggest_float(key, low, high, log=dimension.log):.4g}")


def _law(dimension: Dimension) -> Any:
    laws = _optuna().distributions
    if dimension.choices:
        return laws.IntDistribution(0, len(dimension.choices) - 1)
    if dimension.whole:
        return laws.IntDistribution(int(dimension.low), int(dimension.high), log=dimension.log)
    return laws.FloatDistribution(dimension.low, dimension.high, log=dimension.log)


def _bounded(dimension: Dimension, value: Number) -> Number:
    """The value as Optuna keeps it: the place of a choice, and nothing beyond the bounds by the
    digits that were cut off."""
    if dimension.choices:
        return dimension.choices.index(int(value))
    return min(max(value, dimension.low), dimension.high) if not dimension.whole else int(value)


def key_of(learner: Learner, dimension: Dimension) -> str:
    """Boosters share their numbers, so that what is learnt of one helps another; a forest's trees
    are another matter."""
    boosted = any(each.name == "learning_rate" for each in dimensions(learner))
    return dimension.name if boosted else f"{learner.trainer} {dimension.name}"


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise UsageError(
            f"pick needs optuna, which is not installed; install it: {install_command('pick')}"
        ) from None
    return optuna


def check_installed() -> None:
    """Whether proposals can be made, before anything is measured.

    Raises:
        UsageError: optuna is not installed.
    """
    _optuna()
