"""What happened to a cell over the nights: steps, other versions, findings, what was accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from treebench.history.reruns import changes_between, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.history.morning import Morning
    from treebench.history.series import Series

Kind = Literal["versions", "settings", "regression", "suspected", "no regression", "acknowledged"]


@dataclass(frozen=True)
class Event:
    """Something that is marked in the chart of a figure (of all figures of the cell, if None): at
    the night of that name, in words."""

    kind: Kind
    night: str
    figure: str | None
    says: str


def events_of(morning: Morning, cell: str, series: Sequence[Series]) -> list[Event]:
    """The events of a cell, by night. `series` are those of its figures."""
    found = [*_of_conditions(morning, series), *_of_findings(morning, cell)]
    found += [
        Event("acknowledged", each.since, each.figure, each.reason)
        for each in morning.acknowledged
        if each.cell == cell
    ]
    return sorted(found, key=lambda each: each.night)


def _of_conditions(morning: Morning, series: Sequence[Series]) -> list[Event]:
    """Where versions or settings changed, by the longest series."""
    if not series:
        return []
    nights, held = morning.history.nights, morning.history.conditions
    longest = max(series, key=len)
    found = []
    for at in range(1, len(longest)):
        before, after = (int(longest.conditions[at - 1]), int(longest.conditions[at]))
        earlier, night = (nights[int(longest.nights[place])] for place in (at - 1, at))
        if held[before].settings != held[after].settings:
            says = "other settings or other measuring code: nothing before is held against it"
            found.append(Event("settings", night.name, None, says))
        if held[before].versions != held[after].versions:
            changes = listed(changes_between(earlier, night)) or "other versions"
            found.append(Event("versions", night.name, None, changes))
    return found


def _of_findings(morning: Morning, cell: str) -> list[Event]:
    kinds: dict[str, Kind] = {"regression": "regression", "dismissed": "no regression"}
    return [
        Event(kinds.get(each.state, "suspected"), each.since, each.figure, each.says)
        for each in (*morning.earlier, *morning.found)
        if each.cell == cell
    ]
