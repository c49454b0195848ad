"""`python -m benchmarks.startup [--runs 21]`: wanted at most 0.35 s for `treebench --help`.

Beside it stand, in turn, an interpreter that does nothing and one that imports numpy, so that a
slow machine can be told from a slow start.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from statistics import median

CONTENDERS = {
    "treebench --help": [sys.executable, "-m", "treebench", "--help"],
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=21)
    runs = parser.parse_args().runs
    taken: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for _ in range(runs + 1):  # the first round warms the page cache and is not counted
        for name, command in CONTENDERS.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            taken[name].append(time.perf_counter() - start)
    for name, seconds in taken.items():
        counted = seconds[1:]
        print(f"{name}: {median(counted):.3f} s ({min(counted):.3f} to {max(counted):.3f})")
    ratio = median(taken["treebench --help"][1:]) / median(taken["python -c pass"][1:])
    print(f"treebench --help is {ratio:.1f}x an empty interpreter (wanted: at most 0.35 s)")


if __name__ == "__main__":
    main()
