"""One contender, in a process of its own: `python -m benchmarks.load.contender NAME FILE SMALL`.

First it reads SMALL, so that no contender pays for its libraries' first call. Then it reads FILE,
and prints as JSON the time, and by how much the peak of its memory (VmHWM, reset before) exceeds
what it held before (VmRSS).
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from scipy import sparse

from treebench.data.manifest import LAYOUTS
from treebench.data.matrix import matrix_bytes
from treebench.data.reading.read import read_part, release_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from treebench.data.manifest import Layout


def treebench(layout: Layout, path: Path) -> dict[str, Any]:
    return {"matrix": read_part(path, layout).X}


def pandas(path: Path) -> dict[str, Any]:
    return {"matrix": pd.read_parquet(path).to_numpy(dtype=np.float32)}


def scipy(path: Path) -> dict[str, Any]:
    values = pandas(path)["matrix"]
    begin = time.perf_counter_ns()
    matrix = sparse.csr_matrix(values)
    return {"matrix": matrix, "convert_ns": time.perf_counter_ns() - begin}


def arrow(path: Path) -> dict[str, Any]:
    return {"table": pq.read_table(path, columns=["indices", "values"])}


def status_bytes(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def main() -> None:
    name, path, small = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    contenders: dict[str, Callable[[Path], dict[str, Any]]]
    contenders = {"pandas": pandas, "scipy": scipy, "arrow": arrow}
    contenders |= {layout: partial(treebench, layout) for layout in LAYOUTS}
    read = contenders[name]
    read(small)
    release_memory()
    before = status_bytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    begin = time.perf_counter_ns()
    held = read(path)
    wall_ns = time.perf_counter_ns() - begin
    facts = {
        "wall_ns": wall_ns,
        "growth_bytes": status_bytes("VmHWM") - before,
        "convert_ns": held.get("convert_ns"),
        "matrix_bytes": matrix_bytes(held["matrix"]) if "matrix" in held else None,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
