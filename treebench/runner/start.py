"""Opening a run's folder: a new run, or the same one gone on with."""

from __future__ import annotations

import datetime
import json
import os
from typing import TYPE_CHECKING, Any

from treebench.errors import RunFolderError
from treebench.measure import environment
from treebench.runner.code_version import code_version
from treebench.runner.local import READER_DISTRIBUTIONS
from treebench.runner.worker_environment import THREAD_VARIABLES
from treebench.store.journal import latest, read_rows
from treebench.store.run_folder import (
    FACTS_NAME,
    FACTS_SCHEMA,
    JOURNAL_NAME,
    START_ANEW,
    read_facts,
    write_facts,
)
from treebench.trainers.registry import TRAINERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from treebench.config.model import SweepConfig
    from treebench.plan.build import Plan
    from treebench.store.row import SampleRow

_MEASURED_DEFAULTS: dict[str, Any] = {
    "latency": False,
    "curve": False,
    "counters": "none",
    "simulation": {"rows": 0.1, "trees": 0.1},
}


def facts_of(
    config: SweepConfig,
    plan: Plan,
    command: Sequence[str],
    note: str | None,
    expect: str | None,
) -> dict[str, Any]:
    """What goes into `run.json`."""
    trained = {
        name for one in TRAINERS.values() for name in (one.distribution, *one.more_distributions)
    }
    distributions = sorted({*READER_DISTRIBUTIONS, *trained})
    return {
        "schema": FACTS_SCHEMA,
        "run": config.name,
        "command": list(command),
        "started_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "config": config.model_dump(mode="json"),
        "machine": environment.machine(),
        "versions": environment.versions(tuple(distributions)),
        "allocator": environment.allocator(),
        "thread_settings": own_thread_settings(),
        "code": code_version(),
        "plan": plan.to_json(),
        "note": note,
        "expect": expect,
    }


def begin(folder: Path, facts: dict[str, Any]) -> list[SampleRow]:
    """Write `run.json` and return the samples an earlier run of the same sweep took.

    Call it with the folder locked.

    Raises:
        RunFolderError: the folder holds another sweep, or one taken with other software or on
            another machine, whose samples cannot stand beside new ones.
    """
    if (folder / FACTS_NAME).exists():
        earlier = read_facts(folder, START_ANEW)
        _check_same(folder, earlier, facts)
        facts = {**facts, "started_at": earlier["started_at"], "command": earlier["command"]}
        # Going on without saying a note again does not take back the one that was said.
        for name in ("note", "expect"):
            facts[name] = facts[name] or earlier.get(name)
    elif (folder / JOURNAL_NAME).exists():
        raise RunFolderError(
            f"{folder} has samples but no {FACTS_NAME}; --fresh keeps them aside and starts anew"
        )
    rows = latest(read_rows(folder / JOURNAL_NAME))
    write_facts(folder, facts)
    return rows


def _check_same(folder: Path, earlier: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    changes = [*_plan_changes(earlier, now), *_environment_changes(earlier, now)]
    if changes:
        raise RunFolderError(
            f"{folder} holds samples of another sweep ({'; '.join(changes)}); "
            f"--fresh keeps them aside and starts anew, --out chooses another folder"
        )


def _plan_changes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [*_cell_changes(earlier, now), *_config_changes(earlier, now)]


def _cell_changes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    before, after = _native_by_cell(earlier), _native_by_cell(now)
    new, gone = after.keys() - before.keys(), before.keys() - after.keys()
    if new or gone:
        return [f"{len(new)} cells are new and {len(gone)} are gone"]
    # The task of a data set is in no id, but in the objective that the library is given.
    changed = [cell for cell, native in after.items() if native != before[cell]]
    return [f"{len(changed)} cells are given other parameters"] if changed else []


def _config_changes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What of the config is in no cell and yet in every sample; a key that an earlier version
    did not know was its default."""
    before, after = earlier.get("config") or {}, now["config"]
    changes = []
    for name in _MEASURED_DEFAULTS:
        old = before.get(name, _MEASURED_DEFAULTS[name])
        if old != after[name]:
            changes.append(f"{name} was {_as_written(old)}, now {_as_written(after[name])}")
    tiers = [(facts.get("counters") or {}).get("tier") for facts in (earlier, now)]
    if not changes and tiers[0] != tiers[1]:
        changes.append(f"counters were {tiers[0] or 'none'}, now {tiers[1] or 'none'}")
    return changes


def _as_written(value: Any) -> str:
    """A value as it stands in a config."""
    return value if isinstance(value, str) else json.dumps(value)


def _environment_changes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [*_machine_changes(earlier, now), *_software_changes(earlier, now)]


def _machine_changes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """On a cluster the samples are not this machine's, and `runner.hosts` looks at each host."""
    if ("hosts" in earlier) != ("hosts" in now):
        return [f"taken {'on a cluster' if 'hosts' in earlier else 'without a cluster'}"]
    if "hosts" in now:
        return []
    changes = []
    if earlier["machine"].get("fingerprint") != now["machine"]["fingerprint"]:
        changes.append("taken on another machine")
    if earlier.get("allocator") != now["allocator"]:
        changes.append("the allocator's settings changed")
    if earlier.get("thread_settings") != now["thread_settings"]:
        changes.append("the environment's thread settings changed")
    return changes


def _software_changes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    changes = []
    for name, version in now["versions"].items():
        before = earlier["versions"].get(name)
        if before != version:
            changes.append(f"{name} was {before or 'absent'}, now {version or 'absent'}")
    if (before := earlier.get("code")) != now["code"]:
        changes.append(f"treebench's measuring code was {before}, now {now['code']}")
    return changes


def _native_by_cell(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What each cell's library is given, as it reads after its way through JSON."""
    return {cell["id"]: json.loads(json.dumps(cell["native"])) for cell in facts["plan"]["cells"]}


def own_thread_settings() -> dict[str, str]:
    """What the person set about threads, without what every worker is given anew."""
    settings = environment.thread_settings(os.environ)
    return {name: value for name, value in settings.items() if name not in THREAD_VARIABLES}
