"""`python -m benchmarks.memory_reference [--folder DIR] [--at-once 2] [--fit-only] [--also DIR]`.

Measures the grid of `sweeps/` by `treebench run`, which goes on where it was stopped, then fits a
coefficient for each term of each family and writes `treebench/memory_model/reference.csv`. Run it
from a clone that nobody edits: a sweep ends where the measuring code changes.

Containers of one method are drawn to what they have in common. A family's errors are of each cell
as the others tell it (leave one out). The interval that ships is the widest of them and a quarter
more, and on either side at least what all but two of a hundred cells of all families keep to (a
conformal quantile: Vovk, Gammerman and Shafer, 2005, chapter 2).
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.memory_reference.measured import cache_of, measure, observed
from treebench.memory_model.calibration import PILOT_PRIOR_WEIGHT, error_of
from treebench.memory_model.coefficients import fitted
from treebench.memory_model.reference import (
    REFERENCE_PATH,
    Reference,
    ReferenceFamily,
    write_reference,
)
from treebench.memory_model.terms import baseline_of, family_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from treebench.memory_model.observations import Observation

_WIDENED, _KEPT_TO = 1.25, 0.98
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
    kin = by_kin(groups)
    errors = {name: left_out(group, kin[kin_of(name)]) for name, group in sorted(groups.items())}
    everything = [error for found in errors.values() for error in found]
    sides = quantile([-error for error in everything]), quantile(everything)
    families = {
        name: family(groups[name], kin[kin_of(name)], found, sides)
        for name, found in errors.items()
    }
    usual = {name: round(statistics.median(held)) for name, held in baselines.items()}
    write_reference(REFERENCE_PATH, Reference(families, usual, versions))
    for name, one in families.items():
        print(f"{name:40} {one.n_cells:4} cells, {one.low_error:+.1%} to {one.high_error:+.1%}")
    print(f"wrote {REFERENCE_PATH}")


def by_kin(groups: Mapping[str, list[Observation]]) -> dict[str, list[Observation]]:
    """The cells of all families that are one program with another container."""
    found: dict[str, list[Observation]] = {}
    for name, group in groups.items():
        found.setdefault(kin_of(name), []).extend(group)
    return found


def kin_of(name: str) -> str:
    """`xgboost hist dense` of `xgboost hist iterator dense`: what a container holds is told by the
    terms, and a histogram takes as much whichever it is built from."""
    trainer, *method, form = name.split()
    return " ".join([trainer, *method[:1], form] if trainer == "xgboost" else [name])


def left_out(group: list[Observation], kin: list[Observation]) -> list[float]:
    """How far each cell's peak lies from what the others tell."""
    return [
        error_of(
            one, coefficients([x for x in group if x is not one], [x for x in kin if x is not one])
        )
        for one in group
    ]


def coefficients(group: list[Observation], kin: list[Observation]) -> dict[str, float]:
    """Those of a family, drawn to what its kin have in common as pilots are to the reference."""
    if len(kin) == len(group):
        return fitted(group, {})
    return fitted(group, fitted(kin, {}), PILOT_PRIOR_WEIGHT)


def quantile(errors: list[float]) -> float:
    """What the next cell's error is below with a probability of 98 %."""
    place = min(len(errors), math.ceil((len(errors) + 1) * _KEPT_TO))
    return sorted(errors)[place - 1]


def family(
    group: list[Observation],
    kin: list[Observation],
    errors: list[float],
    sides: tuple[float, float],
) -> ReferenceFamily:
    """`sides` are the least that an interval reaches below and above."""
    below, above = (max(side, _OF_FEW if len(group) < _FEW else 0.0) for side in sides)
    return ReferenceFamily(
        coefficients(group, kin),
        -max(below, -_WIDENED * min(errors)),
        max(above, _WIDENED * max(errors)),
        len(group),
        max(one.workload.n_rows for one in group),
    )


if __name__ == "__main__":
    main()
