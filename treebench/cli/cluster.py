"""The half of `treebench run --cluster` that takes samples: on hosts, in place of this machine."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from treebench.cli.planning import Planned
    from treebench.cli.progress import SweepProgress
    from treebench.plan.build import Plan, PlannedCell
    from treebench.runner.cluster import Crew
    from treebench.runner.hosts import Vetting
    from treebench.runner.order import Orders
    from treebench.runner.sweep import Wanted
    from treebench.store.row import SampleRow


@dataclass(frozen=True)
class Wish:
    """The cluster asked for, and how long to wait while none of its hosts can be used."""

    address: str
    wait_s: float


def wish_of(address: str, wait: str) -> Wish:
    """The options of the command line, checked.

    Raises:
        ConfigError: an address or a time that is none.
    """
    from treebench.config.duration import seconds
    from treebench.errors import ConfigError
    from treebench.runner.dask_cluster import check_address

    try:
        return Wish(check_address(address), seconds(wait))
    except ValueError as error:
        raise ConfigError(f"--cluster-wait is {wait!r}; {error}") from None


def take_on_cluster(
    planned: Planned,
    folder: Path,
    wish: Wish,
    facts: dict[str, Any],
    retry_failed: bool,
    *,
    fresh: bool = False,
) -> None:
    """Take the missing samples on the hosts of a cluster, into the journal of `folder`. With
    `fresh` an earlier run there is kept aside, once there is a host to start anew on.

    Raises:
        ClusterError: the scheduler is gone, or no host can be used.
        RunFolderError: the folder is in use, holds another sweep, or the measuring code changed.
        KeyboardInterrupt: Ctrl-C; what the hosts were at was taken back.
    """
    from treebench.cli.progress import progress_for
    from treebench.cli.taking import keep_aside
    from treebench.runner.cluster import Crew
    from treebench.runner.dask_cluster import connected
    from treebench.runner.start import begin
    from treebench.store.run_folder import locked

    with ExitStack() as stack:
        if not fresh:
            stack.enter_context(locked(folder))
        progress = stack.enter_context(progress_for(sys.stderr))
        cluster = stack.enter_context(connected(wish.address))
        vetting = _vetting(planned, {} if fresh else _earlier_facts(folder), facts)
        crew = Crew(cluster, vetting, _orders(planned, facts, vetting), progress, wish.wait_s)
        crew.meet()
        if fresh:
            keep_aside(folder, progress.told)
            stack.enter_context(locked(folder))
        facts |= {"counters": vetting.counters, "hosts": vetting.admitted}
        rows = begin(folder, facts)
        _take(planned, folder, crew, vetting, rows, progress, retry_failed)


def _take(
    planned: Planned,
    folder: Path,
    crew: Crew,
    vetting: Vetting,
    rows: list[SampleRow],
    progress: SweepProgress,
    retry_failed: bool,
) -> None:
    import dataclasses

    from treebench.runner.blocks import Blocks
    from treebench.runner.order import data_of
    from treebench.store.journal import Journal
    from treebench.store.run_folder import JOURNAL_NAME

    assert vetting.counters is not None  # noqa: S101 - the first host has set them
    tier = vetting.counters["tier"]
    data = data_of(_cells_trained(planned, tier))
    crew.orders = dataclasses.replace(crew.orders, counters=vetting.counters, data=data)
    crew.on_admitted = lambda: _keep_hosts(folder, vetting)
    every = _every_sample(planned, tier)
    blocks = Blocks(every, rows, retry_failed=retry_failed)
    missing = blocks.missing()
    progress.started(missing, len(every) - len(missing))
    with Journal(folder / JOURNAL_NAME) as journal:
        try:
            crew.take(blocks, journal)
        except KeyboardInterrupt:
            progress.interrupted(folder)
            raise


def _every_sample(planned: Planned, tier: str | None) -> list[Wanted]:
    """All samples of the chosen cells, taken or not, in the order of a run on one machine."""
    from treebench.runner.simulated import missing_simulated
    from treebench.runner.sweep import missing_samples

    plan, chosen = planned.plan, planned.chosen
    simulated = missing_simulated(plan, [], chosen, False) if tier == "simulated" else []
    return [*missing_samples(plan, [], chosen, False), *simulated]


def _keep_hosts(folder: Path, vetting: Vetting) -> None:
    """Another host takes part: say so in `run.json` before its first row."""
    from treebench.store.run_folder import read_facts, write_facts

    write_facts(folder, {**read_facts(folder), "hosts": vetting.admitted})


def _earlier_facts(folder: Path) -> dict[str, Any]:
    from treebench.store.run_folder import FACTS_NAME, read_facts

    return read_facts(folder) if (folder / FACTS_NAME).exists() else {}


def _vetting(planned: Planned, earlier: Mapping[str, Any], facts: dict[str, Any]) -> Vetting:
    from treebench.measure import environment
    from treebench.runner.hosts import Vetting

    return Vetting(
        code=facts["code"],
        versions=environment.versions(_distributions(planned)),
        cores_needed=1 if planned.config.oversubscribe else _cores_needed(planned.plan),
        counters=earlier.get("counters") if "hosts" in earlier else None,
        admitted=dict(earlier.get("hosts") or {}),
    )


def _orders(planned: Planned, facts: dict[str, Any], vetting: Vetting) -> Orders:
    from treebench.runner.order import Orders

    return Orders(
        run=planned.config.name,
        code=facts["code"],
        deadline_s=planned.plan.deadline_s,
        latency=planned.config.latency,
        curve=planned.config.curve,
        counters_wanted=planned.config.counters,
        simulation=planned.config.simulation.model_dump(),
        distributions=_distributions(planned),
    )


def _cells_trained(planned: Planned, tier: str | None) -> list[PlannedCell]:
    """The chosen cells and, where they are simulated too, the small copies of them."""
    from treebench.plan.reduce import reduced

    cells = [planned.plan.cells[cell] for cell in sorted(planned.chosen)]
    if tier != "simulated":
        return cells
    shares = planned.config.simulation
    return [*cells, *(reduced(cell, shares.rows, shares.trees).cell for cell in cells)]


def _distributions(planned: Planned) -> tuple[str, ...]:
    """Those whose versions must agree: what reads the data, and the learners of the sweep."""
    from treebench.runner.local import READER_DISTRIBUTIONS
    from treebench.trainers.registry import TRAINERS

    chosen = [TRAINERS[planned.plan.cells[cell].spec.trainer] for cell in planned.chosen]
    trained = {name for one in chosen for name in (one.distribution, *one.more_distributions)}
    return tuple(sorted({*READER_DISTRIBUTIONS, *trained}))


def _cores_needed(plan: Plan) -> int:
    """The most that a cell keeps busy, by threads or by jobs."""
    specs = [plan.control.spec, *(cell.spec for cell in plan.cells.values())]
    return max(max(spec.threads, int(spec.params.get("n_jobs") or 1)) for spec in specs)
