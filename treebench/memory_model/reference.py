"""The coefficients shipped with treebench: what was measured once, with which versions."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from treebench.drafts import draft_of

if TYPE_CHECKING:
    from collections.abc import Mapping

REFERENCE_PATH = Path(__file__).parent / "reference.csv"

UNMEASURED_LOW_ERROR, UNMEASURED_HIGH_ERROR = -0.35, 0.35
"""Of a family that nobody has measured."""

_BASELINE, _LOW, _HIGH, _CELLS, _ROWS = "baseline", "low error", "high error", "cells", "most rows"
FACTS = (_LOW, _HIGH, _CELLS, _ROWS)


@dataclass(frozen=True)
class ReferenceFamily:
    """One family's line in the table: see `calibration.Family`."""

    coefficients: Mapping[str, float]
    low_error: float
    high_error: float
    n_cells: int
    most_rows: int


@dataclass(frozen=True)
class Reference:
    """The table. `baselines` are bytes of a worker with its libraries, by trainer, on the machine
    of the reference; `versions` the libraries' own."""

    families: Mapping[str, ReferenceFamily]
    baselines: Mapping[str, int]
    versions: Mapping[str, str]

    low_error: float = UNMEASURED_LOW_ERROR
    high_error: float = UNMEASURED_HIGH_ERROR

    def family(self, name: str) -> ReferenceFamily | None:
        """The coefficients of a family; None where it was never measured."""
        return self.families.get(name)


@cache
def reference() -> Reference:
    """The shipped table; empty where it was never measured."""
    if not REFERENCE_PATH.exists():
        return Reference({}, {}, {})
    return read_reference(REFERENCE_PATH)


def read_reference(path: Path) -> Reference:
    """A table as `write_reference` wrote it.

    Raises:
        KeyError, ValueError: the file is not such a table.
    """
    of_family: dict[str, dict[str, float]] = {}
    baselines: dict[str, int] = {}
    versions: dict[str, str] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["kind"] == "version":
                versions[line["name"]] = line["value"]
            elif line["kind"] == _BASELINE:
                baselines[line["name"]] = int(line["value"])
            else:
                of_family.setdefault(line["kind"], {})[line["name"]] = float(line["value"])
    families = {name: _family(values) for name, values in of_family.items()}
    return Reference(families, baselines, versions)


def _family(values: dict[str, float]) -> ReferenceFamily:
    low, high, cells, rows = (values.pop(name) for name in FACTS)
    return ReferenceFamily(values, low, high, int(cells), int(rows))


def write_reference(path: Path, table: Reference) -> None:
    """Write the table, whole or not at all: a line for each version, baseline and coefficient."""
    lines = [("version", name, text) for name, text in sorted(table.versions.items())]
    lines += [(_BASELINE, name, str(size)) for name, size in sorted(table.baselines.items())]
    for name, one in sorted(table.families.items()):
        facts = zip(FACTS, (one.low_error, one.high_error, one.n_cells, one.most_rows), strict=True)
        lines += [(name, fact, f"{value:.6g}") for fact, value in facts]
        lines += [(name, term, f"{value:.4f}") for term, value in sorted(one.coefficients.items())]
    with draft_of(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("kind", "name", "value"))
        writer.writerows(lines)
