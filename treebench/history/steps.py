"""Whether a figure stands worse tonight than it once did, by enough to be worth a re-run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treebench.history.course import course_of
from treebench.history.levels import PERSISTENCE, Level, levels_of, noise_of, tamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from treebench.analysis.comparing.rule import Bounds

Worse = Literal["more", "less", "neither"]

_LEAST_BEFORE = 2
"""Nights there must be to judge by."""

_HELD = 5
"""Nights that a better level must last before it is what others are judged by."""

_REFERENCE = 30
"""The nights from which a reference level is computed: its first ones, so that a creeping change
does not take its own reference with it."""

_TAIL = 8
"""The most nights at the end that are looked at as one, however the change points lie."""

_SURE_TAIL = 1.75
"""Standard errors that these must lie above. Low, since a re-run decides, and a suspect costs but
that."""

_SURE = 1.5
"""Standard errors that a step must be beside its being beyond band and floor."""

_SURE_DRIFT = 3.0
"""Standard errors that a level which a re-run dismissed must be worse by to be one that the machine
moved to. What is nearer may be noise, looked at because it was high: to judge by it would hide as
much of what comes after."""


@dataclass(frozen=True)
class Step:
    """A figure is worse since place `since` of its series (`last_good` being the place before it)
    than the level that it had held: `before` and `after` are medians, with `in_control_time` as if
    the control cell had taken the same time every night."""

    since: int
    last_good: int
    before: float
    after: float
    in_control_time: bool = False


def step_of(
    medians: NDArray[np.float64],
    errors: NDArray[np.float64],
    bounds: Bounds,
    worse: Worse,
    boundaries: Iterable[int] = (),
    dismissed: int = 0,
    accepted: int = 0,
) -> Step | None:
    """The step to tonight's level, the last place, if it is a change for the worse that counts.

    Args:
        medians: the figure, night by night.
        errors: the standard error of each by its own night's spread, NaN where unknown.
        bounds: the band and the floor that it must pass.
        worse: the way that is the wrong one; with `neither` there is none.
        boundaries: places at which other versions of libraries begin.
        dismissed: so many of the first nights need no looking at, since a re-run has shown that
            there was no regression in them. A level that they were surely at is judged by.
        accepted: so many of the first nights were accepted by people: the level of the last of them
            is judged by.
    """
    noise = noise_of(medians, errors)
    steadied = tamed(medians, noise or 0.0)
    judge = _Judge(medians, noise or 0.0, bounds, worse, dismissed, accepted, steadied)
    return judge.walked(levels_of(medians, noise, boundaries))


def in_control_time(
    medians: NDArray[np.float64], control: NDArray[np.float64], band: float
) -> NDArray[np.float64] | None:
    """The times as if the control cell had taken as long each night as it did in the middle one,
    where it did not hold its level within the band; None where it did, or is not known of all
    nights.

    By its times themselves, or by the course that they follow, whichever leaves the figure
    the steadier from night to night: a disturbance of one night may have met both cells, or one.
    """
    courses = _courses(tuple(control.tolist()), band)
    if not courses:
        return None
    unknown = np.full(len(medians), np.nan)
    steadied = [medians * float(np.median(course)) / course for course in courses]
    return min(steadied, key=lambda each: noise_of(each, unknown) or 0.0)


@lru_cache(maxsize=64)
def _courses(control: tuple[float, ...], band: float) -> tuple[NDArray[np.float64], ...]:
    """The control cell's times and their course, if they left their level; else nothing."""
    times = np.array(control)
    if not len(times) or np.isnan(times).any():
        return ()
    noise = noise_of(times, np.full(len(times), np.nan))
    centres = [level.centre for level in levels_of(times, noise)]
    if max(centres) <= (1 + band) * min(centres):
        return ()
    return (times, course_of(tamed(times, noise or 0.0)))


