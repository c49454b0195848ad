"""`python -m benchmarks.memory_error [--folder DIR] [--at-once 2] [--table-only] [--also DIR]`.

Of each data set of `sweeps/` the most rows are held out; the rest, a fifth of them at most, are
pilots. Prints for every held-out cell its peak, and what was said of it without pilots (the shipped
reference) and with them; then by family, and over all, the median error, its 95th percentile, and
the share of cells that broke the upper bound. No data set here is one of the reference's.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from benchmarks.memory_reference.measured import cache_of, measure, observed
from treebench.memory_model.calibration import calibrate
from treebench.memory_model.predict import Prediction, predict
from treebench.memory_model.terms import family_of

if TYPE_CHECKING:
    from treebench.memory_model.observations import Observation
    from treebench.store.row import SampleRow

    Seen: TypeAlias = tuple[Observation, SampleRow]

_FARTHEST = 5
_MIB = 1 << 20


@dataclass(frozen=True)
class HeldOut:
    """A cell that nothing was fitted on, and what was said of it."""

    dataset: str
    seen: Observation
    without: Prediction
    calibrated: Prediction

    @property
    def family(self) -> str:
        return family_of(self.seen.workload)

    def error(self, said: Prediction) -> float:
        return said.mid_bytes / self.seen.peak_bytes - 1

    def broke(self, said: Prediction) -> bool:
        return self.seen.peak_bytes > said.high_bytes


def main() -> None:
    parser = argparse.ArgumentParser()
    default = Path(tempfile.gettempdir()) / "treebench-memory-error"
    parser.add_argument("--folder", type=Path, default=default, help="where runs and data are kept")
    parser.add_argument("--at-once", type=int, default=2, help="sweeps at a time")
    parser.add_argument("--table-only", action="store_true", help="of what was measured")
    parser.add_argument(
        "--also", type=Path, action="append", default=[], help="runs of earlier, in the table too"
    )
    options = parser.parse_args()
    if not options.table_only:
        measure(Path(__file__).parent, options.folder, options.at_once)
    cells = held_out([options.folder, *options.also], cache_of(options.folder))
    print_cells(cells)
    print_families(cells)


def held_out(folders: list[Path], cache_folder: Path) -> list[HeldOut]:
    """The most rows of each data set of each run; pilots are of the same data in any run."""
    runs = [one.parent for folder in folders for one in sorted(folder.glob("*/samples.jsonl"))]
    by_run = [list(observed([run], cache_folder)) for run in runs]
    everything = [one for found in by_run for one in found]
    cells: list[HeldOut] = []
    for found in by_run:
        for name in sorted({row.spec["dataset"] for _, row in found}):
            cells += _of_set(name, found, everything)
    return cells


def _of_set(name: str, found: list[Seen], everything: list[Seen]) -> list[HeldOut]:
    largest = max(one.workload.n_rows for one, row in found if row.spec["dataset"] == name)
    pilots = [
        one
        for one, row in everything
        if row.spec["dataset"] == name and one.workload.n_rows * _FARTHEST <= largest * 1.05
    ]
    known = calibrate(pilots)
    return [
        HeldOut(name, one, predict(one.workload), predict(one.workload, known))
        for one, row in found
        if row.spec["dataset"] == name and one.workload.n_rows == largest
    ]


def print_cells(cells: list[HeldOut]) -> None:
    print("| data | rows x features | layout | trained by | MiB | without pilots | with | bound |")
    print("|--|--|--|--|--|--|--|--|")
    for one in sorted(cells, key=lambda cell: (cell.dataset, cell.family)):
        work, said = one.seen.workload, one.calibrated
        print(
            f"| {one.dataset} | {work.n_rows:,} x {work.n_features:,} | {work.layout} "
            f"| {one.family} | {one.seen.peak_bytes / _MIB:,.0f} | {one.error(one.without):+.1%} "
            f"| {_with_pilots(one)} | {said.high_bytes / _MIB:,.0f}"
            f"{' broken' if one.broke(said) else ''} |"
        )


def _with_pilots(one: HeldOut) -> str:
    """A family that no pilot was taken of is told by the reference, so that nothing is said."""
    return f"{one.error(one.calibrated):+.1%}" if one.calibrated.basis == "calibrated" else "-"


def print_families(cells: list[HeldOut]) -> None:
    print("\n| trained by | cells | median error | 95th percentile | largest | bound broken |")
    print("|--|--|--|--|--|--|")
    families = sorted({one.family for one in cells})
    for name in families:
        print_line(name, [one for one in cells if one.family == name])
    print_line("all, with pilots", cells)
    print_line("all, without pilots", cells, calibrated=False)


def print_line(name: str, cells: list[HeldOut], *, calibrated: bool = True) -> None:
    said = [one.calibrated if calibrated else one.without for one in cells]
    pairs = list(zip(cells, said, strict=True))
    errors = np.abs([one.error(what) for one, what in pairs])
    broken = sum(one.broke(what) for one, what in pairs)
    print(
        f"| {name} | {len(cells)} | {np.median(errors):.1%} | {np.percentile(errors, 95):.1%} "
        f"| {errors.max():.1%} | {broken} |"
    )


if __name__ == "__main__":
    main()
