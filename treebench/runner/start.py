"""Opening a run's folder: a new run, or the same one gone on with."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from treebench.errors import RunFolderError
from treebench.measure import environment
from treebench.runner.code_version import code_version
from treebench.runner.local import READER_DISTRIBUTIONS
from treebench.store.journal import latest, read_rows
from treebench.store.run_folder import (
    FACTS_NAME,
    FACTS_SCHEMA,
    JOURNAL_NAME,
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


def facts_of(
    config: SweepConfig,
    plan: Plan,
    command: Sequence[str],
    note: str | None,
    expect: str | None,
) -> dict[str, Any]:
    """What goes into `run.json`."""
    distributions = sorted({*READER_DISTRIBUTIONS, *(t.distribution for t in TRAINERS.values())})
    return {
        "schema": FACTS_SCHEMA,
        "run": config.name,
        "command": list(command),
        "started_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "config": config.model_dump(mode="json"),
        "machine": environment.machine(),
        "versions": environment.versions(tuple(distributions)),
        "allocator": environment.allocator(),
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
        earlier = read_facts(folder)
        _check_same(folder, earlier, facts)
        facts = {**facts, "started_at": earlier["started_at"], "command": earlier["command"]}
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
    before, after = _cell_ids(earlier), _cell_ids(now)
    changes = []
    if before != after:
        changes.append(f"{len(after - before)} cells are new and {len(before - after)} are gone")
    if _with_latency(earlier) != _with_latency(now):
        changes.append(f"latency was {_with_latency(earlier)}, now {_with_latency(now)}".lower())
    return changes


def _with_latency(facts: Mapping[str, Any]) -> bool:
    return bool(facts["config"].get("latency", False))


def _environment_changes(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    changes = []
    if earlier["machine"]["fingerprint"] != now["machine"]["fingerprint"]:
        changes.append("taken on another machine")
    for name, version in now["versions"].items():
        before = earlier["versions"].get(name)
        if before != version:
            changes.append(f"{name} was {before or 'absent'}, now {version or 'absent'}")
    if earlier["allocator"] != now["allocator"]:
        changes.append("the allocator's settings changed")
    if earlier["code"] != now["code"]:
        changes.append(f"treebench's measuring code was {earlier['code']}, now {now['code']}")
    return changes


def _cell_ids(facts: Mapping[str, Any]) -> set[str]:
    return {cell["id"] for cell in facts["plan"]["cells"]}
