"""Callgrind's own file format, read: totals, and self cost by function.

The format: https://valgrind.org/docs/manual/cl-format.html. Names are compressed (`fn=(7) name`,
then `fn=(7)`); the line after a `calls=` line is the cost of the callee and none of the caller's
own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from treebench.measure.function_names import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EVENTS = {
    "Ir": "instructions",
    "Dr": "data-reads",
    "Dw": "data-writes",
    "D1mr": "D1-read-misses",
    "D1mw": "D1-write-misses",
    "DLmr": "LL-read-misses",
    "DLmw": "LL-write-misses",
}
"""Callgrind's events by the names that people use; those of the instruction caches are left out,
since training runs small loops."""

_COMPRESSED = re.compile(r"\((\d+)\)(?: (.*))?$")
_COST_LINE = tuple("0123456789+-*")


@dataclass(frozen=True)
class Profile:
    """One dump: events over all (by the names of `EVENTS`), and self cost by function."""

    totals: dict[str, int]
    functions: dict[str, dict[str, int]]


def parse(lines: Iterable[str]) -> Profile:
    """A dump's totals and functions, under shortened names.

    `summary:` is 0 in a dump taken with instrumentation off, so `totals:` is what is read.

    Raises:
        ValueError: it is not a whole dump.
    """
    reader = _Reader()
    for line in lines:
        reader.take(line.rstrip("\n"))
    if reader.totals is None or not reader.events:
        raise ValueError("no totals: the dump was cut short")
    return Profile(
        _named(reader.events, reader.totals), _by_short_name(reader.events, reader.costs)
    )


class _Reader:
    """What was read so far, line by line."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.totals: list[int] | None = None
        self.costs: dict[str, list[int]] = defaultdict(list)
        self._names: dict[str, dict[str, str]] = {"fn": {}, "ob": {}}
        self._function = self._library = ""
        self._callee_follows = False

    def take(self, line: str) -> None:
        if line[:1] in _COST_LINE:
            self._take_cost(line)
        elif "=" in line:
            self._take_position(*line.split("=", 1))
        elif line.startswith("events:"):
            self.events = line.split()[1:]
        elif line.startswith("totals:"):
            self.totals = [int(word) for word in line.split()[1:]]

    def _take_cost(self, line: str) -> None:
        if not self._callee_follows:
            _add(self.costs[self._function], line)
        self._callee_follows = False

    def _take_position(self, key: str, text: str) -> None:
        """`cfn` and `cob` are of a callee; they too give names to numbers."""
        self._callee_follows = key == "calls"
        if key not in {"fn", "cfn", "ob", "cob"}:
            return
        name = _name(text, self._names[key[-2:]])
        if key == "ob":
            self._library = name
        elif key == "fn":
            self._function = _told_apart(name, self._library)


def _add(cost: list[int], line: str) -> None:
    """Add a cost line: one position, then costs, of which trailing zeros are left out."""
    words = line.split()[1:]
    cost.extend([0] * (len(words) - len(cost)))
    for place, word in enumerate(words):
        cost[place] += int(word)


def _name(text: str, names: dict[str, str]) -> str:
    match = _COMPRESSED.match(text)
    if match is None:
        return text
    if match[2] is not None:
        names[match[1]] = match[2]
    return names[match[1]]


def _told_apart(function: str, library: str) -> str:
    """What a stripped library gives no name goes by its address there."""
    return f"{library.rpartition('/')[2]}+{function}" if function.startswith("0x") else function


def _named(events: list[str], values: list[int]) -> dict[str, int]:
    padded = [*values, *[0] * (len(events) - len(values))]
    raw = dict(zip(events, padded, strict=True))
    return {name: raw[event] for event, name in EVENTS.items() if event in raw}


def _by_short_name(events: list[str], costs: Mapping[str, list[int]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for function, cost in costs.items():
        into = found.setdefault(short_name(function), {})
        for event, value in _named(events, cost).items():
            into[event] = into.get(event, 0) + value
    return found
