"""`python -m benchmarks.load [--runs 7] [--scale 1.0] [--folder DIR]`: time and peak memory.

Three races, each against the usual way to the same matrix:

- 1,000,000 x 100 without zeros. dense-c, dense-f: peak growth at most 1.2x the matrix, no slower
  than pandas. csr: at most 1.3x, 5x as fast as scipy made from what pandas read.
- The same with a tenth of the values: csr, likewise.
- 300,000 sparse rows of 20,000 columns at 0.1 %: csr at most 1.3x, at most 1.5x the time in which
  Arrow decodes the two columns.

A contender is a fresh process. The order turns from round to round; ratios are of medians.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.load import files

SMALL_ROWS = 200


@dataclass(frozen=True)
class Wanted:
    """What `contender` must keep to: growth per byte of its matrix, time per time of `rival`.

    None is only printed.
    """

    contender: str
    rival: str
    growth: float | None = None
    time: float | None = None


@dataclass(frozen=True)
class Race:
    title: str
    file: Path
    small: Path
    wanted: tuple[Wanted, ...]

    @property
    def contenders(self) -> list[str]:
        return list(dict.fromkeys(n for w in self.wanted for n in (w.rival, w.contender)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows")
    default = Path(tempfile.gettempdir()) / "treebench-benchmark-load"
    parser.add_argument("--folder", type=Path, default=default, help="where the files are kept")
    options = parser.parse_args()
    for race in races(options.folder, options.scale):
        run(race, options.runs)


def races(folder: Path, scale: float) -> list[Race]:
    rows, many = int(1_000_000 * scale), int(300_000 * scale)
    small_wide = files.wide(folder / "wide-small.parquet", SMALL_ROWS, 0.5)
    small_rows = files.sparse_rows(folder / "rows-small.parquet", SMALL_ROWS)
    full = files.wide(folder / f"wide-{rows}-full.parquet", rows, 1.0)
    tenth = files.wide(folder / f"wide-{rows}-tenth.parquet", rows, 0.1)
    sparse_rows = files.sparse_rows(folder / f"rows-{many}.parquet", many)
    dense = (Wanted("dense-c", "pandas", 1.2, 1.0), Wanted("dense-f", "pandas", 1.2, 1.0))
    to_csr = (Wanted("csr", "scipy", 1.3, 0.2), Wanted("csc", "scipy"))
    decoded = (Wanted("csr", "arrow", 1.3, 1.5), Wanted("csc", "arrow"))
    return [
        Race(f"{rows:,} x 100, no zeros", full, small_wide, dense + to_csr),
        Race(f"{rows:,} x 100, a tenth stored", tenth, small_wide, to_csr),
        Race(f"{many:,} sparse rows, 20,000 columns, 0.1 %", sparse_rows, small_rows, decoded),
    ]


def run(race: Race, runs: int) -> None:
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in race.contenders}
    for number in range(runs):
        for name in race.contenders[:: 1 if number % 2 == 0 else -1]:
            taken[name].append(measured(name, race))
    print(f"\n{race.title}; {runs} rounds")
    for name, samples in taken.items():
        print(f"  {name:8} {spread(samples)}")
    for wanted in race.wanted:
        print(f"  {wanted.contender} {verdict(wanted, taken)}")


def measured(name: str, race: Race) -> dict[str, Any]:
    module = [sys.executable, "-m", "benchmarks.load.contender"]
    command = [*module, name, str(race.file), str(race.small)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def spread(samples: list[dict[str, Any]]) -> str:
    seconds = [sample["wall_ns"] / 1e9 for sample in samples]
    growth = median(sample["growth_bytes"] for sample in samples) / 2**20
    text = f"{median(seconds):6.3f} s ({min(seconds):.3f} to {max(seconds):.3f}), {growth:7.1f} MiB"
    converts = [sample["convert_ns"] / 1e9 for sample in samples if sample["convert_ns"]]
    return f"{text}, csr_matrix() alone {median(converts):.3f} s" if converts else text


def verdict(wanted: Wanted, taken: dict[str, list[dict[str, Any]]]) -> str:
    own, rivals = taken[wanted.contender], taken[wanted.rival]
    growth = median(sample["growth_bytes"] / sample["matrix_bytes"] for sample in own)
    time = median(s["wall_ns"] for s in own) / median(s["wall_ns"] for s in rivals)
    return (
        f"grows {growth:.2f}x its matrix{limit(growth, wanted.growth)}, "
        f"takes {time:.2f}x the time of {wanted.rival}{limit(time, wanted.time)}"
    )


def limit(value: float, most: float | None) -> str:
    if most is None:
        return ""
    return f" (wanted {most:g}: {'kept' if value <= most else 'MISSED'})"


if __name__ == "__main__":
    main()
