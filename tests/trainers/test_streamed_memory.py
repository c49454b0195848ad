"""Building a container a part at a time does not bring the matrix into memory."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.trainers.streamed import write

if TYPE_CHECKING:
    from pathlib import Path

MIB = 2**20
ROWS, FEATURES, MATRIX_BYTES = 2**19, 96, 192 * MIB
GROWTH = """
import sys
from pathlib import Path
from treebench.data.matrix import Part
from treebench.data.reading.stream import RowStream
from treebench.trainers.base import Problem
from treebench.trainers.parameters import Params
from treebench.trainers.registry import TRAINERS
from treebench.trainers.support import resolve

def status(name):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024

name, container = sys.argv[3:]
extra = {"bin_construct_sample_cnt": 2000} if name == "lightgbm" else {}
params = Params(n_estimators=1, max_bin=15, container=container, extra=extra)
trainer = TRAINERS[name]
small, large = (RowStream(Path(path), "dense-c") for path in sys.argv[1:3])
of = Problem("binary", large.n_rows, large.n_features, 2, "dense-c")
native = resolve(trainer, params, of).native
trainer.finish(trainer.construct_streamed(small, native, of))
before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
built = trainer.construct_streamed(large, native, of)
print(status("VmHWM") - before)
trainer.finish(built)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A small file, and one of 192 MiB of values in 32 groups."""
    folder = tmp_path_factory.mktemp("larger")
    X = np.random.default_rng(2).standard_normal((ROWS, FEATURES), dtype=np.float32)
    y = (X[:, 0] > 0).astype(np.float32)
    small = write(folder / "small.parquet", X[:500], y[:500])
    return small, write(folder / "large.parquet", X, y, group_rows=ROWS // 32)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "container", "share_of_bins"),
    [("xgboost", "external", 0.0), ("xgboost", "iterator", 1 / 2), ("lightgbm", "sequence", 1 / 4)],
)
def test_construct_holds_a_group_and_at_most_the_bins(
    files: tuple[Path, Path], name: str, container: str, share_of_bins: float
) -> None:
    """GIVEN 192 MiB of floats in groups of 6 THEN the peak grows by the bins, as a share of that,
    and by 96 MiB at most for groups, sketch or sample, labels and pages. XGBoost keeps a byte by
    row and one by column, LightGBM half a byte, and as much again until all rows are there."""
    command = [sys.executable, "-c", GROWTH, *map(str, files), name, container]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) <= MATRIX_BYTES * share_of_bins + 96 * MIB
