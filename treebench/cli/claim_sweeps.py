"""From claims to the sweeps that try them: one for all claims that share it, planned and taken."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.cli.planning import Planned, plan_checked
from treebench.cli.taking import facts_for, keep_aside, take_here
from treebench.config.load_claims import owner_of
from treebench.config.shrink import Shrink, shrink_for, shrunk
from treebench.errors import AlreadyToldError, ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from treebench.analysis.claims import ClaimOutcome
    from treebench.cli.progress import SweepProgress
    from treebench.config.claims import Claim


@dataclass(frozen=True)
class ClaimSweep:
    """A sweep and the claims it tries. `planned` is None where it cannot be run, and `why` says
    what hinders it; `replaced` are the data sets put in the place of its own."""

    claims: tuple[Claim, ...]
    folder: Path
    shrink: Shrink
    planned: Planned | None
    why: str | None = None
    replaced: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The sweep's name, and so its folder's."""
        return self.folder.name


def plan_sweeps(
    chosen: Sequence[Claim],
    claims: dict[str, Claim],
    out: Path,
    scale: float,
    data: Mapping[str, str],
) -> list[ClaimSweep]:
    """The sweeps of the claims, each planned, its data made; one that cannot be run says why.

    Raises:
        ConfigError: a claim that cannot be read, names no cell, or a bad scale.
    """
    by_owner: dict[str, list[Claim]] = {}
    owners: dict[str, Claim] = {}
    for claim in chosen:
        owner = owner_of(claim, claims)
        owners[owner.id] = owner
        by_owner.setdefault(owner.id, []).append(claim)
    return [
        _planned(owners[key], tuple(shared), out, scale, data) for key, shared in by_owner.items()
    ]


def refuse_strange_data(
    chosen: Sequence[Claim], claims: dict[str, Claim], names: Iterable[str]
) -> None:
    """Say so where data are given for a set that no sweep of these claims is on: they would be
    passed over, and the verdicts be on other data than was thought.

    Raises:
        ConfigError: one line for each, with the sets that there are.
    """
    from treebench.config.salvage import stated_sets
    from treebench.data.cards import card_paths

    sweeps = [owner_of(claim, claims).sweep for claim in chosen]
    stated = [sweep for sweep in sweeps if isinstance(sweep, dict)]
    known = dict.fromkeys(name for sweep in stated for name in stated_sets(sweep))
    cards = {path.stem for path in card_paths()}
    problems = [
        f"--data {name}=...: the claims asked for are not on data of that name; they are on: "
        f"{', '.join(known)}"
        + (f"; `--data {next(iter(known))}={name}` puts it in the place of one" * (name in cards))
        for name in names
        if name not in known
    ]
    if problems:
        raise ConfigError(*problems)


def take_all(sweeps: Sequence[ClaimSweep], *, fresh: bool = False) -> None:
    """Take what is missing of every sweep, with one progress over all of them; with `fresh` what
    is there is kept aside first.

    Raises:
        KeyboardInterrupt: Ctrl-C; all finished samples are kept.
    """
    from treebench.cli.progress import progress_for

    ready = [(sweep, sweep.planned) for sweep in sweeps if sweep.planned is not None]
    if fresh:
        for sweep, _ in ready:
            keep_aside(sweep.folder)
    with progress_for(sys.stderr) as progress:
        for sweep, planned in ready:
            _foresee(progress, sweep, planned)
        for sweep, planned in ready:
            names = ", ".join(claim.id for claim in sweep.claims)
            progress.told(f"{names}: the sweep {sweep.name}")
            facts = facts_for(planned, f"tries the claims {names}", None)
            take_here(planned, sweep.folder, facts, retry_failed=False, progress=progress)


def judged(sweep: ClaimSweep) -> list[ClaimOutcome]:
    """The verdicts on the claims of a sweep, from the samples in its folder."""
    from treebench.analysis.claims import Taken, judge_claim, untold
    from treebench.analysis.summary import cell_spec
    from treebench.store.run_folder import open_run

    if sweep.planned is None:
        return [untold(claim, sweep.why or "its sweep cannot be run") for claim in sweep.claims]
    run = open_run(sweep.folder)
    taken = Taken(
        rows=run.rows,
        specs={cell["id"]: cell_spec(cell["spec"]) for cell in run.facts["plan"]["cells"]},
        absent=(run.facts.get("counters") or {}).get("absent", {}),
        shrink=sweep.shrink,
        replaced=sweep.replaced,
    )
    return [judge_claim(claim, taken) for claim in sweep.claims]


def _planned(
    owner: Claim, shared: tuple[Claim, ...], out: Path, scale: float, data: Mapping[str, str]
) -> ClaimSweep:
    from treebench.analysis.claims import cells_needed, problems_of
    from treebench.config.load import checked
    from treebench.trainers.registry import TRAINERS

    where = f"claim {owner.id}: sweep"
    written: dict[str, Any] = owner.sweep if isinstance(owner.sweep, dict) else {}
    shrink = shrink_for(written, scale, owner.least.rows, owner.least.trees, where)
    body, replaced = with_data(shrunk(written, shrink), data)
    config = checked(body, where, tuple(TRAINERS))
    folder = out / config.name
    try:
        planned = plan_checked(config)
    except (DataError, AlreadyToldError) as error:
        why = "; ".join(each for each in error.problems if each) or "its data could not be made"
        return ClaimSweep(shared, folder, shrink, None, why, replaced)
    specs = [cell.spec for cell in planned.plan.cells.values()]
    specs += [point.spec for point in planned.plan.unsupported]
    found = [
        each for claim in shared for each in problems_of(claim, specs, shrink, on_this_machine=True)
    ]
    if found:
        raise ConfigError(*found)
    needed = [cells_needed(claim, specs, shrink) for claim in shared]
    chosen = planned.chosen & frozenset().union(*needed)
    return ClaimSweep(shared, folder, shrink, replace(planned, chosen=chosen), None, replaced)


def with_data(
    sweep: dict[str, Any], data: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The sweep with other data sets in the place of its own, and which were put where. The name
    tells the two runs apart."""
    replaced: dict[str, str] = {}
    entries = []
    for entry in sweep["data"]:
        old = entry.get("set") if isinstance(entry, dict) else None
        if isinstance(old, str) and old in data:
            replaced[old] = data[old]
            entry = {**entry, "set": data[old]}
        entries.append(entry)
    if not replaced:
        return sweep, {}
    name = "-".join([str(sweep.get("name")), *replaced.values()])
    return {**sweep, "name": name, "data": entries}, replaced


def _foresee(progress: SweepProgress, sweep: ClaimSweep, planned: Planned) -> None:
    """Tell the progress of all that is to come, so that its estimate is of the whole."""
    from treebench.cli.counting import chosen_counters
    from treebench.runner.simulated import missing_simulated
    from treebench.runner.sweep import missing_samples
    from treebench.store.journal import latest, read_rows
    from treebench.store.run_folder import JOURNAL_NAME

    rows = latest(read_rows(sweep.folder / JOURNAL_NAME))
    progress.to_take(missing_samples(planned.plan, rows, planned.chosen, retry_failed=False))
    if chosen_counters(planned).tier == "simulated":
        progress.to_take(missing_simulated(planned.plan, rows, planned.chosen, retry_failed=False))
