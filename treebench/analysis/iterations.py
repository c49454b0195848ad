"""What a sample's curve says: the best iteration, the score there, the time until a score."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treebench.analysis import sample
from treebench.analysis.sample import Missing
from treebench.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.store.row import SampleRow

_TARGET = re.compile(r"^([a-z][a-z0-9_]*)\s*(>=|<=)\s*([-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?)$")
_NOT_ASKED = "there is no curve; write curve: true"


@dataclass(frozen=True)
class Target:
    """A score to reach: `auc>=0.75`, or `logloss<=0.5`."""

    score: str
    comparison: str
    value: float

    def reached(self, value: float) -> bool:
        """Whether `value` is as good."""
        return value >= self.value if self.comparison == ">=" else value <= self.value


def target(text: str) -> Target:
    """The target in a text.

    Raises:
        ConfigError: it is none.
    """
    match = _TARGET.match(text.strip())
    if match is None:
        raise ConfigError(f"{text!r} is no score to reach; write it as auc>=0.75 or logloss<=0.5")
    return Target(match[1], match[2], float(match[3]))


def best_iteration(row: SampleRow) -> float | Missing:
    """The iteration with the best validation score, counted from 1."""
    curve = _curve(row)
    if isinstance(curve, Missing):
        return curve
    best: int | None = curve["best_iteration"]
    return _why(curve, "best_iteration") if best is None else best


def best_score(row: SampleRow, part: str = "test") -> float | Missing:
    """The main score on `part` (test or validation) at the best iteration."""
    curve, best = _curve(row), best_iteration(row)
    if isinstance(curve, Missing) or isinstance(best, Missing):
        return best if isinstance(best, Missing) else Missing(_NOT_ASKED)
    point = next(each for each in curve["iterations"] if each["iteration"] == best)
    return _score(curve, point, part, curve["metric"])


def time_at_best(row: SampleRow) -> float | Missing:
    """Wall time of fit until the best iteration ended, in nanoseconds."""
    curve, best = _curve(row), best_iteration(row)
    if isinstance(curve, Missing) or isinstance(best, Missing):
        return best if isinstance(best, Missing) else Missing(_NOT_ASKED)
    point = next(each for each in curve["iterations"] if each["iteration"] == best)
    return _why(curve, "wall_ns") if point["wall_ns"] is None else float(point["wall_ns"])


def validation_score(row: SampleRow, name: str) -> float | Missing:
    """A score of the whole model on the validation part."""
    curve = _curve(row)
    if isinstance(curve, Missing):
        return curve
    return _score(curve, curve["iterations"][-1], "validation", name)


def time_to(row: SampleRow, wanted: Target) -> float | Missing:
    """Wall time of fit until the test score reaches a target, in nanoseconds.

    Between the point before and the first that reaches it, score and time are taken to go
    straight. Where the first point of all reaches it, its time is an upper bound, and is given.
    """
    curve = _curve(row)
    if isinstance(curve, Missing):
        return curve
    before: tuple[float, float] | None = None
    for point in curve["iterations"]:
        score = _score(curve, point, "test", wanted.score)
        if isinstance(score, Missing):
            return score
        if point["wall_ns"] is None:
            return _why(curve, "wall_ns")
        here = (float(point["wall_ns"]), score)
        if wanted.reached(score):
            return here[0] if before is None else _crossing(before, here, wanted.value)
        before = here
    return Missing(f"{wanted.score} never came to {wanted.value:g} in the sample")


def construct_time_to(row: SampleRow, wanted: Target) -> float | Missing:
    """As `time_to`, with the time of construct, where some libraries bin and others do not."""
    construct, fit = sample.phase_value(row, "construct", "wall_ns"), time_to(row, wanted)
    if isinstance(fit, Missing):
        return fit
    return construct if isinstance(construct, Missing) else construct + fit


def _crossing(before: tuple[float, float], here: tuple[float, float], value: float) -> float:
    (wall_before, score_before), (wall, score) = before, here
    return wall_before + (wall - wall_before) * (value - score_before) / (score - score_before)


def _curve(row: SampleRow) -> dict[str, Any] | Missing:
    return Missing(_NOT_ASKED) if not row.curve else row.curve


def _score(
    curve: Mapping[str, Any], point: Mapping[str, Any], part: str, name: str
) -> float | Missing:
    scores: dict[str, float] | None = point[part]
    if scores is None:
        return _why(curve, part)
    value = scores.get(name)
    return Missing("the sample has no such score") if value is None else value


def _why(curve: Mapping[str, Any], name: str) -> Missing:
    return Missing(curve["missing"].get(name, sample.NO_REASON))
