"""What changed between the last good night and tonight, and a re-run's outcome in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.history.findings import State
    from treebench.history.night import Night
    from treebench.history.suspects import Suspect

_MOST_NAMED = 6


def changes_between(before: Night, after: Night) -> list[str]:
    """Distributions that differ between two nights, as "lightgbm 4.5.0 to 4.6.0"; Python too."""
    first, second = _versions(before), _versions(after)
    return [
        f"{name} {first.get(name, 'absent')} to {second.get(name, 'absent')}"
        for name in sorted({*first, *second})
        if first.get(name) != second.get(name)
    ]


def words_of(
    state: State, suspect: Suspect, changes: Sequence[str], reason: str, rounds: int | None
) -> str:
    """One sentence on what was done, and what it means."""
    what = listed(changes) or "the very same versions"
    side = f"{rounds} rounds side by side with the environment of {suspect.last_good[:10]} ({what})"
    if state == "not re-run":
        return f"suspected, and not measured again: {reason}"
    if state == "unclear":
        return f"suspected; {side} did not tell, and it will be looked at again"
    if state == "regression" and changes:
        return f"confirmed in {side}"
    if state == "regression":
        return (
            f"confirmed in {side}, built anew: what is installed here was changed without a change "
            f"of version; install it anew, or look for what was built locally"
        )
    if changes:
        return (
            f"not confirmed: {side} showed no such change, so that it is the machine that drifted"
        )
    return (
        f"the machine drifted, and no library did: {side}, built anew, showed both sides alike, so "
        f"that nothing that is installed has changed since"
    )


def listed(changes: Sequence[str]) -> str:
    """Some of the changes, and how many more there are."""
    more = len(changes) - _MOST_NAMED
    named = ", ".join(changes[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named


def _versions(night: Night) -> dict[str, str]:
    found = {"python": night.python}
    for line in night.requirements:
        text = line.partition("  #")[0]
        name, _, version = text.partition("==")
        if not version:
            name, _, version = text.partition(" @ ")
        found[name] = version
    return found
