"""One side of a comparison: a run by its name or folder, or a journal by its file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.analysis.hosts import hosts_of
from treebench.errors import NothingMeasuredError, RunFolderError
from treebench.plan.cell import CONTROL_TRAINER
from treebench.store.journal import latest, read_rows
from treebench.store.run_folder import FACTS_NAME, JOURNAL_NAME, find_run, open_run, read_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.store.row import SampleRow
    from treebench.store.run_folder import Run


@dataclass(frozen=True)
class Side:
    """What one side has: the last row of every sample, and what its `run.json` says, if there is
    one. `name` is what it was asked for by."""

    name: str
    rows: tuple[SampleRow, ...]
    facts: Mapping[str, Any] | None = None

    @property
    def unsupported(self) -> Sequence[Mapping[str, Any]]:
        """Points of the sweep that could not be run, each with `spec` and `reason`."""
        return () if self.facts is None else tuple(self.facts["plan"]["unsupported"])

    @property
    def planned(self) -> frozenset[str]:
        """The ids of the cells that were to be measured; empty where that is not known."""
        cells = [] if self.facts is None else self.facts["plan"]["cells"]
        return frozenset(cell["id"] for cell in cells)

    @property
    def several_hosts(self) -> bool:
        """Whether more than one host took its samples."""
        return len(hosts_of(self.rows)) > 1

    def cells(self) -> dict[str, list[SampleRow]]:
        """Its samples by cell, without the control cell, profiles and what was interrupted."""
        found: dict[str, list[SampleRow]] = {}
        for row in self.rows:
            judged = row.kind != "profile" and row.status != "interrupted"
            if judged and row.spec["trainer"] != CONTROL_TRAINER:
                found.setdefault(row.cell, []).append(row)
        return found


def side_of(run: Run, name: str | None = None) -> Side:
    """A run as a side."""
    return Side(name or run.name, tuple(run.rows), run.facts)


def open_side(asked: str) -> Side:
    """The side that a person names: a run's folder, its name in `results/`, or a journal's file.

    Raises:
        RunFolderError: there is no such run or file, or it cannot be read.
        NothingMeasuredError: it holds no sample at all.
    """
    side = _of_path(asked, Path(asked)) or side_of(open_run(find_run(asked)), asked)
    if not side.rows:
        raise NothingMeasuredError(
            f"{asked} holds no sample; measure it first: treebench run CONFIG"
        )
    return side


def _of_path(asked: str, path: Path) -> Side | None:
    """The side of a file, or of a folder that has a journal alone; None for anything else."""
    if path.is_dir() and not (path / FACTS_NAME).exists() and (path / JOURNAL_NAME).is_file():
        path = path / JOURNAL_NAME
    if not path.is_file():
        return None
    try:
        rows = latest(read_rows(path))
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read ({error.strerror}); mend its rights") from None
    beside = path.name == JOURNAL_NAME and (path.parent / FACTS_NAME).is_file()
    return Side(asked, tuple(rows), read_facts(path.parent) if beside else None)
