"""What `perf stat -j` prints, read: values, shares of running time, and reasons.

Pure functions over text, so that recordings of other machines can stand in for them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NO_COUNTER = (
    "the machine offers no such counter: in a virtual machine the host must pass its PMU through"
)
NEVER_RAN = "the counter never ran in this phase: other users of the PMU held it, or nothing ran"

# These happen inside the kernel: restricted to user code they read 0, always.
_KERNEL_ONLY = frozenset({"context-switches", "cpu-migrations"})
_HYBRID = re.compile(r"^\w+/([^/]+)/(\w*)$")
_REFUSED = re.compile(r"perf_event_paranoid|[Pp]ermission|not permitted|EACCES|EPERM")
_NANOSECONDS = {"msec": 1e6, "ns": 1.0}


@dataclass(frozen=True)
class Counted:
    """Events of one phase. An event is either in `values` (with its share of the time it ran, in
    percent) or in `missing` with the reason."""

    values: dict[str, int] = field(default_factory=dict)
    running_pct: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Line:
    value: int | None
    running_pct: float
    reason: str


def parse(printed: str, complaints: str, events: Sequence[str], paranoid: str | None) -> Counted:
    """The counted `events` (without modifiers) from what perf printed.

    Args:
        printed: the JSON lines.
        complaints: its standard error, which says why there may be none.
        events: what was asked for.
        paranoid: the contents of perf_event_paranoid, for the reason; None where there is none.
    """
    lines: dict[str, list[_Line]] = {}
    for raw in _json_lines(printed):
        name, line = _read(raw, paranoid)
        lines.setdefault(name, []).append(line)
    counted = Counted()
    for event in events:
        _place(counted, event, lines.get(event, []), _silence(complaints, paranoid))
    return counted


def figure_name(event: str) -> str:
    """The name of an event's figure, with its unit where it is a time."""
    return f"{event}-ns" if event in {"task-clock", "cpu-clock"} else event


def _place(counted: Counted, event: str, lines: Sequence[_Line], silence: str) -> None:
    """A CPU with two kinds of cores prints one line for each kind: they add up."""
    name = figure_name(event)
    values = [line for line in lines if line.value is not None]
    if not values:
        counted.missing[name] = lines[0].reason if lines else silence
        return
    counted.values[name] = sum(line.value or 0 for line in values)
    counted.running_pct[name] = min(100.0, sum(line.running_pct for line in values))


def _json_lines(printed: str) -> list[Mapping[str, Any]]:
    found = []
    for text in printed.splitlines():
        if text.lstrip().startswith("{"):
            raw = json.loads(text)
            if "event" in raw and "counter-value" in raw:
                found.append(raw)
    return found


def _read(raw: Mapping[str, Any], paranoid: str | None) -> tuple[str, _Line]:
    """The value first: what is not supported says it ran for 100 % of the time."""
    name, modifiers = _split(str(raw["event"]))
    value = str(raw["counter-value"])
    if name in _KERNEL_ONLY and "u" in modifiers:
        return name, _Line(None, 0.0, f"it happens in the kernel, {_paranoid_reason(paranoid)}")
    if value == "<not supported>":
        return name, _Line(None, 0.0, NO_COUNTER)
    if value == "<not counted>":
        return name, _Line(None, 0.0, NEVER_RAN)
    factor = _NANOSECONDS.get(str(raw.get("unit", "")), 1.0)
    return name, _Line(round(float(value) * factor), float(raw.get("pcnt-running", 100.0)), "")


def _split(event: str) -> tuple[str, str]:
    """`cycles:u` and `cpu_core/cycles/u` are cycles, restricted to user code."""
    hybrid = _HYBRID.match(event)
    if hybrid:
        return hybrid[1], hybrid[2]
    name, _, modifiers = event.partition(":")
    return name, modifiers


def _silence(complaints: str, paranoid: str | None) -> str:
    """Why perf printed nothing of an event."""
    # Where the leader of a group is not supported perf gives up on all.
    if "is not supported" in complaints:
        return NO_COUNTER
    if _REFUSED.search(complaints):
        return f"it is a count {_paranoid_reason(paranoid)}"
    said = [line.strip() for line in complaints.splitlines() if line.strip()]
    said = [line for line in said if line != "Error:" and not line.startswith("Events ")]
    return f"perf printed nothing of it ({said[0]})" if said else "perf printed nothing of it"


def _paranoid_reason(paranoid: str | None) -> str:
    if paranoid is None:
        return "which this kernel or a seccomp filter keeps from us"
    return (
        f"which kernel.perf_event_paranoid = {paranoid} (or a seccomp filter) keeps from this "
        f"user: `sysctl kernel.perf_event_paranoid=1`, or CAP_PERFMON, would allow it"
    )
