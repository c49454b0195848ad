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
_RECURSION = re.compile(r"'\d+$")
_CLONE = re.compile(r" \[clone \.([a-z_]+)[^\]]*\]")
_LAMBDA = re.compile(r"\{lambda\([^{}]*\)#\d+\}")
# The operators whose own letters would be taken for brackets.
_OPERATOR = re.compile(r"\boperator(?:<=>|<<=|>>=|<<|>>|<=|>=|->\*|->|<(?!<)|>|\(\))")


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


def short_name(function: str) -> str:
    """A C++ function as people speak of it: no template arguments, parameters, return type or
    unnamed namespaces, and the last three parts of a long qualified name."""
    text = _RECURSION.sub("", function)
    clone = _CLONE.search(text)
    text = _wrapped(_CLONE.sub("", text)).replace("(anonymous namespace)::", "")
    text = _LAMBDA.sub("lambda", _OPERATOR.sub("operator", text))
    text = _without_nested(_without_nested(text, "<", ">"), "(", ")")
    words = re.sub(r"\bconst\b", "", text).split()
    name = words[-1].strip("*&").replace("lambda::operator", "lambda") if words else function
    short = "::".join(name.split("::")[-3:])
    return f"{short} (omp)" if clone is not None and "omp" in clone[1] else short


def _wrapped(function: str) -> str:
    """The function that a std::function calls, which stands last in its handler's template
    arguments; any other function is itself."""
    handler, call = "std::_Function_handler<", ">::_M_invoke("
    if not (function.startswith(handler) and call in function):
        return function
    inside = function[len(handler) : function.rindex(call)]
    depth = 0
    for place in range(len(inside) - 1, -1, -1):
        depth += (inside[place] in ">)") - (inside[place] in "<(")
        if inside[place] == "," and depth == 0:
            return inside[place + 1 :].strip()
    return function


def _without_nested(text: str, opening: str, closing: str) -> str:
    kept, depth = [], 0
    for letter in text:
        if letter == opening:
            depth += 1
        elif letter == closing and depth:
            depth -= 1
        elif not depth:
            kept.append(letter)
    return "".join(kept)
