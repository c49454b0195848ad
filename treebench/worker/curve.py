"""Scores by iteration, on the test part and on what was held out of training.

Runs in a phase of its own, after all that is judged. `fit` has taken clocks alone; what the model
predicts after each iteration is found from the whole model, cut off there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.worker import rows, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from treebench.data.matrix import Part, RowSource
    from treebench.trainers.base import Problem, Trainer
    from treebench.worker.clock import IterationClock
    from treebench.worker.protocol import Trial

MOST_ITERATIONS = 60
"""Scored at most. A hundredth of a curve more or less shows nothing, and costs a pass over the
rows each time."""
MOST_HELD_BYTES = 64 * 2**20
"""What predictions may take together where the rows stay in their file: they are wanted by
iteration, and come by part."""
CUT_OFF = "the deadline came before the iterations were scored"
NO_VALIDATION = "there is no validation part; write validation: 0.2"
_MAIN = ("auc", "accuracy", "r2", "rmse")
_LOSSES = ("rmse",)


class Curve:
    """The curve of one trial. `clock` is what its fit was given, None where it took none."""

    def __init__(
        self, trial: Trial, trainer: Trainer, problem: Problem, clock: IterationClock | None
    ) -> None:
        self._trial = trial
        self._trainer = trainer
        self._problem = problem
        self._clock = clock
        self._missing: dict[str, str] = {}

    def of(self, model: Any, test: Part | RowSource) -> dict[str, Any]:
        """The row's `curve`, see docs/FORMAT.md.

        Raises:
            UnusablePredictionsError: after some iteration they are not numbers.
        """
        n_iterations = self._trainer.iterations(model)
        chosen = self._chosen(n_iterations, test)
        walls = self._walls(n_iterations)
        tests = self._scores(model, test, chosen)
        validations = self._validations(model, chosen)
        points = [
            {"iteration": one, "wall_ns": wall, "validation": validation, "test": tested}
            for one, wall, validation, tested in zip(
                chosen, (walls and walls[i - 1] for i in chosen), validations, tests, strict=True
            )
        ]
        metric = main_score(tests[-1])
        return {
            "metric": metric,
            "n_iterations": n_iterations,
            "iterations": points,
            "best_iteration": self._best(points, metric),
            "missing": self._missing,
        }

    def unscored(self, model: Any, score: dict[str, float]) -> dict[str, Any]:
        """The row's `curve` where the time was over before it was found: the whole model's own
        score on the test part. When its last iteration ended is left out, since a curve of that
        one time would say of every score that it came then."""
        n_iterations = self._trainer.iterations(model)
        missing = dict.fromkeys(("iterations", "wall_ns", "validation", "best_iteration"), CUT_OFF)
        if self._trial.validation_path is None:
            missing["validation"] = missing["best_iteration"] = NO_VALIDATION
        last = {"iteration": n_iterations, "wall_ns": None, "validation": None, "test": score}
        return {
            "metric": main_score(score),
            "n_iterations": n_iterations,
            "iterations": [last],
            "best_iteration": None,
            "missing": missing,
        }

    def _chosen(self, n_iterations: int, test: Part | RowSource) -> list[int]:
        why = None
        if not self._trial.curve:
            why = "curve: true was not asked for, so that only the last was scored"
        elif not self._trainer.stages:
            why = f"{self._trainer.no_stages}, so that only the last was scored"
        if why is not None or n_iterations <= 1:
            self._missing.update({} if why is None else {"iterations": why})
            return [n_iterations]
        return spaced(n_iterations, self._most(test))

    def _most(self, test: Part | RowSource) -> int:
        from treebench.data.matrix import Part

        if isinstance(test, Part):
            return MOST_ITERATIONS
        per_stage = 8 * test.n_rows * max(1, self._problem.n_classes)
        return max(2, min(MOST_ITERATIONS, MOST_HELD_BYTES // per_stage))

    def _walls(self, n_iterations: int) -> list[int] | None:
        """Time by iteration, or None."""
        if self._clock is None:
            asked = "curve: true was not asked for"
            self._missing["wall_ns"] = self._trainer.no_clock if self._trial.curve else asked
            return None
        walls = self._clock.walls_ns
        if len(walls) != n_iterations:
            self._missing["wall_ns"] = (
                f"the library said {len(walls):,} times that an iteration ended, and the model "
                f"has {n_iterations:,}"
            )
            return None
        return walls

    def _validations(self, model: Any, chosen: Sequence[int]) -> list[dict[str, float] | None]:
        path = self._trial.validation_path
        if path is None:
            self._missing["validation"] = NO_VALIDATION
            return [None] * len(chosen)
        part = rows.load_other(self._trial, path, self._problem)
        return [*self._scores(model, part, chosen)]

    def _scores(
        self, model: Any, part: Part | RowSource, chosen: Sequence[int]
    ) -> list[dict[str, float]]:
        y = rows.labels(part)
        return [
            score.scores(self._problem.task, y, predicted)
            for predicted in self._predicted(model, part, chosen)
        ]

    def _predicted(
        self, model: Any, part: Part | RowSource, chosen: Sequence[int]
    ) -> Iterator[Any]:
        """Predictions for all rows, by iteration."""
        if "iterations" in self._missing or len(chosen) == 1:
            yield rows.predict(self._trainer, model, part, self._problem)
        else:
            yield from rows.staged(self._trainer, model, part, self._problem, chosen)

    def _best(self, points: Sequence[dict[str, Any]], metric: str | None) -> int | None:
        for name in ("validation", "iterations"):
            if name in self._missing:
                self._missing["best_iteration"] = self._missing[name]
                return None
        known = [p["validation"].get(metric) for p in points]
        if metric is None or None in known:
            self._missing["best_iteration"] = (
                f"{metric or 'no score'} is not defined on the validation part"
            )
            return None
        # Of equals, min and max give the first.
        best = (min if metric in _LOSSES else max)(range(len(known)), key=known.__getitem__)
        return int(points[best]["iteration"])


def spaced(n_iterations: int, most: int) -> list[int]:
    """At most `most` of the iterations 1 to `n_iterations`, evenly spaced, the last always."""
    count = min(n_iterations, most)
    return [round((k + 1) * n_iterations / count) for k in range(count)]


def main_score(scores: dict[str, float]) -> str | None:
    """The score that speaks for a model, of those there are; as the tables show it."""
    return next((name for name in _MAIN if name in scores), None)
