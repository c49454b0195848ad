"""What stands above a flame graph: what was sampled, by what, and what is not in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treebench.report.flame_graph import Caption

if TYPE_CHECKING:
    from treebench.store.row import SampleRow

_TIERS = {
    "cycles": "hardware tier",
    "cache-misses": "hardware tier",
    "cpu-clock": "software tier",
    "wall clock": "software tier",
}


def caption(row: SampleRow, event: str, n_samples: int, label: str) -> Caption:
    """The caption of a profile's picture for one of its events.

    Raises:
        ValueError: the row is no profile.
    """
    profile = row.profile
    if profile is None:
        raise ValueError(f"a row of kind {row.kind} has no profile to draw")
    source = (
        f"{profile['tool']}, {event} ({_TIERS[event]}), {profile['frequency_hz']} Hz, "
        f"{n_samples:,} samples{_lost(profile)}"
    )
    return Caption(
        f"fit of {label}: {_what(event)}",
        (source, _seen(profile), "a width is a share of all; click a box to zoom in or out"),
        _UNITS.get(event, "samples"),
    )


_UNITS = {"cycles": "cycles", "cache-misses": "cache misses"}


def _what(event: str) -> str:
    if event == "cache-misses":
        return "cache misses by function"
    return "time by function" if event == "wall clock" else "CPU time by function"


def _lost(profile: dict[str, Any]) -> str:
    """What was lost or cut, where that is known and not nothing."""
    words = ""
    if profile["lost"]:
        words += f", {profile['lost']:,} lost"
    if profile["cut_stacks"]:
        words += f", {profile['cut_stacks']:,} stacks cut short"
    return words


def _seen(profile: dict[str, Any]) -> str:
    if profile["python_frames"]:
        return "Python's functions and native ones; threads that Python did not start are not seen"
    return (
        "native functions of all threads, of user code; Python's own are one box, its interpreter"
    )
