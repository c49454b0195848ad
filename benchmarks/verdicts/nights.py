"""Made nights, judged as `treebench nightly` judges: steps open suspects, and a re-run settles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from benchmarks.verdicts.noise import SAMPLES
from treebench.analysis.comparing.rule import change_of
from treebench.analysis.figures import figure_named
from treebench.history.bounds import NIGHTLY
from treebench.history.settling import ROUNDS, settled
from treebench.history.steps import in_control_time, step_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.verdicts.noise import Noise
    from treebench.history.settling import Settled
    from treebench.history.steps import Step

SECONDS = 10.0
FIGURE = figure_named("construct_fit_time")


@dataclass(frozen=True)
class Planted:
    """A cell that is so many times slower from a night on."""

    cell: int
    night: int
    factor: float

    def reaches(self, cell: int, night: int) -> bool:
        """Whether the cell is slower that night."""
        return cell == self.cell and night >= self.night


@dataclass
class Made:
    """What was measured: the medians and standard errors of `cells` over nights, in ns, the control
    cell's medians, and the noise that a re-run draws from."""

    noise: Noise
    medians: NDArray[np.float64]
    errors: NDArray[np.float64]
    control: NDArray[np.float64]
    planted: Planted | None = None


@dataclass
class Outcome:
    """Alarms as (cell, night); nights that were judged, those that raised any,
    and the cells that were run again in all of them."""

    alarms: list[tuple[int, int]] = field(default_factory=list)
    nights: int = 0
    nights_with_alarm: int = 0
    reruns: int = 0

    def alarmed_since(self, night: int) -> bool:
        """Whether there is an alarm, and none that came too soon."""
        return bool(self.alarms) and all(at >= night for _, at in self.alarms)


def made_nights(noise: Noise, cells: int, nights: int, planted: Planted | None = None) -> Made:
    """Nights of `SAMPLES` samples of each cell, of 10 s each."""
    shared = noise.nights(cells + 1, nights) * noise.machine(nights)
    samples = SECONDS * 1e9 * shared[:, :, None] * noise.samples(cells + 1, nights, SAMPLES)
    if planted is not None:
        samples[planted.cell, planted.night :] *= planted.factor
    medians = np.median(samples, axis=2)
    errors = 1.2533 * samples.std(axis=2, ddof=1) / np.sqrt(SAMPLES)
    return Made(noise, medians[:cells], errors[:cells], medians[cells], planted)


def judged(made: Made, first: int, last: int) -> Outcome:
    """Every night from `first` to before `last`, judged as it came, with what was known then. A
    cell that raised an alarm is not looked at again."""
    outcome = Outcome()
    cleared = dict.fromkeys(range(len(made.medians)), 0)
    for night in range(first, last):
        suspects = [cell for cell in cleared if _step(made, cell, night, cleared[cell])]
        alarms = 0
        for cell, verdict in _rerun(made, suspects, night).items():
            if verdict == "regression":
                outcome.alarms.append((cell, night))
                del cleared[cell]
                alarms += 1
            elif verdict == "dismissed":
                cleared[cell] = night + 1
        outcome.nights += 1
        outcome.nights_with_alarm += bool(alarms)
        outcome.reruns += len(suspects)
    return outcome


def _step(made: Made, cell: int, night: int, cleared: int) -> Step | None:
    medians, bounds = made.medians[cell, : night + 1], NIGHTLY.bounds_of(FIGURE)
    beside = in_control_time(medians, made.control[: night + 1], bounds.band)
    errors = made.errors[cell, : night + 1]
    return step_of(
        medians if beside is None else beside, errors, bounds, FIGURE.worse, dismissed=cleared
    )


def _rerun(made: Made, cells: Sequence[int], night: int) -> dict[int, Settled]:
    """Interleaved samples of both sides, from the same noise; more rounds where it is unclear."""
    found: dict[int, Settled] = dict.fromkeys(cells, "unclear")
    drawn = {cell: _interleaved(made, cell, night) for cell in cells}
    for rounds in ROUNDS:
        changes = [
            change_of(before[:rounds], after[:rounds])
            for cell, (before, after) in drawn.items()
            if found[cell] == "unclear"
        ]
        waiting = [cell for cell in cells if found[cell] == "unclear"]
        if waiting:
            adjusted = stats.false_discovery_control([each.chance for each in changes])
            for cell, change, chance in zip(waiting, changes, adjusted, strict=True):
                found[cell] = settled(change, FIGURE, float(chance), len(changes))
    return found


def _interleaved(made: Made, cell: int, night: int) -> tuple[list[float], list[float]]:
    """The times of both sides, taken in turn, the side that goes first alternating."""
    slower = made.planted is not None and made.planted.reaches(cell, night)
    drawn = SECONDS * 1e9 * made.noise.samples(2 * max(ROUNDS))
    place = np.arange(len(drawn)) % 4
    is_before = (place == 0) | (place == 3)
    factor = made.planted.factor if made.planted is not None and slower else 1.0
    return drawn[is_before].tolist(), (drawn[~is_before] * factor).tolist()
