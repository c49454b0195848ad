"""A night from its plan to its findings: run, append, judge, re-run, keep."""

from __future__ import annotations

import datetime
import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.errors import NothingMeasuredError, RunFolderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treebench.analysis.comparing.rules import Rules
    from treebench.cli.planning import Planned
    from treebench.history.findings import Finding
    from treebench.history.morning import Morning
    from treebench.history.night import Night
    from treebench.history.parts import History
    from treebench.history.suspects import Judgement

RUNS, PAGE_NAME = "runs", "index.html"
_GOES_ON_H = 12
"""So long after its start a night that was interrupted is gone on with."""
_SAME = ("config", "versions", "allocator", "thread_settings", "code")


@dataclass(frozen=True)
class Asked:
    """What a person asked for: `rounds` are the samples a side of a re-run, in the order tried."""

    config: str
    history: Path
    overrides: tuple[str, ...]
    only: str | None
    rounds: tuple[int, ...]
    rules: Rules
    more_figures: tuple[str, ...]


@dataclass(frozen=True)
class Spent:
    """What came of it, the page that was written, and what to type next."""

    morning: Morning
    page: Path
    step: str


def spend_night(asked: Asked, now: datetime.datetime | None = None) -> Spent:
    """Take tonight's samples, unless they are there; judge them; keep all that was found.

    Raises:
        TreebenchError: the plan, the data or the folder cannot be had.
        KeyboardInterrupt: Ctrl-C; the same command goes on within twelve hours.
    """
    from treebench.cli.night_lock import alone_on_this_machine
    from treebench.cli.planning import plan_config, refuse_empty_choice
    from treebench.cli.taking import facts_for
    from treebench.history.acknowledged import read_acknowledged

    # A mistake in it is better told before a night is spent than after.
    read_acknowledged(asked.history)
    planned = plan_config(asked.config, list(asked.overrides), asked.only)
    refuse_empty_choice(planned, asked.config)
    if not planned.chosen:
        raise NothingMeasuredError(
            f"{asked.config}: none of its cells can be run; `treebench plan {asked.config}` says "
            f"why"
        )
    facts = facts_for(planned, None, None)
    folder = asked.history / facts["machine"]["fingerprint"]
    with alone_on_this_machine(folder):
        name = _name(folder, facts, now or datetime.datetime.now(datetime.UTC))
        _tell_machine(folder, facts)
        _tell_later_nights(folder, name)
        night = _taken(planned, folder, name, facts)
        return _judged(asked, planned, folder, night)


def _taken(planned: Planned, folder: Path, name: str, facts: dict[str, Any]) -> Night:
    """The night's samples, taken and added to the history."""
    from treebench.cli import taking
    from treebench.history.parts import write_night
    from treebench.store.run_folder import open_run

    run = folder / RUNS / name
    taking.take_here(planned, run, facts, retry_failed=False)
    night = _night(planned, name, facts)
    write_night(folder, night, open_run(run).rows)
    return night


def _judged(asked: Asked, planned: Planned, folder: Path, night: Night) -> Spent:
    from treebench.cli import night_reruns
    from treebench.drafts import ROOM_OR_RIGHTS, write_whole
    from treebench.history.acknowledged import read_acknowledged
    from treebench.history.findings import read_findings, write_findings
    from treebench.history.parts import read_history
    from treebench.history.settling import settle
    from treebench.history.suspects import Known, is_guarded, judge
    from treebench.report.html.history_page import history_page

    history = read_history(
        folder, lambda name: is_guarded(name) or name in asked.more_figures, night.name
    )
    earlier, damaged = read_findings(folder)
    earlier = [each for each in earlier if each.night < night.name]
    accepted = [e for e in read_acknowledged(asked.history) if e.machine == folder.name]
    judgement = judge(
        history,
        planned.chosen,
        planned.plan.control.id,
        Known(earlier, accepted),
        asked.rules,
        asked.more_figures,
    )
    nights = {each.name: each for each in history.nights}
    rerun = night_reruns.reruns_of(planned.config, folder, night)
    _tell_suspects(judgement)
    found = settle(judgement.suspects, nights, nights[night.name], rerun, asked.rules, asked.rounds)
    write_findings(folder, night.name, found)
    morning = _morning(history, judgement, found, earlier, accepted, damaged)
    page = folder / PAGE_NAME
    drawn = history_page(morning, asked.more_figures)
    write_whole(page, drawn, RunFolderError, ROOM_OR_RIGHTS)
    return Spent(morning, page, _next_step(asked, morning, folder))


