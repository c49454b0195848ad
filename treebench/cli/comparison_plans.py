"""From presets of a published comparison to the sweeps that try them.

All presets that share a sweep put their columns into it, asked for or not, so that one more preset
asked for later goes on in the same folder; only the cells of those asked for are taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from treebench.analysis.published.readings import ColumnCell
from treebench.cli.comparison_places import places_of
from treebench.cli.planning import plan_checked
from treebench.config.draws import drawn_settings
from treebench.config.shrink import Shrink, require_scale, shrink_for
from treebench.errors import AlreadyToldError, ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from treebench.cli.comparison_places import Place
    from treebench.cli.planning import Planned
    from treebench.config.comparisons import Column, Preset
    from treebench.config.model import SweepConfig

    Setting = dict[str, Any]

VALIDATION = 0.2
MANY_SAMPLES, FEW_SAMPLES, FEW_BELOW = 5, 3, 0.1
"""Samples of a cell, and the scale below which there are few."""
_LEAST_CONFIGURATIONS = 2
_DEADLINE = "6h"
_DIGITS = 3


@dataclass(frozen=True)
class Candidate:
    """A setting: its cell, or why it has none, and what was drawn for it."""

    cell: str | None
    absent: str | None
    drawn: Mapping[str, float]


@dataclass(frozen=True)
class PlannedColumn:
    """A column with its setting, or with those that a search tries."""

    column: Column
    candidates: tuple[Candidate, ...]

    @property
    def only(self) -> ColumnCell:
        """The column's cell where nothing is searched for."""
        [one] = self.candidates
        return ColumnCell(self.column, one.cell, one.absent)


@dataclass(frozen=True)
class PlannedTable:
    """A preset on a data set, with so many rows, of which some are held out for validation."""

    place: Place
    rows: int
    columns: tuple[PlannedColumn, ...]

    @property
    def cells(self) -> frozenset[str]:
        """The ids of all its cells."""
        every = (each.cell for column in self.columns for each in column.candidates)
        return frozenset(cell for cell in every if cell is not None)


@dataclass(frozen=True)
class ComparisonSweep:
    """A sweep and the tables read from it. `planned` is None where it cannot be run, and `why`
    says what hinders it."""

    folder: Path
    places: tuple[Place, ...]
    shrink: Shrink
    tables: tuple[PlannedTable, ...]
    planned: Planned | None
    why: str | None = None

    @property
    def searches(self) -> bool:
        """Whether settings are searched for in it."""
        return any(place.preset.budget is not None for place in self.places)


def samples_at(scale: float) -> int:
    """How many samples of each cell a run of that scale takes."""
    return FEW_SAMPLES if scale < FEW_BELOW else MANY_SAMPLES


def configurations_at(scale: float, stated: int) -> int:
    """How many settings of each library a search of that scale tries: times the square root of the
    scale, two at least."""
    return max(_LEAST_CONFIGURATIONS, int(stated * sqrt(scale)))


def plan_comparison(
    chosen: Sequence[Preset],
    presets: Mapping[str, Preset],
    out: Path,
    scale: float,
    data: Mapping[str, str],
) -> list[ComparisonSweep]:
    """The sweeps of the presets `chosen` out of all, each planned, its data made.

    Raises:
        ConfigError: a bad scale, a name of data that no preset has, or data not of two classes.
    """
    require_scale(scale)
    wanted = {id(preset) for preset in chosen}
    asked = places_of(chosen, data, scale)
    names = dict.fromkeys((place.preset.sweep, place.dataset) for place in asked)
    sweeps = []
    for sweep, dataset in names:
        sharing = [one for one in presets.values() if one.sweep == sweep]
        mine = _known_to(sharing, data)
        places = [one for one in places_of(sharing, mine, scale) if one.dataset == dataset]
        asked_here = [one for one in places if id(one.preset) in wanted]
        sweeps.append(_sweep(out / f"{sweep}-{dataset}", places, asked_here, scale))
    return sweeps


def _known_to(presets: Iterable[Preset], data: Mapping[str, str]) -> dict[str, str]:
    names = {
        name
        for preset in presets
        for entry in preset.data
        for name in (entry.set, entry.stands_for)
    }
    return {name: value for name, value in data.items() if name in names}


def _sweep(
    folder: Path, places: Sequence[Place], asked: Sequence[Place], scale: float
) -> ComparisonSweep:
    try:
        most = _training_rows(places)
        rows = [min(place.rows, most) for place in places]
        shrink = _shrink(places, rows, scale)
        config = _config(folder.name, places, rows, shrink, scale)
        planned = plan_checked(config)
    except (DataError, AlreadyToldError) as error:
        why = "; ".join(each for each in error.problems if each) or "its data could not be made"
        return ComparisonSweep(folder, tuple(asked), Shrink(), (), None, why)
    _refuse_other_tasks(planned, places[0].dataset)
    tables = tuple(
        _table(place, shrink.of("rows", count), planned, shrink, scale)
        for place, count in zip(places, rows, strict=True)
        if place in asked
    )
    return ComparisonSweep(folder, tuple(asked), shrink, tables, _taking(planned, tables))


def _training_rows(places: Sequence[Place]) -> int:
    """How many rows there are to train on; data that come with treebench have those stated."""
    place = places[0]
    if place.dataset == place.entry.set and not place.entry.only_if_given:
        return max(each.rows for each in places)
    from treebench.runner.prepare import ensure_data, read_manifests

    return read_manifests(ensure_data({place.dataset: []}))[place.dataset].train_rows


