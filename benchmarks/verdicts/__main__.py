"""`python -m benchmarks.verdicts [--only nights|looks] [--seed N] [--peers PYTHON] ...`.

Two tables: how nights are judged, and what `ab` comes to over its looks (see `looks.py`). Wanted of
nights, of 40 cells with the shapes of noise seen in practice: at most 1 % of null nights raise any
alarm; a slowdown of 5 % in one cell at 1 % noise is found within 3 nights in 95 % of histories, and
one of 10 % at 5 % noise within 5 nights in 90 %. Wanted of `ab`: at most 5 % of its null runs call
any cell worse. See `peers.py` for the environment of asv's and otava's lines; a peer that is not
there is said to be missing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.verdicts import looks
from benchmarks.verdicts.nights import Planted, judged, made_nights
from benchmarks.verdicts.noise import SHAPES, Noise
from benchmarks.verdicts.rates import Rate, head, line, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.verdicts.nights import Made
    from benchmarks.verdicts.noise import Shape

CELLS, FIRST, LAST = 40, 10, 45
_BEFORE = 35
PEERS = ("asv", "asv, any step", "otava")
"""asv by its default threshold of 5 %, asv by any step that it detects, otava by its defaults."""
_PEERS = Path(__file__).with_name("peers.py")


class Task(NamedTuple):
    """A change to find: how large, at what noise, within how many nights, and how often."""

    noise: float
    factor: float
    within: int
    wanted: float


TASKS = (Task(0.01, 1.05, 3, 0.95), Task(0.05, 1.10, 5, 0.90))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--histories", type=int, default=20, help="null histories of each noise")
    parser.add_argument("--planted", type=int, default=400, help="histories with a slowdown")
    parser.add_argument("--seed", type=int, default=0, help="the first one; each history has one")
    parser.add_argument("--peers", help="the interpreter that has asv and apache-otava")
    parser.add_argument("--runs", type=int, default=200, help="runs of `ab` of each noise")
    parser.add_argument("--only", choices=("nights", "looks"), help="one of the tables alone")
    given = parser.parse_args()
    if given.only != "looks":
        _print_nights(given)
    if given.only != "nights":
        print(head(looks.TITLES))
        for each in looks.lines(given.runs, given.seed):
            print(line(each), flush=True)


def _print_nights(given: argparse.Namespace) -> None:
    print(head(("noise", "by", "null nights with an alarm", "found", "cells run again a night")))
    for task in TASKS:
        for shape in SHAPES:
            for each in _lines(task, shape, given):
                print(line(each), flush=True)


def _lines(task: Task, shape: Shape, given: argparse.Namespace) -> list[tuple[str, ...]]:
    """A line of each judge, on the same series."""
    null = [
        made_nights(Noise(shape, task.noise, given.seed + at), CELLS, LAST)
        for at in range(given.histories)
    ]
    change = Planted(0, _BEFORE, task.factor)
    changed = [
        made_nights(Noise(shape, task.noise, given.seed + 10_000 + at), 1, LAST, change)
        for at in range(given.planted)
    ]
    noise = f"{shape}, {percent(task.noise)}"
    return [
        (noise, "treebench", *_of_treebench(task, null, changed)),
        *((noise, peer, *_of_peer(peer, given.peers, task, null, changed)) for peer in PEERS),
    ]


def _of_treebench(task: Task, null: Sequence[Made], changed: Sequence[Made]) -> tuple[str, ...]:
    quiet = [judged(made, FIRST, LAST) for made in null]
    nights = sum(each.nights for each in quiet)
    # Nights before the slowdown are judged too: what they dismiss must not hide it.
    found = [judged(made, FIRST, _BEFORE + task.within) for made in changed]
    return (
        str(Rate(sum(each.nights_with_alarm for each in quiet), nights)),
        str(Rate(sum(each.alarmed_since(_BEFORE) for each in found), len(found))),
        f"{sum(each.reruns for each in quiet) / max(1, nights):.2f}",
    )


def _of_peer(
    peer: str, python: str | None, task: Task, null: Sequence[Made], changed: Sequence[Made]
) -> tuple[str, ...]:
    """A night raises an alarm where a cell of it does for the first time."""
    if python is None:
        return ("not installed", "-", "-")
    alarms = [
        _alarms(peer, python, [list(row) for row in made.medians], FIRST, LAST) for made in null
    ]
    nights = [len({night for night in of_one if night is not None}) for of_one in alarms]
    # A cell that alarmed before the slowdown began has not found it.
    found = _alarms(
        peer,
        python,
        [list(made.medians[0]) for made in changed],
        _BEFORE - 1,
        _BEFORE + task.within,
    )
    right = [night is not None and night >= _BEFORE for night in found]
    return (
        str(Rate(sum(nights), len(null) * (LAST - FIRST))),
        str(Rate(sum(right), len(right))),
        "-",
    )


def _alarms(
    peer: str, python: str, series: Sequence[Sequence[float]], first: int, last: int
) -> list[int | None]:
    asked = json.dumps(
        {"series": [list(map(float, s)) for s in series], "first": first, "last": last}
    )
    done = subprocess.run(
        [python, str(_PEERS), peer], input=asked, capture_output=True, text=True, check=True
    )
    found: list[int | None] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
