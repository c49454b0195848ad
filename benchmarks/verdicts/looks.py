"""How often `treebench ab` raises a false alarm over its looks at the same samples, and what they
find, on made samples.

`ab` compares after its first rounds, takes as many again of the cells that are unclear, and
compares again: each look is another chance for a false alarm. Here it does so with samples that
are made, of `CELLS` cells beside the control cell, by its own loop and its own comparison.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.verdicts.noise import Noise
from benchmarks.verdicts.rates import Rate, percent
from tests.analysis.comparing.two_runs import MATCHING
from tests.analysis.rows import CONTROL, HIST, facts, sample, spec
from treebench.analysis.comparing.runs import compare_runs
from treebench.analysis.comparing.sides import Side
from treebench.cli.ab import settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.verdicts.noise import Shape
    from treebench.analysis.comparing.runs import ComparedRuns
    from treebench.plan.cell import CellSpec
    from treebench.store.row import SampleRow

TITLES = (
    "noise",
    "rounds",
    "null runs that call a cell worse",
    "or better",
    "cells that stay unclear",
    "samples a cell and side",
    "slowdown by 10 % found",
)
CELLS = 10
LISTED = [spec(params=HIST | {"max_bin": 16 + at}, rows=2_000_000) for at in range(CELLS)]
"""Of 8 s or more, so that the floor of times hides nothing."""


NOISES: tuple[tuple[Shape, float], ...] = (
    ("Gaussian", 0.02),
    ("Gaussian", 0.04),
    ("Gaussian", 0.08),
    ("5 % outliers", 0.02),
    ("AR(1) 0.7", 0.04),
)
SLOWER = 1.10


class Rounds(NamedTuple):
    """`--rounds` and `--max-rounds`."""

    first: int
    most: int

    def __str__(self) -> str:
        if self.first == self.most:
            return f"{self.first} at once"
        listed = [self.first]
        while listed[-1] < self.most:
            listed.append(min(2 * listed[-1], self.most))
        return ", ".join(map(str, listed))


PLANS = (Rounds(5, 20), Rounds(20, 20), Rounds(10, 40))
"""The usual ones, their last look alone, and twice as many."""


@dataclass(frozen=True)
class Looked:
    """What one `ab` came to: cells by verdict, the verdict of the first one, which is the one
    that is slower if one is, and the samples taken on each side."""

    worse: int
    better: int
    unclear: int
    of_first: str
    samples: int


class Looks:
    """Samples of both sides, made as they are asked for. `slower` is the factor of the first cell
    on the second side."""

    def __init__(self, noise: Noise, most: int, slower: float = 1.0) -> None:
        drawn = noise.samples(1 + CELLS, 2 * most)
        # Who goes first changes from round to round, so that what lasts falls on both alike.
        self.factors = drawn.reshape(1 + CELLS, most, 2)
        self.factors[:, 1::2] = self.factors[:, 1::2, ::-1]
        self.factors[1, :, 1] *= slower
        self.sides: tuple[list[SampleRow], list[SampleRow]] = ([], [])
        self.taken: dict[str, int] = {}

    def take(self, rounds: int, matches: Callable[[CellSpec], bool] | None) -> None:
        """What is missing of the first `rounds` rounds."""
        for at, cell in enumerate((CONTROL, *LISTED)):
            if at and matches is not None and not matches(cell):
                continue
            for block in range(self.taken.get(cell.id, 0), rounds):
                for side, rows in enumerate(self.sides):
                    made = sample(cell, block, float(self.factors[at, block, side]))
                    rows.append(replace(made, must_match=MATCHING))
            self.taken[cell.id] = rounds

    def compare(self) -> ComparedRuns:
        """All that was taken so far."""
        run = facts(list(LISTED))
        first, second = (Side("run", tuple(rows), run) for rows in self.sides)
        return compare_runs(first, second)


def looked(noise: Noise, rounds: int, most: int, slower: float = 1.0) -> Looked:
    """One `ab` with `--rounds` and `--max-rounds`, to its end."""
    looks = Looks(noise, most, slower)
    with contextlib.redirect_stderr(io.StringIO()):
        compared = settled(looks.take, looks.compare, rounds, most)
    counts = compared.counts
    first = next(cell for cell in compared.cells if cell.spec.id == LISTED[0].id)
    samples = sum(n for cell, n in looks.taken.items() if cell != CONTROL.id)
    return Looked(
        counts.get("worse", 0),
        counts.get("better", 0),
        counts.get("unclear", 0),
        first.verdict,
        samples,
    )


def lines(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """A line of each noise and plan, on `runs` runs without a change and as many with one."""
    for plan in PLANS:
        for shape, size in NOISES:
            null = [looked(Noise(shape, size, seed + at), *plan) for at in range(runs)]
            changed = [
                looked(Noise(shape, size, seed + 10_000 + at), *plan, slower=SLOWER)
                for at in range(runs)
            ]
            yield (
                f"{shape}, {percent(size)}",
                str(plan),
                str(Rate(sum(each.worse > 0 for each in null), runs)),
                str(Rate(sum(each.better > 0 for each in null), runs)),
                percent(sum(each.unclear for each in null) / runs / CELLS),
                f"{sum(each.samples for each in null) / runs / CELLS:.1f}",
                str(Rate(sum(each.of_first == "worse" for each in changed), runs)),
            )