def _morning(
    history: History,
    judgement: Judgement,
    found: Sequence[Finding],
    earlier: Sequence[Finding],
    accepted: Sequence[Any],
    damaged: Sequence[str],
) -> Morning:
    from treebench.history.morning import (
        Morning,
        failures_of,
        known_cells,
        missing_of,
        words_by_cell,
    )

    specs = known_cells(history)
    return Morning(
        history,
        judgement,
        found,
        failures_of(history),
        missing_of(history),
        specs,
        words_by_cell(specs),
        earlier,
        accepted,
        (*history.skipped, *damaged),
    )


def _night(planned: Planned, name: str, facts: dict[str, Any]) -> Night:
    from treebench.cli.ab import learners_of
    from treebench.history.frozen import requirements_of
    from treebench.history.night import Night
    from treebench.runner.local import READER_DISTRIBUTIONS

    return Night(
        name,
        planned.config.name,
        facts["versions"]["python"],
        requirements_of([*READER_DISTRIBUTIONS, "threadpoolctl", *learners_of(planned)]),
        (),
        tuple(facts["command"]),
        frozenset(planned.chosen),
        tuple(facts["plan"]["unsupported"]),
    )


def _name(folder: Path, facts: dict[str, Any], now: datetime.datetime) -> str:
    """A new night's name, or that of one that was interrupted and can be gone on with."""
    from treebench.history.findings import FOLDER as VERDICTS
    from treebench.history.night import is_name, name_of, time_of

    # A clock that was wrong once may have left some that are yet to come.
    begun = [path.name for path in (folder / RUNS).glob("*") if is_name(path.name)]
    runs = sorted(name for name in begun if name <= name_of(now))
    if runs and not (folder / VERDICTS / f"{runs[-1]}.json").exists():
        young = now - time_of(runs[-1]) <= datetime.timedelta(hours=_GOES_ON_H)
        if young and _is_same(folder / RUNS / runs[-1], facts):
            sys.stderr.write(f"the night of {runs[-1]} was interrupted; going on with it\n")
            return runs[-1]
    return name_of(now)


def _is_same(run: Path, facts: dict[str, Any]) -> bool:
    from treebench.store.run_folder import FACTS_NAME, read_facts

    if not (run / FACTS_NAME).exists():
        return False
    begun = read_facts(run)
    return all(begun.get(name) == _as_json(facts.get(name)) for name in _SAME)


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _tell_machine(folder: Path, facts: dict[str, Any]) -> None:
    """What the fingerprint stands for, beside its nights; and a word where it is new here."""
    from treebench.drafts import ROOM_OR_RIGHTS, write_whole

    path = folder / "machine.json"
    others = [each.parent.name for each in folder.parent.glob("*/machine.json") if each != path]
    is_new = not path.exists()
    if is_new or not _is_json(path):
        content = json.dumps(facts["machine"], indent=1).encode() + b"\n"
        write_whole(path, content, RunFolderError, ROOM_OR_RIGHTS)
        if others and is_new:
            sys.stderr.write(
                f"this machine ({folder.name}) has no nights yet; those of {', '.join(others)} are "
                f"of other machines, and nothing is judged by them\n"
            )


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


def _tell_later_nights(folder: Path, name: str) -> None:
    """A word on nights that this machine's clock says are yet to come."""
    from treebench.history.parts import nights_after

    later = nights_after(folder, name)
    if later:
        sys.stderr.write(
            f"the clock says {name}, and {len(later)} "
            f"{'night is' if len(later) == 1 else 'nights are'} later than that (the last one "
            f"{later[-1]}): tonight is judged without {'it' if len(later) == 1 else 'them'}; set "
            f"the clock, or remove what was taken under a wrong one from {folder}\n"
        )


def _tell_suspects(judgement: Judgement) -> None:
    cells = {each.cell for each in judgement.suspects if each.finding is None}
    if cells:
        sys.stderr.write(
            f"{len(cells)} {'cell is' if len(cells) == 1 else 'cells are'} suspected of having "
            f"become worse: measured again beside the last good environment\n"
        )


def _next_step(asked: Asked, morning: Morning, folder: Path) -> str:
    history = shlex.quote(str(asked.history))
    regression = next(iter(morning.regressions), None)
    if regression is not None:
        return (
            f"treebench nightly --history {history} --acknowledge "
            f"{regression.cell}:{regression.figure} --reason TEXT, if it is to stay so"
        )
    return f"treebench show {shlex.quote(str(folder / RUNS / morning.night.name))}"
