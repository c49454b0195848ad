"""Which cell of a run is meant, and what is needed to train it once more."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING, Any

from treebench.errors import ConfigError, DataError, RunFolderError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from treebench.data.manifest import Manifest
    from treebench.plan.build import PlannedCell
    from treebench.plan.cell import CellSpec
    from treebench.store.run_folder import Run

_MOST_LISTED = 40


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A cell to train again: its name for people, its data, and what is other here than it was
    in the run."""

    planned: PlannedCell
    label: str
    folders: Mapping[str, Path]
    differences: Sequence[str]


@dataclasses.dataclass(frozen=True)
class Listed:
    """A cell of a run, with its name for people."""

    spec: CellSpec
    label: str
    native: dict[str, Any]


def chosen_cell(opened: Run, words: str, run: str) -> Chosen:
    """The one cell of a run that `words` mean; its data is made where it is missing.

    Raises:
        ConfigError: no cell is meant, or several.
        DataError: its data set is not what the run used.
        RunFolderError: what was planned then cannot be planned now.
    """
    from treebench.runner.order import splits_of
    from treebench.runner.prepare import ensure_data, read_manifests

    listed = cell_meant(cells_of(opened), words, run)
    spec = listed.spec
    folders = ensure_data({spec.dataset: [spec.rows]}, {spec.dataset: splits_of(spec)})
    manifest = read_manifests(folders)[spec.dataset]
    if manifest.identity_sha256 != spec.data_sha256:
        raise DataError(
            f"{spec.dataset} is not what {run} used: its hash was {spec.data_sha256[:12]} and is "
            f"{manifest.identity_sha256[:12]} now; bring its card and source back, or take the "
            f"run anew with --fresh"
        )
    planned, differences = _planned(listed, manifest, run)
    return Chosen(planned, listed.label, folders, [*differences, *_elsewhere(opened)])


def cells_of(opened: Run) -> dict[str, Listed]:
    """The run's cells by id, in the order planned."""
    from treebench.analysis.labels import series_labels
    from treebench.plan.cell import CellSpec

    planned = opened.facts["plan"]["cells"]
    specs = [CellSpec(**cell["spec"]) for cell in planned]
    return {
        cell["id"]: Listed(spec, f"{label}, {_place(spec)}", cell["native"])
        for cell, spec, label in zip(planned, specs, series_labels(specs), strict=True)
    }


def cell_meant(cells: Mapping[str, Listed], words: str, run: str) -> Listed:
    """The cell whose id begins with `words`, or that alone meets them as conditions.

    Raises:
        ConfigError: there is none, or there are several; they are listed.
    """
    if any(symbol in words for symbol in "=<>"):
        matches = _conditions(words)
        found = {cell: one for cell, one in cells.items() if matches(one.spec)}
    else:
        found = {cell: one for cell, one in cells.items() if words and cell.startswith(words)}
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        head = f"CELL {words!r} means {len(found)} cells of {run}; add digits or conditions:"
    else:
        head = f"CELL {words!r} means no cell of {run}; its cells are:"
    raise ConfigError(head, *_listing(found or cells, run))


def _conditions(words: str) -> Callable[[CellSpec], bool]:
    from treebench.plan.only import matcher

    try:
        return matcher(words)
    except ConfigError as error:
        raise ConfigError(*(line.replace("--only", "CELL", 1) for line in error.problems)) from None


def _listing(cells: Mapping[str, Listed], run: str) -> list[str]:
    lines = [f"{cell}  {one.label}" for cell, one in cells.items()]
    if len(lines) <= _MOST_LISTED:
        return lines
    left = len(lines) - _MOST_LISTED
    more = f"and {left} more: `treebench show {shlex.quote(run)} --json` has all ids"
    return [*lines[:_MOST_LISTED], more]


def _place(spec: CellSpec) -> str:
    threads = "1 thread" if spec.threads == 1 else f"{spec.threads} threads"
    return f"{spec.dataset}, {spec.rows:,} rows, {spec.layout}, {threads}"


def _planned(listed: Listed, manifest: Manifest, run: str) -> tuple[PlannedCell, list[str]]:
    """The cell with what the library was given then; and a line, if that would be other now."""
    import json

    from treebench.plan.build import planned_again

    planned = planned_again(listed.spec, manifest)
    if planned is None:
        raise RunFolderError(
            f"{run} planned {listed.label}, and this treebench would plan another cell from it; "
            f"use the release that took the run, or take it anew with --fresh"
        )
    if json.loads(json.dumps(planned.native)) == listed.native:
        return planned, []
    told = "this treebench would give the library other parameters; those of the run are used"
    return dataclasses.replace(planned, native=listed.native), [told]


def _elsewhere(opened: Run) -> list[str]:
    """What is other here than where the run was taken. It changes where time goes, so it is
    said; it is no obstacle."""
    from treebench.measure import environment

    facts = opened.facts
    lines = []
    if facts["machine"].get("fingerprint") != environment.machine()["fingerprint"]:
        lines.append("the run was taken on another machine; the picture is of this one")
    now = environment.versions(tuple(name for name in facts["versions"] if name != "python"))
    for name, version in facts["versions"].items():
        if version != now[name]:
            lines.append(f"{name} was {version or 'absent'} in the run and is {now[name]} here")
    return lines
