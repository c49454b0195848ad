"""`python -m benchmarks.memory_reference [--folder DIR] [--at-once 2] [--fit-only] [--also DIR]`.

Measures the grid of `sweeps/` by `treebench run`, which goes on where it was stopped, then fits a
coefficient for each term of each family and writes `treebench/memory_model/reference.csv`. Run it
from a clone that nobody edits: a sweep ends where the measuring code changes.

A family's errors are of each cell as the others tell it (leave one out); the interval that ships is
the widest of them and a quarter more, at least 4 %.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.memory_reference.measured import cache_of, measure, observed
from treebench.memory_model.calibration import error_of
from treebench.memory_model.coefficients import fitted
from treebench.memory_model.reference import (
    REFERENCE_PATH,
    Reference,
    ReferenceFamily,
    write_reference,
)
from treebench.memory_model.terms import baseline_of, family_of

if TYPE_CHECKING:
    from treebench.memory_model.observations import Observation

_WIDENED, _LEAST = 1.25, 0.04
_FEW, _OF_FEW = 8, 0.1


def main() -> None:
    parser = argparse.ArgumentParser()
    default = Path(tempfile.gettempdir()) / "treebench-memory-reference"
    parser.add_argument("--folder", type=Path, default=default, help="where runs and data are kept")
    parser.add_argument("--at-once", type=int, default=2, help="sweeps at a time")
    parser.add_argument("--only", help="cells to measure, as in `treebench run --only`")
    parser.add_argument("--fit-only", action="store_true", help="fit what was measured")
    parser.add_argument(
        "--also", type=Path, action="append", default=[], help="runs of earlier, to fit as well"
    )
    options = parser.parse_args()
    if not options.fit_only:
        measure(Path(__file__).parent, options.folder, options.at_once, options.only)
    fit([options.folder, *options.also], cache_of(options.folder))


def fit(folders: list[Path], cache_folder: Path) -> None:
    runs = [one.parent for folder in folders for one in sorted(folder.glob("*/samples.jsonl"))]
    groups: dict[str, list[Observation]] = {}
    baselines: dict[str, list[int]] = {}
    versions: dict[str, str] = {}
    for found, row in observed(runs, cache_folder):
        groups.setdefault(family_of(found.workload), []).append(found)
        baselines.setdefault(baseline_of(found.workload), []).append(found.baseline_bytes)
        versions |= {name: str(text) for name, text in row.must_match["versions"].items()}
    families = {name: family(group) for name, group in sorted(groups.items())}
    usual = {name: round(statistics.median(held)) for name, held in baselines.items()}
    write_reference(REFERENCE_PATH, Reference(families, usual, versions))
    for name, one in families.items():
        print(f"{name:40} {one.n_cells:4} cells, {one.low_error:+.1%} to {one.high_error:+.1%}")
    print(f"wrote {REFERENCE_PATH}")


def family(group: list[Observation]) -> ReferenceFamily:
    errors = [error_of(one, fitted([x for x in group if x is not one], {})) for one in group]
    least = _OF_FEW if len(group) < _FEW else _LEAST
    return ReferenceFamily(
        fitted(group, {}),
        -max(least, -_WIDENED * min(errors)),
        max(least, _WIDENED * max(errors)),
        len(group),
        max(one.workload.n_rows for one in group),
    )


if __name__ == "__main__":
    main()