@dataclass(frozen=True)
class _Judge:
    """What one walk over the levels needs."""

    medians: NDArray[np.float64]
    noise: float
    bounds: Bounds
    worse: Worse
    dismissed: int
    accepted: int
    tamed: NDArray[np.float64]

    @property
    def cleared(self) -> int:
        """So many of the first nights need no looking at."""
        return max(self.dismissed, self.accepted)

    def walked(self, levels: Sequence[Level]) -> Step | None:
        """From the first level on: the reference is the best one that was held since what was
        cleared."""
        references, since, last = [levels[:1]], None, levels[0]
        for level in levels[1:]:
            new: Level | None = level
            if level.start < self.cleared and self._is_worse_than(references, level):
                seen, new = self._parted(level)
                references = self._with_cleared(references, seen)
            if new is None:
                continue
            if self._is_worse_than(references, new):
                since, last = since or new, new
                continue
            since = None
            references = self._moved(references, new)
        stepped = None if since is None else self._to_level(references[-1], since, last)
        return stepped or self._to_tail(references[-1], levels)

    def _is_worse_than(self, references: Sequence[Sequence[Level]], level: Level) -> bool:
        return self._is_worse(self._centre(references[-1]), level.centre)

    def _parted(self, level: Level) -> tuple[Level, Level | None]:
        """What of a level that begins in cleared nights lies in them, and what after."""
        if level.stop <= self.cleared:
            return level, None
        seen, new = (
            self.medians[level.start : self.cleared],
            self.medians[self.cleared : level.stop],
        )
        return (
            Level(level.start, self.cleared, float(np.median(seen)), level.after_versions),
            Level(self.cleared, level.stop, float(np.median(new))),
        )

    def _with_cleared(
        self, references: list[Sequence[Level]], seen: Level
    ) -> list[Sequence[Level]]:
        """The references after a worse level that was cleared: it is what is judged by from there
        on where people accepted it, or where the machine surely moved to it; else its nights are
        as good as those of the reference, and as noisy."""
        reference = references[-1]
        before, n_before = self._centre(reference), sum(map(len, reference))
        moved = self._is_worse(before, seen.centre) and self._is_sure(
            seen, before, n_before, _SURE_DRIFT
        )
        if moved or seen.start < self.accepted:
            return [*references, [seen]]
        return [*references[:-1], [*reference, seen]]

    def _to_level(self, reference: Sequence[Level], since: Level, last: Level) -> Step | None:
        """The step to the last level, all since then being worse than the reference."""
        before, n_before = self._centre(reference), sum(map(len, reference))
        # A level holds two nights at least, so that its first may be still as before.
        stepped = self._stepped(since.start, (before + last.centre) / 2)
        if len(stepped) < self._persistence(since):
            return None
        if n_before < _LEAST_BEFORE or not self._is_sure(last, before, n_before):
            return None
        return Step(stepped[0], stepped[0] - 1, before, last.centre)

    def _to_tail(self, reference: Sequence[Level], levels: Sequence[Level]) -> Step | None:
        """The step to the last few nights, however few or many of them tell it best: what change
        points, which weigh the whole series, part only when it is larger or has lasted longer."""
        if not self.noise:
            return None
        places = np.concatenate([np.arange(each.start, each.stop) for each in reference])
        first = max(self.cleared, *(e.start for e in levels if e.after_versions), 0)
        found = [
            self._tail(places, len(self.medians) - nights)
            for nights in range(PERSISTENCE, _TAIL + 1)
            if len(self.medians) - nights >= first
        ]
        best = max(filter(None, found), key=lambda each: each[0], default=None)
        return None if best is None else best[1]

    def _tail(self, reference: NDArray[np.intp], start: int) -> tuple[float, Step] | None:
        """How many standard errors the nights from `start` on lie above the reference ones before
        them, with the step, if it counts."""
        good = self.medians[reference[reference < start]][:_REFERENCE]
        if len(good) < _LEAST_BEFORE:
            return None
        before, after = float(np.median(good)), float(np.mean(self.tamed[start:]))
        error = self.noise * math.sqrt(1 / len(good) + 1 / (len(self.medians) - start))
        sure = abs(after - before) / error
        if sure <= _SURE_TAIL or not self._is_worse(before, after):
            return None
        middle = (before + after) / 2
        stepped = self._stepped(start, middle)
        # What was worse and is well again since two nights or so is no step to tonight.
        still = self._is_beyond(float(np.mean(self.tamed[-PERSISTENCE:])), middle)
        if len(stepped) < PERSISTENCE or not still:
            return None
        return sure, Step(stepped[0], stepped[0] - 1, before, after)

    def _moved(self, references: list[Sequence[Level]], level: Level) -> list[Sequence[Level]]:
        """The references, the last one in force, after a level that is not worse. One that was in
        force before a cleared level is so again once the figure is back at it."""
        for at, reference in enumerate(references):
            centre = self._centre(reference)
            if not self._is_worse(centre, level.centre) and not self._is_worse(
                level.centre, centre
            ):
                return [*references[:at], [*reference, level]]
        return [[level]] if len(level) >= _HELD else references

    def _centre(self, reference: Sequence[Level]) -> float:
        nights = np.concatenate([self.medians[each.start : each.stop] for each in reference])
        return float(np.median(nights[:_REFERENCE]))

    def _is_worse(self, before: float, after: float) -> bool:
        """Whether the change counts, in the wrong direction."""
        sign = {"more": 1, "less": -1, "neither": 0}[self.worse]
        difference = sign * (after - before)
        relative = difference / abs(before) if before else math.inf
        return difference > self.bounds.floor and relative > self.bounds.band

    def _stepped(self, start: int, middle: float) -> list[int]:
        """The places from `start` on that lie on the worse side of the middle of the step."""
        nights = self.medians[start:]
        return [start + int(at) for at in np.flatnonzero(self._is_beyond(nights, middle))]

    def _is_beyond(self, nights: Any, middle: float) -> Any:
        return nights > middle if self.worse == "more" else nights < middle

    def _persistence(self, since: Level) -> int:
        return 1 if since.after_versions or not self.noise else PERSISTENCE

    def _is_sure(self, level: Level, before: float, n_before: int, errors: float = _SURE) -> bool:
        error = self.noise * math.sqrt(1 / min(n_before, _REFERENCE) + 1 / len(level))
        return abs(level.centre - before) > errors * error