def _refuse_other_tasks(planned: Planned, dataset: str) -> None:
    task = planned.manifests[dataset].task
    if task != "binary":
        raise ConfigError(
            f"{dataset} is of task {task}; the comparison is of two classes, give data of these"
        )


def _shrink(places: Sequence[Place], rows: Sequence[int], scale: float) -> Shrink:
    """Trees shrink as rows do, down to their floor: with the square root, as those of claims do,
    a curve for each sample would take most of a small run."""
    least = [place.preset.least for place in places]
    name = places[0].preset.preset
    shrink = shrink_for({"data": {"rows": list(rows)}}, scale, max(r.rows for r in least), 1, name)
    fewest = min(place.preset.base.get("n_estimators", 1) for place in places)
    floor = max(one.trees for one in least) / fewest
    return replace(shrink, trees=min(1.0, max(scale, floor)))


def _config(
    name: str, places: Sequence[Place], rows: Sequence[int], shrink: Shrink, scale: float
) -> SweepConfig:
    """The sweep of all that the presets ask for on a data set."""
    settings = [
        stated
        for place in places
        for column in place.preset.columns
        if _not_installed(place.preset, column) is None
        for _, stated in _settings(place.preset, column, shrink, scale)
    ]
    if not settings:
        raise DataError("no library of its columns is installed")
    return _checked(name, places[0], [shrink.of("rows", n) for n in rows], settings, scale)


def _checked(
    name: str, place: Place, rows: Iterable[int], settings: Sequence[Setting], scale: float
) -> SweepConfig:
    from treebench.config.load import checked
    from treebench.trainers.registry import TRAINERS

    first, *others = settings
    held_out = {"curve": True, "validation": VALIDATION} if place.preset.curve else {}
    body = {
        "name": name,
        "title": f"{place.preset.title}, on {place.dataset}",
        "data": {
            "set": place.dataset,
            "rows": list(dict.fromkeys(rows)),
            "layout": place.entry.layout,
        },
        "samples": samples_at(scale),
        "deadline": _DEADLINE,
        "reference": first,
        # A variant stands on the reference, of which none of these is to keep anything.
        "variants": [{**dict.fromkeys(first), **stated} for stated in others],
        **held_out,
    }
    return checked(body, f"preset {place.preset.preset}", tuple(TRAINERS))


def _settings(
    preset: Preset, column: Column, shrink: Shrink, scale: float
) -> list[tuple[dict[str, float], Setting]]:
    """What is stated of a column, made smaller, with what was drawn for it: once, or as often as
    the search's budget allows."""
    stated = preset.setting(column)
    small = {name: _smaller(name, value, preset, shrink) for name, value in stated.items()}
    if preset.budget is None:
        return [({}, small)]
    n = configurations_at(scale, preset.budget.configurations)
    drawn = drawn_settings(column.search, n, preset.budget.seed, column.library)
    return [(one, {**small, **one}) for one in drawn]


def _smaller(name: str, value: Any, preset: Preset, shrink: Shrink) -> Any:
    if name == "n_estimators":
        return shrink.of(name, value)
    if name not in preset.shrinks:
        return value
    if name == "min_samples_leaf":
        return max(1, round(value * shrink.rows))
    return float(f"{value * shrink.rows:.{_DIGITS}g}")


def _not_installed(preset: Preset, column: Column) -> str | None:
    """Why a column's library is not here; None if it is."""
    from importlib.metadata import PackageNotFoundError, version

    from treebench.trainers.registry import TRAINERS

    name = preset.setting(column)["trainer"]
    trainer = TRAINERS.get(name)
    if trainer is None:
        return f"not installed: this treebench has no trainer {name}"
    try:
        version(trainer.distribution)
    except PackageNotFoundError:
        return f"not installed: pip install {trainer.distribution}"
    return None


def _table(place: Place, rows: int, planned: Planned, shrink: Shrink, scale: float) -> PlannedTable:
    columns = tuple(
        _column(place, rows, column, planned, shrink, scale) for column in place.preset.columns
    )
    return PlannedTable(place, rows, columns)


def _column(
    place: Place, rows: int, column: Column, planned: Planned, shrink: Shrink, scale: float
) -> PlannedColumn:
    absent = _not_installed(place.preset, column)
    if absent is not None:
        return PlannedColumn(column, (Candidate(None, absent, {}),))
    candidates = [
        Candidate(*_cell(_checked(planned.config.name, place, [rows], [stated], scale), planned), d)
        for d, stated in _settings(place.preset, column, shrink, scale)
    ]
    return PlannedColumn(column, tuple(candidates))


def _cell(config: SweepConfig, planned: Planned) -> tuple[str | None, str | None]:
    """The cell of a config that has one setting, or why its library cannot do it."""
    from treebench.plan.build import build_plan

    plan = build_plan(config, planned.manifests)
    if plan.unsupported:
        return None, f"unsupported: {plan.unsupported[0].reason}"
    return next(iter(plan.cells)), None


def _taking(planned: Planned, tables: Sequence[PlannedTable]) -> Planned:
    """The plan with the cells of the tables asked for chosen."""
    return replace(planned, chosen=frozenset().union(*(table.cells for table in tables)))
