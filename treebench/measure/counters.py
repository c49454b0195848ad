"""Which counters a run takes: the best tier present, and why the better ones are absent.

Three tiers, and no row mixes them: `hardware` (the CPU's own counters), `simulated` (callgrind, on
a stated geometry), `software` (the kernel's counts, which say nothing of caches).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from treebench.measure import callgrind
from treebench.measure.perf_output import figure_name
from treebench.measure.perf_stat import PerfStatProbe, count_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from treebench.measure.perf_output import Counted

Tier = Literal["hardware", "simulated", "software"]
Wanted = Literal["auto", "hardware", "simulated", "software", "none"]

BEST_FIRST: tuple[Tier, ...] = ("hardware", "simulated", "software")
COUNTED_PHASES = ("construct", "fit", "predict")

# A core has as few as four counters beside the two fixed ones of cycles and instructions, and a
# watchdog may hold one. So blocks take turns; each has one {group}, so that its ratios are of the
# same instants.
HARDWARE_GROUPS: tuple[tuple[str, ...], ...] = (
    ("cycles", "instructions", "cache-references", "cache-misses"),
    ("cycles", "instructions", "L1-dcache-load-misses", "LLC-load-misses", "dTLB-load-misses"),
)
SOFTWARE_GROUPS: tuple[tuple[str, ...], ...] = (
    ("task-clock",),
    ("page-faults",),
    ("context-switches",),
    ("cpu-migrations",),
)
_OTHER_BLOCK = "counted in other blocks: all at once would share the PMU's few counters"


@dataclass(frozen=True)
class Choice:
    """The tier a run takes, None for none, and the reason for each better one that is absent."""

    tier: Tier | None
    absent: dict[str, str] = field(default_factory=dict)


def choose(
    wanted: Wanted, why_absent: Mapping[Tier, Callable[[], str | None]] | None = None
) -> Choice:
    """The tier for a wish. `auto` takes the best that is present; a tier asked for by name is
    taken or, with its reason, not."""
    asks = why_absent or _WHY_ABSENT
    if wanted == "none":
        return Choice(None)
    absent: dict[str, str] = {}
    for tier in BEST_FIRST if wanted == "auto" else (wanted,):
        reason = asks[tier]()
        if reason is None:
            return Choice(tier, absent)
        absent[tier] = reason
    return Choice(None, absent)


def in_words(choice: Choice) -> list[str]:
    """The tier as a person reads it, and a line for each better one that is absent."""
    if choice.tier is None and not choice.absent:
        return []
    meaning = {
        "hardware": "hardware (the CPU's own, by perf)",
        "simulated": "simulated (callgrind: the algorithm's shape, not this machine)",
        "software": "software (the kernel's own; no cache misses)",
        None: "none",
    }
    absent = [f"  no {tier} counters: {reason}" for tier, reason in choice.absent.items()]
    return [f"counters: {meaning[choice.tier]}", *absent]


def groups_of(tier: Literal["hardware", "software"], block: int) -> Sequence[Sequence[str]]:
    """What is counted in a block."""
    if tier == "software":
        return SOFTWARE_GROUPS
    return (HARDWARE_GROUPS[block % len(HARDWARE_GROUPS)],)


def perf_probe(
    tier: Literal["hardware", "software"], block: int, environment: Mapping[str, str] | None = None
) -> PerfStatProbe:
    """The probe for a block's samples; perf has `environment` in its own."""
    return PerfStatProbe(groups_of(tier, block), COUNTED_PHASES, environment)


def perf_counters(choice: Choice, counted: Mapping[str, Counted]) -> dict[str, Any]:
    """A row's `counters` from what perf counted by phase. An event that a phase lacks is None
    there, and `missing` says why; shares of running time are the lowest of all phases."""
    phases: dict[str, dict[str, int | None]] = {}
    missing: dict[str, str] = {}
    running: dict[str, float] = {}
    for phase, one in counted.items():
        phases[phase] = {**one.values, **dict.fromkeys(one.missing)}
        missing.update(one.missing)
        for event, share in one.running_pct.items():
            running[event] = min(share, running.get(event, share))
    if choice.tier == "hardware":
        missing = {**_left_to_other_blocks(phases), **missing}
    return {
        "tier": choice.tier,
        "absent": choice.absent,
        "phases": phases,
        "missing": missing,
        "running_pct": running,
    }


def simulated_counters(
    choice: Choice, probe: callgrind.CallgrindProbe, reduced: Mapping[str, Any]
) -> dict[str, Any]:
    """A row's `counters` from what callgrind simulated; `reduced` says at what size."""
    profiles = probe.profiles()
    return {
        "tier": "simulated",
        "absent": choice.absent,
        "by": f"callgrind {callgrind.version()}",
        "geometry": {level: getattr(probe.geometry, level) for level in ("I1", "D1", "LL")},
        "reduced": dict(reduced),
        "phases": {phase: profile.totals for phase, profile in profiles.items()},
        "missing": probe.missing,
        "running_pct": {},
        "functions": {
            phase: callgrind.leading_functions(profile) for phase, profile in profiles.items()
        },
    }


def no_counters(choice: Choice) -> dict[str, Any] | None:
    """A row's `counters` where a tier was wanted and none is there; None if none was wanted."""
    if not choice.absent:
        return None
    return {"tier": None, "absent": choice.absent, "phases": {}, "missing": {}, "running_pct": {}}


def _left_to_other_blocks(phases: Mapping[str, Mapping[str, int | None]]) -> dict[str, str]:
    here = {event for events in phases.values() for event in events}
    every = {figure_name(event) for group in HARDWARE_GROUPS for event in group}
    return dict.fromkeys(sorted(every - here), _OTHER_BLOCK) if here else {}


def _hardware_absent() -> str | None:
    return _absent_by(count_command((("instructions",),), ["true"]), "instructions")


def _software_absent() -> str | None:
    return _absent_by(count_command((("page-faults",),), ["true"]), "page-faults")


def _absent_by(counted: Counted, event: str) -> str | None:
    return counted.missing.get(event)


_WHY_ABSENT: dict[Tier, Callable[[], str | None]] = {
    "hardware": _hardware_absent,
    "simulated": callgrind.why_absent,
    "software": _software_absent,
}
