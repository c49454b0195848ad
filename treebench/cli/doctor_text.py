"""What `treebench doctor` found, in plain words or as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from treebench.extras import install_command
from treebench.report import units
from treebench.report.terminal import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from treebench.extras import Installed
    from treebench.measure.capabilities import Capability
    from treebench.measure.copy_bandwidth import CopyBandwidth
    from treebench.measure.disturbances import Disturbance
    from treebench.measure.hardware import Hardware
    from treebench.measure.selftest import Check
    from treebench.report.terminal import Screen

_OUTCOME_STYLES = {"pass": "green", "fail": "bold red", "skip": "yellow"}


@dataclass(frozen=True)
class Examination:
    """All that was found out about the machine. `machine` is `environment.machine()`."""

    machine: dict[str, Any]
    hardware: Hardware
    perf_event_paranoid: int | None
    copy_bandwidth: CopyBandwidth
    capabilities: Sequence[Capability]
    disturbances: Sequence[Disturbance]
    libraries: Sequence[Installed]


def as_json(found: Examination, checks: Sequence[Check] | None) -> str:
    """Raw values for programs; `selftest` is null where it was not asked for."""
    tested = None
    if checks is not None:
        tested = [{**asdict(check), "outcome": check.outcome} for check in checks]
    return json.dumps({**asdict(found), "selftest": tested}, indent=1, ensure_ascii=False) + "\n"


def as_text(found: Examination, checks: Sequence[Check] | None, screen: Screen) -> str:
    """For a person: the machine, what can be measured, what disturbs, and the self-test."""
    return text_of(
        [
            *_section("Machine", _machine(found)),
            *_section("What can be measured here", map(_capability, found.capabilities)),
            *_section("Libraries that some verbs need", map(_library, found.libraries)),
            *_section(
                "What disturbs times", ([each.what, each.advice] for each in found.disturbances)
            ),
            *([] if checks is None else _selftest(checks)),
            Text(_next_step(checks)),
        ],
        screen,
    )


def _section(title: str, rows: Iterable[Sequence[str | Text]]) -> list[RenderableType]:
    listed = list(rows)
    if not listed:
        return []
    table = Table.grid(padding=(0, 2, 0, 0))
    for number in range(len(listed[0])):
        # Only the last column, the sentence, is broken; the others are what the eye runs down.
        table.add_column(no_wrap=number < len(listed[0]) - 1, overflow="fold")
    for row in listed:
        table.add_row(*row)
    return [Text(title, style="bold"), table, Text("")]


def _machine(found: Examination) -> list[list[str]]:
    known, machine = found.hardware, found.machine
    return [
        ["CPU", f"{known.cpu or 'unknown'}, {machine['architecture']}{_virtual(known)}"],
        ["kernel", f"{machine['system']} {machine['kernel']}"],
        ["cores", _cores(found)],
        ["clock", _clock(known)],
        ["caches", _caches(known)],
        ["NUMA nodes", _or_unknown(known.numa_nodes)],
        ["memory", _memory(machine)],
        ["huge pages", _or_unknown(known.transparent_hugepages)],
        ["/dev/shm", _shm(known)],  # noqa: S108
        ["copy bandwidth", _bandwidth(found.copy_bandwidth)],
        ["perf_event_paranoid", _or_unknown(found.perf_event_paranoid)],
    ]


def _virtual(known: Hardware) -> str:
    return ", virtual machine" if known.virtual else ""


def _cores(found: Examination) -> str:
    quota = found.machine["cgroup_cpu_quota"]
    limit = "no quota" if quota == "unlimited" else f"quota of {quota} CPUs"
    smt = {
        True: "hyper-threading on",
        False: "hyper-threading off",
        None: "hyper-threading unknown",
    }
    return (
        f"{found.machine['cores_usable']} usable, {found.machine['cores_physical']} of them "
        f"physical; {smt[found.hardware.smt]}; {limit}"
    )


def _clock(known: Hardware) -> str:
    now = "unknown" if known.clock_mhz is None else f"{known.clock_mhz / 1000:.2f} GHz now"
    most = "" if known.clock_max_mhz is None else f", {known.clock_max_mhz / 1000:.2f} GHz at most"
    boost = {True: ", boost on", False: ", boost off", None: ""}[known.boost]
    return (
        f"{now}{most}{boost}; governor {known.governor or 'not visible'}; "
        f"time from {known.clock_source or 'an unknown source'}"
    )


def _caches(known: Hardware) -> str:
    said = []
    for cache in known.caches:
        kind = {"Data": "d", "Instruction": "i"}.get(cache.kind, "")
        shared = f" shared by {cache.shared_by} CPUs" if cache.shared_by > 1 else ""
        said.append(f"L{cache.level}{kind} {units.size(cache.size_bytes)}{shared}")
    return ", ".join(said) or "unknown"


def _memory(machine: dict[str, Any]) -> str:
    available = units.size(machine["memory_available_bytes"])
    return f"{units.size(machine['memory_bytes'])}, {available} available"


def _shm(known: Hardware) -> str:
    if known.shm_bytes is None:
        return "not mounted"
    return f"{units.size(known.shm_bytes)}, {units.size(known.shm_free_bytes)} free"


def _bandwidth(measured: CopyBandwidth) -> str:
    if measured.reason is not None:
        return f"unknown: {measured.reason}"
    rates = ", ".join(
        f"{rate / 1e9:.1f} GB/s on {n} thread{'s' * (n != 1)}"
        for n, rate in measured.bytes_per_s.items()
    )
    size = units.size(measured.array_bytes)
    caution = "" if measured.past_cache else "; these may fit into a cache, so take it with care"
    return f"{rates} (best of several copies between two arrays of {size}{caution})"


def _capability(capability: Capability) -> list[str | Text]:
    word, style = ("yes", "green") if capability.possible else ("no", "yellow")
    said = capability.how
    if capability.remedy is not None:
        said += f". To change that: {capability.remedy}"
    return [Text(word, style=style), capability.name, said]


def _library(library: Installed) -> list[str | Text]:
    word, style = ("yes", "green") if library.complete else ("no", "yellow")
    there = [f"{name} {each}" for name, each in library.versions.items() if each is not None]
    said = ", ".join(there)
    if not library.complete:
        said = f"{said}{'; ' * bool(there)}{install_command(library.extra)}"
    return [Text(word, style=style), library.serves, said]


def _selftest(checks: Sequence[Check]) -> list[RenderableType]:
    return _section("Self-test: the probes on known truths", map(_check, checks))


def _check(check: Check) -> list[str | Text]:
    outcome = Text(check.outcome, style=_OUTCOME_STYLES[check.outcome])
    return [outcome, check.truth, check.probe, _expected_and_seen(check)]


def _expected_and_seen(check: Check) -> str:
    if check.skipped is not None:
        return f"not tried: {check.skipped}"
    text = {"bytes": units.mebibytes, "faults": units.count, "times": units.ratio}[check.unit]
    said = f"expected {text(check.low)} to {text(check.high)}, saw {text(check.seen)}"
    more = [each for each in (check.failed, check.note) if each]
    return "; ".join([said, *more])


def _next_step(checks: Sequence[Check] | None) -> str:
    if checks is None:
        return "next: treebench doctor --selftest"
    outcomes = [check.outcome for check in checks]
    failed, skipped = outcomes.count("fail"), outcomes.count("skip")
    said = f"{outcomes.count('pass')} of {len(checks)} checks pass"
    if skipped:
        said += f", {skipped} could not be tried here"
    if failed:
        return f"{said}, {failed} FAIL: do not trust figures of those probes on this machine"
    return f"{said}; next: treebench run quickstart"


def _or_unknown(value: object) -> str:
    return "unknown" if value is None else str(value)
